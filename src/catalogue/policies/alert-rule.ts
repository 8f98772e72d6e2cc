import { severities } from '../../alerts/channels/message.ts'
import { durationMs } from '../../checks/duration.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { closed, Id } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path, pathText } from '../config-file/faults.ts'
import { structureFindings, withoutFaults } from '../config-file/structure.ts'
import { defaultSeverity, defaultWaitMs, ruleDefaults, stepDefaults } from './alert-defaults.ts'
import { AnyTrigger, type KnownSlos, namedSlos, type TriggerEntry, toTrigger, triggerFindings, triggerKind } from './alert-trigger.ts'
import {
  durationBetween,
  type Lookup,
  Name,
  notAllowed,
  type PolicyEntry,
  selectionFields,
  selectionFindings,
  selectionOf,
  valueFinding,
} from './fields.ts'
import { type AlertRule, type AlertStep, ruleSelector, type Selection, type ServiceHoursPolicy, type Threshold } from './policies.ts'

const ThresholdEntry = Type.Union(
  [Type.Object({ runs: Type.Integer({ minimum: 1, maximum: 1000 }) }, closed), Type.Object({ time: durationBetween('1s', '7d') }, closed)],
  { description: 'a mapping such as { runs: 2 }, from 1 to 1000, or { time: 5m }, from 1s to 7d' },
)
const To = Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true })
const StepEntry = Type.Object(
  {
    after: Type.Optional(durationBetween('1s', '7d')),
    to: To,
    during: Type.Optional(Name),
    outside: Type.Optional(Type.Enum(['hold', 'drop'])),
  },
  closed,
)
const RemindEntry = Type.Object({ every: durationBetween('1m', '30d'), times: Type.Integer({ minimum: 1, maximum: 1000 }) }, closed)
const GroupEntry = Type.Object({ by: Type.Enum(['tag', 'location', 'none']), wait: Type.Optional(durationBetween('1s', '1h')) }, closed)
const RuleEntry = Type.Object(
  {
    id: Id,
    ...selectionFields,
    when: Type.Optional(Type.Unknown()),
    after: Type.Optional(ThresholdEntry),
    recoverAfter: Type.Optional(ThresholdEntry),
    quorum: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Literal('majority')], {
        description: 'a number of locations from 1 to 1000, or majority',
      }),
    ),
    to: Type.Optional(To),
    steps: Type.Optional(Type.Array(StepEntry, { minItems: 1, maxItems: 20 })),
    remind: Type.Optional(RemindEntry),
    group: Type.Optional(GroupEntry),
    severity: Type.Optional(Type.Enum(severities)),
  },
  closed,
)

export const AnyRule = Type.Object({ ...RuleEntry.properties, when: Type.Optional(AnyTrigger) }, closed)

type StepEntry = Static<typeof StepEntry>
export type RuleEntry = Omit<Static<typeof RuleEntry>, 'when'> & { readonly when?: TriggerEntry }

/** The fields of a valid check that rules are validated with. */
type SelectableCheck = {
  readonly id: string
  readonly tags: readonly string[]
  readonly alerts: readonly string[] | null
  /** Empty for a ping check. */
  readonly locations: readonly string[]
}

export type KnownForRules = {
  readonly checkId: Lookup
  readonly channelId: Lookup
  readonly serviceHours: Lookup
  readonly checks: readonly SelectableCheck[]
  readonly slosOf: (selection: Selection) => KnownSlos
}

export function ruleFindings(entry: PolicyEntry, path: Path, known: KnownForRules): readonly Finding[] {
  const structure = structureFindings(RuleEntry, entry, path)
  const { when: _, ...valid } = withoutFaults(entry, structure, path.length) as Partial<RuleEntry>
  const selection = selectionOf(valid)
  return [
    ...structure,
    ...misplacedFindings(entry, path),
    ...selectionFindings(valid.checks, path, known.checkId),
    ...triggerFindings(entry.when, [...path, 'when'], known.slosOf(selection)),
    ...quorumFindings(valid.quorum, [...path, 'quorum'], known.checks.filter(ruleSelector({ ...selection, id: String(entry.id) }))),
    ...recipientFindings(entry, path),
    ...(valid.to ?? []).flatMap((id, index) => known.channelId(id, [...path, 'to', index])),
    ...(valid.steps ?? []).flatMap((step, index) => stepFindings(step, [...path, 'steps', index], known)),
    ...orderFindings(valid.steps ?? [], [...path, 'steps']),
  ]
}

/** The rule of an entry without findings. */
export function toRule(entry: RuleEntry, serviceHours: readonly ServiceHoursPolicy[]): AlertRule {
  const { id, after, recoverAfter, quorum, to = [], steps = [{ to }], remind, group, severity } = entry
  const when = entry.when === undefined ? ruleDefaults.when : toTrigger(entry.when)
  const by = group?.by ?? 'none'
  return {
    id,
    ...selectionOf(entry),
    when,
    after: after ? toThreshold(after) : ruleDefaults.after,
    recoverAfter: recoverAfter ? toThreshold(recoverAfter) : ruleDefaults.recoverAfter,
    quorum: quorum ?? ruleDefaults.quorum,
    steps: steps.map((step) => toStep(step, serviceHours)),
    remind: remind ? { everyMs: durationMs(remind.every), times: remind.times } : null,
    group: { by, waitMs: group?.wait === undefined ? defaultWaitMs(by) : durationMs(group.wait) },
    severity: severity ?? defaultSeverity(when),
  }
}

function toStep({ after, to, during, outside }: StepEntry, serviceHours: readonly ServiceHoursPolicy[]): AlertStep {
  return {
    afterMs: stepAfterMs(after),
    to,
    during: serviceHours.find(({ name }) => name === during) ?? stepDefaults.during,
    outside: outside ?? stepDefaults.outside,
  }
}

const stepAfterMs = (after: string | undefined) => (after === undefined ? stepDefaults.afterMs : durationMs(after))

function toThreshold(entry: Static<typeof ThresholdEntry>): Threshold {
  return 'runs' in entry ? { runs: entry.runs } : { timeMs: durationMs(entry.time) }
}

const runFields = ['after', 'recoverAfter', 'quorum']
const selectionNames = Object.keys(selectionFields)

/** Settings that have no effect together with others. */
function misplacedFindings(entry: PolicyEntry, path: Path): readonly Finding[] {
  const present = (names: readonly string[], why: string) =>
    names.filter((name) => Object.hasOwn(entry, name)).map((name) => notAllowed([...path, name], why))
  const kind = triggerKind(entry.when) ?? 'failing'
  return [
    ...(kind === 'failing' || kind === 'degraded' ? [] : present(runFields, `it belongs to failing and degraded, not to ${kind}`)),
    ...(namedSlos(entry.when) ? present(selectionNames, 'the rule lists its SLOs') : []),
    ...(Object.hasOwn(entry, 'steps') ? present(['to'], 'each step has its own to') : []),
  ]
}

function recipientFindings(entry: PolicyEntry, path: Path): readonly Finding[] {
  if (Object.hasOwn(entry, 'to') || Object.hasOwn(entry, 'steps')) return []
  return [{ path, at: 'value', text: `${pathText(path)} notifies no one: set to, a list of channels, or steps` }]
}

/** A check with fewer locations would never alert. */
function quorumFindings(quorum: RuleEntry['quorum'], path: Path, selected: readonly SelectableCheck[]): readonly Finding[] {
  if (typeof quorum !== 'number') return []
  const never = selected.find(({ locations }) => Math.max(1, locations.length) < quorum)
  if (!never) return []
  const count = Math.max(1, never.locations.length)
  return [valueFinding(path, `the check ${never.id} has only ${count} location${count === 1 ? '' : 's'}, so it would never alert`)]
}

function stepFindings({ to, during, outside }: StepEntry, path: Path, known: KnownForRules): readonly Finding[] {
  return [
    ...to.flatMap((id, index) => known.channelId(id, [...path, 'to', index])),
    ...(during === undefined ? [] : known.serviceHours(during, [...path, 'during'])),
    ...(outside !== undefined && during === undefined ? [notAllowed([...path, 'outside'], 'the step has no during')] : []),
  ]
}

function orderFindings(steps: readonly StepEntry[], path: Path): readonly Finding[] {
  return steps.flatMap(({ after }, index) => {
    const before = steps[index - 1]?.after
    if (before === undefined || stepAfterMs(after) >= stepAfterMs(before)) return []
    return [
      must([...path, index, ...(after === undefined ? [] : ['after'])], `not earlier than the previous step, which is after ${before}`),
    ]
  })
}

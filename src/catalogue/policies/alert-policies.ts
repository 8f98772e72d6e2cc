import type { ChannelType } from '../../alerts/channels/channel.ts'
import { memoize } from '../../cache/cache.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { AccountEntry } from '../config-file/config-schema.ts'
import type { AccountPart } from '../config-file/duplicates.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import type { CheckDefinition } from '../definitions.ts'
import { rhythmOf } from '../rhythm.ts'
import { type Substitution, secretTexts } from '../secrets.ts'
import { accepted, duplicates, knownChecks, mappings, type Placed } from './account-policies.ts'
import { type KnownForRules, type RuleEntry, ruleFindings, toRule } from './alert-rule.ts'
import type { KnownSlos } from './alert-trigger.ts'
import { canaryFindings, type DeadManEntry, deadManFindings, toCanaries, toDeadManSwitch } from './canaries.ts'
import { type ChannelEntry, channelFindings, settingNames, toChannel } from './channels.ts'
import { dependencyFindings } from './depends-on.ts'
import { lookupAmong, lookupCheck, type PolicyEntry, selectionOf } from './fields.ts'
import { type AlertPolicies, type Selection, type ServiceHoursPolicy, selector } from './policies.ts'

/** Validates the alerts of a file that may have other faults. `parts` are the valid parts of its accounts. */
export function alertFindings(file: unknown, parts: readonly AccountPart[], channelTypes: readonly ChannelType[]): readonly Finding[] {
  return mappings(file, 'accounts', []).flatMap(({ entry, path }) => {
    const checks = (parts[Number(path.at(-1))]?.checks ?? []).filter((check) => check !== null)
    return accountFindings(entry, path, { checks, channelTypes })
  })
}

type PolicyContext = { readonly checks: readonly CheckDefinition[]; readonly channelTypes: readonly ChannelType[] }

function accountFindings(account: PolicyEntry, path: Path, { checks, channelTypes }: PolicyContext): readonly Finding[] {
  const channels = mappings(account, 'channels', path)
  const rules = mappings(account, 'alerts', path)
  const checkId = lookupCheck(knownChecks(account, []).map(({ id }) => id))
  const known: KnownForRules = {
    checkId,
    channelId: lookupAmong(texts(channels, 'id'), { kind: 'channel with the id', kinds: 'channels' }),
    serviceHours: lookupAmong(texts(mappings(account, 'serviceHours', path), 'name'), {
      kind: 'serviceHours named',
      kinds: 'serviceHours',
    }),
    checks,
    slosOf: slosFor(mappings(account, 'slos', path), checks),
  }
  return [
    ...channels.flatMap(({ entry, path: place }) => channelFindings(entry, place, channelTypes)),
    ...rules.flatMap(({ entry, path: place }) => ruleFindings(entry, place, known)),
    ...duplicates(channels, 'id'),
    ...duplicates(rules, 'id'),
    ...(isMapping(account.canary) ? canaryFindings(account.canary, [...path, 'canary']) : []),
    ...(isMapping(account.deadManSwitch) ? deadManFindings(account.deadManSwitch, [...path, 'deadManSwitch']) : []),
    ...dependencyFindings(dependents(account, path), checkId),
    ...namedRuleFindings(account, path, texts(rules, 'id')),
  ]
}

/** The variables that a part of the file refers to. */
type Substitutions = (path: Path) => readonly Substitution[]

type Conversion = {
  readonly path: Path
  readonly serviceHours: readonly ServiceHoursPolicy[]
  readonly channelTypes: readonly ChannelType[]
  readonly substitutions: Substitutions
}

/** The alerts of an account without findings. */
export function alertPoliciesOf(account: AccountEntry, { path, serviceHours, channelTypes, substitutions }: Conversion): AlertPolicies {
  const { channels, alerts, canary = {}, deadManSwitch } = account
  const secretsAt = (place: Path, names: readonly string[]) =>
    secretTexts(names.flatMap((name) => substitutions([...path, ...place, name])))
  return {
    channels: (accepted(channels) as readonly ChannelEntry[]).map((entry, index) =>
      toChannel(entry, secretsAt(['channels', index], settingNames(entry)), channelTypes),
    ),
    alerts: (accepted(alerts) as readonly RuleEntry[]).map((entry) => toRule(entry, serviceHours)),
    canaries: toCanaries(canary as Parameters<typeof toCanaries>[0]),
    deadManSwitch: deadManSwitch ? toDeadManSwitch(deadManSwitch as DeadManEntry, secretsAt(['deadManSwitch'], ['url'])) : null,
  }
}

/** The facts about the SLOs of an account that rules are validated with. */
function slosFor(slos: readonly Placed[], checks: readonly CheckDefinition[]): (selection: Selection) => KnownSlos {
  const ids = texts(slos, 'id')
  const sloId = lookupAmong(ids, { kind: 'SLO with the id', kinds: 'slos' })
  const memoized = memoize<readonly CheckDefinition[]>(1000)
  const checksOf = (id: string) =>
    memoized(id, () => {
      const slo = slos.find(({ entry }) => entry.id === id)
      return slo ? checks.filter(selector(selectionOf(textLists(slo.entry)))).filter(({ activated }) => activated) : []
    })
  const expectedRuns = (id: string, windowMs: number) => {
    const running = checksOf(id)
    return running.length === 0 ? undefined : running.reduce((sum, check) => sum + runsWithin(check, windowMs), 0)
  }
  return (selection) => ({ sloId, expectedRuns, selected: () => ids.filter((id) => checksOf(id).some(selector(selection))) })
}

function runsWithin(check: CheckDefinition, windowMs: number): number {
  const rhythm = rhythmOf(check)
  return (windowMs / rhythm.periodMs) * ('parallel' in rhythm && rhythm.parallel ? rhythm.locations : 1)
}

function dependents(account: PolicyEntry, path: Path) {
  const ids = knownChecks(account, []).map(({ id }) => id)
  return mappings(account, 'checks', path).map(({ entry, path: place }, index) => ({
    id: ids[index] ?? '',
    dependsOn: textsOf(entry.dependsOn),
    path: [...place, 'dependsOn'],
  }))
}

/** References of checks to unknown rules. */
function namedRuleFindings(account: PolicyEntry, path: Path, rules: readonly string[]): readonly Finding[] {
  const ruleId = lookupAmong(rules, { kind: 'alert rule with the id', kinds: 'alerts' })
  return mappings(account, 'checks', path).flatMap(({ entry, path: place }) =>
    textsOf(entry.alerts).flatMap((id, index) => ruleId(id, [...place, 'alerts', index])),
  )
}

const texts = (list: readonly Placed[], name: string) => list.flatMap(({ entry }) => textsOf([entry[name]]))
const textsOf = (list: unknown) => (Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [])
const textLists = ({ checks, tags }: PolicyEntry): Selection => ({ checks: textsOf(checks), tags: textsOf(tags) })

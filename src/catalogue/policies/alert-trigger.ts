import { durationMs } from '../../checks/duration.ts'
import { isMapping } from '../../collections/mapping.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { closed, Id } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path, pathText } from '../config-file/faults.ts'
import { structureFindings } from '../config-file/structure.ts'
import { defaultBurnPairs, defaultCertificateDays, ruleDefaults } from './alert-defaults.ts'
import { durationBetween, type Lookup, valueFinding } from './fields.ts'
import type { AlertTrigger, BurnPair } from './policies.ts'

const kinds: readonly AlertTrigger['kind'][] = ['failing', 'degraded', 'silent', 'certificate', 'sloBurn']
const triggerWords = `one of ${kinds.join(', ')}, or a mapping such as { certificate: { days: [14, 3] } }`

const Days = Type.Array(Type.Integer({ minimum: 0, maximum: 825 }), { minItems: 1, maxItems: 20, uniqueItems: true })
const CertificateEntry = Type.Object({ certificate: Type.Object({ days: Type.Optional(Days) }, closed) }, closed)
const PairEntry = Type.Object(
  {
    factor: Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: 'a number above 0 and at most 1000' }),
    long: durationBetween('1m', '31d'),
    short: durationBetween('1m', '31d'),
  },
  closed,
)
const SloBurnEntry = Type.Object(
  {
    sloBurn: Type.Object(
      {
        slos: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true })),
        pairs: Type.Optional(Type.Array(PairEntry, { minItems: 1, maxItems: 10 })),
      },
      closed,
    ),
  },
  closed,
)

export const AnyTrigger = Type.Union([Type.Enum(kinds), CertificateEntry, SloBurnEntry], { description: triggerWords })

type PairEntry = Static<typeof PairEntry>
type SloBurnEntry = Static<typeof SloBurnEntry>
/** `when` of a rule, without findings. */
export type TriggerEntry = AlertTrigger['kind'] | Static<typeof CertificateEntry> | SloBurnEntry

/** Accepts entries with findings. Undefined if the entry names no known kind. */
export function triggerKind(when: unknown): AlertTrigger['kind'] | undefined {
  if (when === undefined) return ruleDefaults.when.kind
  return kinds.find((kind) => when === kind || (isMapping(when) && Object.hasOwn(when, kind)))
}

/** The expected runs of an SLO in a window of this length; undefined if none of its checks run. */
type ExpectedRuns = (slo: string, windowMs: number) => number | undefined

export type KnownSlos = {
  readonly sloId: Lookup
  readonly expectedRuns: ExpectedRuns
  /** The SLOs of a rule that does not name any. */
  readonly selected: () => readonly string[]
}

export function triggerFindings(when: unknown, path: Path, known: KnownSlos): readonly Finding[] {
  const kind = triggerKind(when)
  if (kind === undefined || (typeof when !== 'string' && when !== undefined && !isMapping(when))) return [must(path, triggerWords)]
  if (!isMapping(when)) return kind === 'sloBurn' ? burnFindings({ sloBurn: {} }, path, known) : []
  if (kind === 'certificate') return structureFindings(CertificateEntry, when, path)
  if (kind !== 'sloBurn') return [must(path, `${kind}, without settings`)]
  const structure = structureFindings(SloBurnEntry, when, path)
  return structure.length > 0 ? structure : burnFindings(when as SloBurnEntry, path, known)
}

/** The trigger of an entry without findings. */
export function toTrigger(entry: TriggerEntry): AlertTrigger {
  if (entry === 'certificate') return { kind: entry, days: defaultCertificateDays }
  if (entry === 'sloBurn') return toBurn({ sloBurn: {} })
  if (typeof entry === 'string') return { kind: entry }
  if ('sloBurn' in entry) return toBurn(entry)
  return { kind: 'certificate', days: (entry.certificate.days ?? defaultCertificateDays).toSorted((a, b) => b - a) }
}

export function namedSlos(when: unknown): readonly string[] | undefined {
  const burn = isMapping(when) && isMapping(when.sloBurn) ? when.sloBurn : {}
  return Array.isArray(burn.slos) ? burn.slos : undefined
}

function toBurn({ sloBurn: { slos = [], pairs } }: SloBurnEntry): AlertTrigger {
  return { kind: 'sloBurn', slos, pairs: (pairs ?? defaultBurnPairs).map(toPair) }
}

function toPair({ factor, long, short }: PairEntry): BurnPair {
  return { factor, longMs: durationMs(long), shortMs: durationMs(short) }
}

function burnFindings({ sloBurn: { slos, pairs } }: SloBurnEntry, path: Path, known: KnownSlos): readonly Finding[] {
  const inside = [...path, 'sloBurn']
  const pairPath = (index: number) => (pairs ? [...inside, 'pairs', index] : path)
  const ids = slos ?? known.selected()
  return [
    ...(slos ?? []).flatMap((id, index) => known.sloId(id, [...inside, 'slos', index])),
    ...(pairs ?? defaultBurnPairs).flatMap((pair, index) => pairFindings(pair, pairPath(index), { ids, known })),
  ]
}

const minRuns = 5

type Burning = { readonly ids: readonly string[]; readonly known: KnownSlos }

/** With few runs in a window, a single bad one is a high burn rate. */
function pairFindings({ long, short }: PairEntry, path: Path, { ids, known }: Burning): readonly Finding[] {
  if (durationMs(short) >= durationMs(long)) return [valueFinding(path, `short must be less than long, which is ${long}`)]
  const runsOf = (id: string) => known.expectedRuns(id, durationMs(short))
  const scarce = ids.find((id) => (runsOf(id) ?? minRuns) < minRuns)
  if (scarce === undefined) return []
  const runs = Math.floor(runsOf(scarce) ?? 0)
  const counted = `${runs === 0 ? 'not one run' : runs === 1 ? 'only 1 run' : `only ${runs} runs`} of the SLO ${scarce}`
  const advice = `at least ${minRuns} are required: use a longer short window, or run its checks more often`
  return [{ path, at: 'value', text: `${pathText(path)}: ${short}, the short window of ${long}, contains ${counted}; ${advice}` }]
}

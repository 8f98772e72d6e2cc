import type { CalendarUnit } from '../../calendar/utc-calendar.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { isMapping } from '../../collections/mapping.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { dayMs, hourMs } from '../../time.ts'
import { Milliseconds } from '../config-file/config-schema.ts'
import { closed, Id } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path } from '../config-file/faults.ts'
import { structureFindings, withoutFaults } from '../config-file/structure.ts'
import {
  entryFindings,
  type Lookup,
  Name,
  type PolicyEntry,
  selectionFields,
  selectionFindings,
  selectionOf,
  TimeZone,
  zoneFindings,
  zoneOf,
} from './fields.ts'
import { type KnownChecks, metricFindings } from './latency-metric.ts'
import { type Objective, type Slo, type SloWindow, selector } from './policies.ts'

const windowWords = 'a duration such as 30d, or a mapping such as { calendar: month, timezone: Europe/Berlin }'
const units: readonly CalendarUnit[] = ['day', 'week', 'month']

const Target = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 100, description: 'a percentage above 0 and below 100' })
const AvailabilityEntry = Type.Object(
  { kind: Type.Literal('availability'), by: Type.Optional(Type.Enum(['runs', 'time'])), target: Target },
  closed,
)
const LatencyEntry = Type.Object(
  {
    kind: Type.Literal('latency'),
    by: Type.Optional(Type.Literal('runs', { description: 'runs for a latency objective' })),
    target: Target,
    metric: Type.String({ minLength: 1, description: 'the name of a metric in milliseconds, or duration' }),
    thresholdMs: Milliseconds,
  },
  closed,
)
/** For a `kind` that is missing or unknown. */
const AnyObjective = Type.Object({ kind: Type.Enum(['availability', 'latency']) })
const RollingEntry = Type.Object({ rolling: Duration }, closed)
const CalendarEntry = Type.Object({ calendar: Type.Enum(units), timezone: Type.Optional(TimeZone) }, closed)
const SloEntry = Type.Object(
  {
    id: Id,
    name: Type.Optional(Name),
    ...selectionFields,
    objective: Type.Object({}, { description: 'a mapping with kind, by, target' }),
    window: Type.Unknown({ description: windowWords }),
  },
  closed,
)

export const AnySlo = Type.Object(
  {
    ...SloEntry.properties,
    objective: Type.Union([AvailabilityEntry, LatencyEntry]),
    window: Type.Union([Duration, RollingEntry, CalendarEntry], { description: windowWords }),
  },
  closed,
)

type ObjectiveEntry = Static<typeof AvailabilityEntry> | Static<typeof LatencyEntry>
type WindowEntry = string | Static<typeof RollingEntry> | Static<typeof CalendarEntry>
type SloFields = Omit<Static<typeof SloEntry>, 'objective'> & { readonly objective: PolicyEntry }
type SloEntry = Omit<SloFields, 'objective' | 'window'> & { readonly objective: ObjectiveEntry; readonly window: WindowEntry }

const shortestMs = hourMs
const longestMs = 366 * dayMs

export function sloFindings(entry: PolicyEntry, path: Path, known: KnownChecks & { readonly checkId: Lookup }): readonly Finding[] {
  const structure = structureFindings(SloEntry, entry, path)
  const valid = withoutFaults(entry, structure, path.length) as Partial<SloFields>
  const chosen = known.checks.filter(selector(selectionOf(valid)))
  return [
    ...structure,
    ...selectionFindings(valid.checks, path, known.checkId),
    ...(valid.objective ? objectiveFindings(valid.objective, [...path, 'objective'], { ...known, checks: chosen }) : []),
    ...('window' in valid ? windowFindings(valid.window, [...path, 'window']) : []),
  ]
}

export function toSlo(entry: SloEntry): Slo {
  const { id, name = id, objective, window } = entry
  return { id, name, ...selectionOf(entry), objective: toObjective(objective), window: toWindow(window) }
}

function objectiveFindings(entry: PolicyEntry, path: Path, chosen: KnownChecks): readonly Finding[] {
  if (entry.kind === 'availability') {
    return entryFindings(AvailabilityEntry, entry, path, { names: ['metric', 'thresholdMs'], why: 'it belongs to a latency objective' })
  }
  if (entry.kind !== 'latency') return structureFindings(AnyObjective, entry, path)
  const structure = structureFindings(LatencyEntry, entry, path)
  const { metric } = withoutFaults(entry, structure, path.length) as Partial<Static<typeof LatencyEntry>>
  return [...structure, ...(metric === undefined ? [] : metricFindings(metric, [...path, 'metric'], chosen))]
}

function windowFindings(window: unknown, path: Path): readonly Finding[] {
  if (typeof window === 'string') return rollingFindings(window, path)
  if (!isMapping(window)) return [must(path, windowWords)]
  if (Object.hasOwn(window, 'rolling')) {
    const structure = entryFindings(RollingEntry, window, path, {
      names: ['calendar', 'timezone'],
      why: 'a rolling window has only a length',
    })
    const { rolling } = withoutFaults(window, structure, path.length) as Partial<Static<typeof RollingEntry>>
    return [...structure, ...(rolling === undefined ? [] : rollingFindings(rolling, [...path, 'rolling']))]
  }
  const structure = structureFindings(CalendarEntry, window, path)
  const { timezone } = withoutFaults(window, structure, path.length) as Partial<Static<typeof CalendarEntry>>
  return [...structure, ...zoneFindings(timezone, [...path, 'timezone'])]
}

function rollingFindings(duration: string, path: Path): readonly Finding[] {
  const structure = structureFindings(Duration, duration, path)
  if (structure.length > 0) return structure
  const lengthMs = durationMs(duration)
  return lengthMs < shortestMs || lengthMs > longestMs ? [must(path, 'at least 1h and at most 366d')] : []
}

function toObjective(entry: ObjectiveEntry): Objective {
  const { kind, target } = entry
  if (kind === 'latency') return { kind, by: 'runs', target, metric: entry.metric, thresholdMs: entry.thresholdMs }
  return { kind, by: entry.by ?? 'runs', target }
}

function toWindow(entry: WindowEntry): SloWindow {
  if (typeof entry !== 'string' && 'calendar' in entry) return { kind: 'calendar', unit: entry.calendar, zone: zoneOf(entry.timezone) }
  const duration = typeof entry === 'string' ? entry : entry.rolling
  return { kind: 'rolling', duration, durationMs: durationMs(duration) }
}

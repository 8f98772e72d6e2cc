import { dateEnd, dateStart } from '../../calendar/presets.ts'
import type { RepeatedMaintenance } from '../../calendar/repetition.ts'
import { type Recurrence, weekdays } from '../../calendar/schedule.ts'
import { ordinalWeekdays, parseClockTime, parseOrdinalWeekday } from '../../calendar/schedule-text.ts'
import type { Zone } from '../../calendar/zone.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { type Static, type TObject, Type } from '../../schema/typebox.ts'
import { nearest } from '../../text/nearest.ts'
import { dayMs, parseEpoch, parseInstant } from '../../time.ts'
import { closed } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path, pathText } from '../config-file/faults.ts'
import { withoutFaults } from '../config-file/structure.ts'
import {
  entryFindings,
  type Lookup,
  Name,
  type PolicyEntry,
  StartTime,
  selectionFields,
  selectionFindings,
  selectionOf,
  TimeZone,
  zoneFindings,
  zoneOf,
} from './fields.ts'
import type { MaintenancePolicy } from './policies.ts'

const instantWords = 'a time such as 2026-11-20T22:00:00+01:00, or a date'
const Instant = Type.Union([Type.String(), Type.Number()], { description: instantWords })
const monthDayWords = 'a day of the month from 1 to 31, or one such as first sunday or last fri'
const MonthDay = Type.Union([Type.Integer({ minimum: 1, maximum: 31 }), Type.String()], { description: monthDayWords })
const WeekDays = Type.Array(Type.Enum(weekdays), { minItems: 1, uniqueItems: true })

const commonFields = { name: Name, timezone: Type.Optional(TimeZone), ...selectionFields }
const OneTime = Type.Object({ ...commonFields, from: Instant, to: Instant }, closed)
const Repeat = Type.Object(
  {
    every: Type.Enum(['day', 'week', 'month']),
    interval: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    until: Type.Optional(Instant),
  },
  closed,
)
const Repeated = Type.Object({ ...OneTime.properties, repeat: Repeat }, closed)
const recurringFields = { ...commonFields, every: Type.Enum(['day', 'week', 'month']), at: StartTime, for: Duration }
const Daily = Type.Object(recurringFields, closed)
const Weekly = Type.Object({ ...recurringFields, on: WeekDays }, closed)
const Monthly = Type.Object({ ...recurringFields, on: MonthDay }, closed)
/** For an `every` that is missing or unknown. */
const Recurring = Type.Object({ ...recurringFields, on: Type.Optional(Type.Unknown()) }, closed)

export const AnyMaintenance = Type.Union([OneTime, Repeated, Daily, Weekly, Monthly])

type OneTimeEntry = Static<typeof OneTime>
type RepeatedEntry = Static<typeof Repeated>
type RecurringEntry = Static<typeof Recurring>
type MaintenanceEntry = OneTimeEntry | RepeatedEntry | RecurringEntry

const longestMs = 31 * dayMs

export function maintenanceFindings(entry: PolicyEntry, path: Path, checkId: Lookup): readonly Finding[] {
  const { schema, ...misplaced } = variantOf(entry)
  const structure = entryFindings(schema, entry, path, misplaced)
  const valid = withoutFaults(entry, structure, path.length) as Partial<RepeatedEntry & RecurringEntry>
  const zoneFaults = zoneFindings(valid.timezone, [...path, 'timezone'])
  return [
    ...structure,
    ...zoneFaults,
    ...selectionFindings(valid.checks, path, checkId),
    ...('from' in schema.properties && zoneFaults.length === 0 ? intervalFindings(valid, path) : []),
    ...(schema === Repeated && zoneFaults.length === 0 ? repeatFindings(valid, path) : []),
    ...(valid.for !== undefined && durationMs(valid.for) > longestMs ? [must([...path, 'for'], 'at most 31d')] : []),
    ...(schema === Monthly && typeof valid.on === 'string' ? monthDayFindings(valid.on, [...path, 'on']) : []),
  ]
}

export function toMaintenance(entry: MaintenanceEntry): MaintenancePolicy {
  const zone = zoneOf(entry.timezone)
  const named = { name: entry.name, ...selectionOf(entry) }
  if (!('every' in entry)) {
    const span = { from: instantOf(entry.from, 'from', zone) ?? 0, to: instantOf(entry.to, 'to', zone) ?? 0 }
    return 'repeat' in entry ? { ...named, ...span, repeat: repetitionOf(entry.repeat, zone), zone } : { ...named, ...span }
  }
  return { ...named, ...recurrenceOf(entry), atMinutes: parseClockTime(entry.at) ?? 0, forMs: durationMs(entry.for), zone }
}

type Variant = { readonly schema: TObject; readonly names: readonly string[]; readonly why: string }

function variantOf(entry: PolicyEntry): Variant {
  const has = (...names: readonly string[]) => names.some((name) => Object.hasOwn(entry, name))
  const recurs = has('every') || (!has('from', 'to') && has('on', 'at', 'for'))
  if (!recurs && has('repeat')) return { schema: Repeated, names: ['on', 'at', 'for'], why: 'a maintenance that repeats has from and to' }
  if (!recurs) return { schema: OneTime, names: ['on', 'at', 'for'], why: 'without every, a maintenance has only from and to' }
  const clock = { names: ['from', 'to', 'repeat'], why: 'a maintenance that recurs has at and for' }
  if (entry.every === 'day') return { schema: Daily, names: ['from', 'to', 'repeat', 'on'], why: 'a daily maintenance has only at and for' }
  if (entry.every === 'week') return { schema: Weekly, ...clock }
  return { schema: entry.every === 'month' ? Monthly : Recurring, ...clock }
}

function intervalFindings(entry: Partial<OneTimeEntry>, path: Path): readonly Finding[] {
  const zone = zoneOf(entry.timezone)
  const edges = (['from', 'to'] as const).map((edge) => ({ edge, text: entry[edge], instant: instantOf(entry[edge], edge, zone) }))
  const unreadable = edges.filter(({ text, instant }) => text !== undefined && instant === undefined)
  const [from, to] = edges.map(({ instant }) => instant)
  const reversed = from !== undefined && to !== undefined && to <= from
  return [
    ...unreadable.map(({ edge }) => must([...path, edge], instantWords)),
    ...(reversed ? [must([...path, 'to'], `later than ${pathText([...path, 'from'])}`)] : []),
  ]
}

function repeatFindings(entry: Partial<RepeatedEntry>, path: Path): readonly Finding[] {
  const zone = zoneOf(entry.timezone)
  const [from, to] = [instantOf(entry.from, 'from', zone), instantOf(entry.to, 'to', zone)]
  const until = entry.repeat?.until
  return [
    ...(from !== undefined && to !== undefined && to - from > longestMs ? [must([...path, 'to'], 'at most 31 days later')] : []),
    ...(until !== undefined && instantOf(until, 'to', zone) === undefined ? [must([...path, 'repeat', 'until'], instantWords)] : []),
  ]
}

function repetitionOf({ every, interval, until }: RepeatedEntry['repeat'], zone: Zone): RepeatedMaintenance['repeat'] {
  return { unit: every, interval: interval ?? 1, until: instantOf(until, 'to', zone) ?? null }
}

function monthDayFindings(on: string, path: Path): readonly Finding[] {
  if (parseOrdinalWeekday(on)) return []
  return [must(path, `${monthDayWords}; did you mean ${nearest(on, ordinalWeekdays, 1).join()}?`)]
}

/** A date is its first instant, or as `to` the first instant after it. */
export function instantOf(value: string | number | undefined, edge: 'from' | 'to', zone: Zone): number | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  if (edge === 'from') return dateStart(text, zone) ?? parseEpoch(text) ?? parseInstant(text)
  const lastMs = dateEnd(text, zone)
  return lastMs === undefined ? (parseEpoch(text) ?? parseInstant(text)) : lastMs + 1
}

/** `on` was validated against `every` by the findings. */
function recurrenceOf({ every, on }: RecurringEntry): Recurrence {
  if (every === 'day') return { every }
  if (every === 'week') return { every, on: on as Static<typeof WeekDays> }
  const day = on as Static<typeof MonthDay>
  return { every, on: typeof day === 'number' ? day : (parseOrdinalWeekday(day) ?? 1) }
}

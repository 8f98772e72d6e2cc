import { segmentAt } from '../../../calendar/offsets.ts'
import { weekdays } from '../../../calendar/schedule.ts'
import { findZone } from '../../../calendar/zone.ts'
import { minutesText } from '../../../http/output/policy-definitions.ts'
import { parsedJson } from '../../../text/parsed-json.ts'
import { dayMs, isoText, minuteMs, parseInstant } from '../../../time.ts'
import type { ConfigEntry, ConversionDraft } from '../draft.ts'
import { configDuration } from '../durations.ts'
import { fieldsOf, type InputFields, numberOf, plainText, unreadLines } from '../fields.ts'
import { literalText } from '../written-text.ts'
import type { KumaDatabase, KumaRow } from './database.ts'
import type { ConvertedMonitors } from './monitors.ts'
import type { KumaSettings } from './settings.ts'

type MaintenanceContext = { readonly ids: ConvertedMonitors; readonly settings: KumaSettings }

/** The occurrences of a maintenance, one config entry each, or why there are none. */
type Times = readonly ConfigEntry[] | { readonly leftOut: string }

export function convertMaintenance(database: KumaDatabase, draft: ConversionDraft, { ids, settings }: MaintenanceContext): void {
  const monitors = new Map<number, number[]>()
  for (const { monitor_id, maintenance_id } of database.all('monitor_maintenance')) {
    const id = numberOf(maintenance_id) ?? -1
    monitors.set(id, [...(monitors.get(id) ?? []), numberOf(monitor_id) ?? -1])
  }
  for (const row of database.all('maintenance')) {
    const chosen = monitors.get(numberOf(row.id) ?? -1) ?? []
    const all = chosen.flatMap((monitor) => [monitor, ...(ids.below.get(monitor) ?? [])])
    const checks = [...new Set(all.flatMap((monitor) => ids.checks.get(monitor) ?? []))]
    oneMaintenance(row, draft, { checks, settings })
  }
}

function oneMaintenance(
  row: KumaRow,
  draft: ConversionDraft,
  { checks, settings }: { readonly checks: readonly string[]; readonly settings: KumaSettings },
): void {
  const fields = fieldsOf(row, { weekdays: '[]', days_of_month: '[]' })
  fields.skip(
    'id',
    'position',
    'user_id',
    'title',
    'strategy',
    'active',
    'last_start_date',
    'cron',
    'duration',
    'weekdays',
    'days_of_month',
    'interval_day',
    'start_time',
    'end_time',
    'timezone',
  )
  const name = plainText(row.title).slice(0, 200) || 'Maintenance'
  const item = `maintenance ${name}`
  const zone = plainText(row.timezone)
  const timezone = zone === '' || zone === 'SAME_AS_SERVER' ? settings.timezone : zone
  const times = timesOf(fields, timezone)
  const leftOut = (why: string) => draft.leftOut(item, why)
  if (numberOf(row.active) === 0) leftOut('It is disabled.')
  else if ('leftOut' in times) leftOut(times.leftOut)
  else if (checks.length === 0) leftOut('None of its monitors was converted.')
  else {
    for (const time of times) draft.addMaintenance(item, { name: literalText(name), ...time, checks })
    draft.report(
      ...unreadLines(fields, item, {
        description: 'Maintenances do not support descriptions.',
        start_date: untilReason,
        end_date: untilReason,
      }),
    )
  }
}

const untilReason = 'Ignored: a recurring maintenance has a last day only together with a first day.'

function timesOf(fields: InputFields, timezone: string): Times {
  const strategy = fields.text('strategy')
  if (strategy === 'manual') return { leftOut: 'It is started manually: silence checks with tidemark alert silence.' }
  if (strategy === 'single') {
    const [from, to] = [localInstant(fields.text('start_date'), timezone), localInstant(fields.text('end_date'), timezone)]
    return from === null || to === null ? { leftOut: 'Its start and end cannot be read.' } : [{ from, to }]
  }
  const recurrence =
    strategy === 'cron' ? cronRecurrence(fields.text('cron'), fields.number('duration') ?? 0) : strategyRecurrence(strategy, fields)
  if ('leftOut' in recurrence) return recurrence
  const [first] = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.exec(plainText(fields.take('start_date'))) ?? []
  if (first === undefined) return plainTimes(recurrence, timezone)
  return repeatedTimes(recurrence, { first, begin: fields.text('start_date'), end: fields.text('end_date'), timezone })
}

/** Recurs every `interval` days, on weekdays (Monday is 0) or on days of the month. */
type Recurrence = {
  readonly every: 'day' | 'week' | 'month'
  readonly on: readonly number[]
  readonly interval: number
  /** Minutes after midnight. */
  readonly at: number
  readonly forMs: number
}
type Found = Recurrence | { readonly leftOut: string }

function strategyRecurrence(strategy: string, fields: InputFields): Found {
  const clock = clockOf(fields)
  if (clock === null) return { leftOut: 'Its start and end cannot be read.' }
  if (strategy === 'recurring-interval') return { every: 'day', on: [], interval: fields.number('interval_day') ?? 1, ...clock }
  const listed = (name: string) => {
    const list = parsedJson(fields.text(name) || '[]')
    return Array.isArray(list) ? list : []
  }
  if (strategy === 'recurring-weekday') {
    const on = listed('weekdays').flatMap((day) => weekdayOf(numberOf(day) ?? -1))
    return on.length === 0 ? { leftOut: 'It has no weekdays.' } : { every: 'week', on: [...new Set(on)], interval: 1, ...clock }
  }
  if (strategy !== 'recurring-day-of-month') return { leftOut: `${strategy || 'it'} has no equivalent.` }
  const days = listed('days_of_month').map(numberOf)
  if (days.length === 0) return { leftOut: 'It has no days.' }
  const on = days.flatMap((day) => day ?? [])
  if (on.length < days.length) return { leftOut: 'Its days are counted from the end of a month.' }
  return { every: 'month', on, interval: 1, ...clock }
}

/** Sunday is 0, and also 7 in crontabs. */
const weekdayOf = (number: number) => (Number.isInteger(number) && number >= 0 && number <= 7 ? [(number + 6) % 7] : [])

/** Parses a window such as `02:00` to `03:30`, which may span midnight. */
function clockOf(fields: InputFields): Pick<Recurrence, 'at' | 'forMs'> | null {
  const minutes = (text: string): number | null => {
    const [, hour, minute] = /^([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?$/.exec(text) ?? []
    return hour === undefined || Number(hour) > 23 || Number(minute) > 59 ? null : Number(hour) * 60 + Number(minute)
  }
  const [from, to] = [minutes(fields.text('start_time')), minutes(fields.text('end_time'))]
  if (from === null || to === null || from === to) return null
  return { at: from, forMs: ((to - from + 1440) % 1440) * minuteMs }
}

/** Supports crontabs with one time per day, on all days, on weekdays or on a day of the month. */
function cronRecurrence(cron: string, durationS: number): Found {
  const [, minute, hour, day = '', weekday = ''] =
    /^\s*([0-9]{1,2})\s+([0-9]{1,2})\s+(\*|[0-9]{1,2})\s+\*\s+(\*|[0-7](?:,[0-7])*)\s*$/.exec(cron) ?? []
  const isBoth = day !== '*' && weekday !== '*'
  if (minute === undefined || Number(hour) > 23 || Number(minute) > 59 || isBoth || durationS <= 0)
    return { leftOut: `Its schedule ${cron || 'is missing and'} is not one time on every day, on weekdays or on a day of the month.` }
  const clock = { interval: 1, at: Number(hour) * 60 + Number(minute), forMs: durationS * 1000 }
  if (day !== '*') return { every: 'month', on: [Number(day)], ...clock }
  if (weekday === '*') return { every: 'day', on: [], ...clock }
  return { every: 'week', on: [...new Set(weekday.split(',').flatMap((number) => weekdayOf(Number(number))))], ...clock }
}

/** Without a first day there is nothing to count an interval from. */
function plainTimes({ every, on, interval, at, forMs }: Recurrence, timezone: string): Times {
  const clock = { at: minutesText(at), for: configDuration(forMs), timezone }
  if (every === 'month') return on.map((day) => ({ every, on: day, ...clock }))
  if (every === 'week') return [{ every, on: on.flatMap((day) => weekdays[day] ?? []), ...clock }]
  return interval === 1 ? [{ every, ...clock }] : { leftOut: `It is every ${interval} days, and has no start day.` }
}

type DateRange = { readonly first: string; readonly begin: string; readonly end: string; readonly timezone: string }

/** Repeats from a first day: one entry for each weekday or day of the month. */
function repeatedTimes({ every, on, interval, at, forMs }: Recurrence, { first, begin, end, timezone }: DateRange): Times {
  if (!Number.isInteger(interval) || interval < 1 || interval > 100)
    return { leftOut: `It is every ${interval} days: 1 to 100 days are supported.` }
  const [firstDay, beginning, until] = [Date.parse(first), localInstant(begin, timezone), end === '' ? null : localInstant(end, timezone)]
  if (!Number.isFinite(firstDay) || beginning === null || (end !== '' && until === null))
    return { leftOut: 'Its first and last day cannot be read.' }
  const isOn = (date: Date, day: number) => (every === 'week' ? (date.getUTCDay() + 6) % 7 === day : date.getUTCDate() === day)
  const starts = (on.length === 0 ? [null] : on).flatMap((day) => {
    for (let date = firstDay; date < firstDay + 62 * dayMs; date += dayMs) {
      const from = localInstant(`${isoText(date).slice(0, 10)} ${minutesText(at)}:00`, timezone)
      // Kuma counts days from the first one, regardless of its time.
      if (from !== null && (day === null || (isOn(new Date(date), day) && from >= beginning))) return [from]
    }
    return []
  })
  const begun = starts.filter((from) => until === null || from < until)
  if (begun.length === 0) return { leftOut: 'It ends before it starts.' }
  return begun.map((from) => ({
    from,
    to: isoText(Date.parse(from) + forMs),
    repeat: { every, interval, ...(until !== null && { until }) },
    timezone,
  }))
}

/** The instant of a local time such as `2026-11-20 22:00:00`, as ISO 8601. Null if it is invalid. */
function localInstant(text: string, zoneName: string): string | null {
  const zone = findZone(zoneName)
  const local = parseInstant(
    `${text
      .trim()
      .replace(' ', 'T')
      .replace(/(Z|[+-][0-9]{2}:?[0-9]{2})$/, '')}Z`,
  )
  if (!zone || local === undefined) return null
  const near = local - segmentAt(zone, local).offsetMs
  return isoText(local - segmentAt(zone, near).offsetMs)
}

import { segmentAt } from '../../../calendar/offsets.ts'
import { weekdays } from '../../../calendar/schedule.ts'
import { findZone } from '../../../calendar/zone.ts'
import { isoText, parseInstant } from '../../../time.ts'
import type { ConfigEntry, ConversionDraft } from '../draft.ts'
import { configDuration } from '../durations.ts'
import { fieldsOf, type InputFields, numberOf, plainText, unreadLines } from '../fields.ts'
import { literalText } from '../written-text.ts'
import type { KumaDatabase, KumaRow } from './database.ts'
import type { ConvertedMonitors } from './monitors.ts'
import { type KumaSettings, parsedJson } from './settings.ts'

type Surroundings = { readonly ids: ConvertedMonitors; readonly settings: KumaSettings }

/** When a maintenance takes place: one entry of the config file for each, or why there is none. */
type Times = readonly ConfigEntry[] | { readonly leftOut: string }

export function convertMaintenance(database: KumaDatabase, draft: ConversionDraft, { ids, settings }: Surroundings): void {
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
  const leftOut = (why: string) => draft.report({ item, field: null, outcome: 'left out', why })
  if (numberOf(row.active) === 0) leftOut('It is switched off.')
  else if ('leftOut' in times) leftOut(times.leftOut)
  else if (checks.length === 0) leftOut('It is for no monitor that came over.')
  else {
    for (const time of times) draft.addMaintenance(item, { name: literalText(name), ...time, checks })
    draft.report(
      ...unreadLines(fields, item, { description: 'A maintenance has no description.', start_date: untilReason, end_date: untilReason }),
    )
  }
}

const untilReason = 'A maintenance that recurs has no first and last day.'

function timesOf(fields: InputFields, timezone: string): Times {
  const strategy = fields.text('strategy')
  if (strategy === 'manual') return { leftOut: 'It is switched on by hand: silence checks with tidemark alert silence.' }
  if (strategy === 'single') {
    const [from, to] = [localInstant(fields.text('start_date'), timezone), localInstant(fields.text('end_date'), timezone)]
    return from === null || to === null ? { leftOut: 'Its start and end cannot be read.' } : [{ from, to }]
  }
  if (strategy === 'cron') return cronTimes(fields.text('cron'), fields.number('duration') ?? 0, timezone)
  const clock = clockOf(fields)
  if (clock === null) return { leftOut: 'Its start and end cannot be read.' }
  return recurringTimes(strategy, fields, { ...clock, timezone })
}

function recurringTimes(strategy: string, fields: InputFields, clock: ConfigEntry): Times {
  if (strategy === 'recurring-interval') {
    const every = fields.number('interval_day') ?? 1
    return every === 1 ? [{ every: 'day', ...clock }] : { leftOut: `It is every ${every} days: only every day, week and month come over.` }
  }
  const days = (name: string) => {
    const list = parsedJson(fields.text(name) || '[]')
    return Array.isArray(list) ? list : []
  }
  if (strategy === 'recurring-weekday') {
    const on = days('weekdays').flatMap((day) => weekdays[((numberOf(day) ?? -1) + 6) % 7] ?? [])
    return on.length === 0 ? { leftOut: 'It has no weekdays.' } : [{ every: 'week', on: [...new Set(on)], ...clock }]
  }
  if (strategy !== 'recurring-day-of-month') return { leftOut: `There is nothing like ${strategy || 'it'}.` }
  const chosen = days('days_of_month')
  if (chosen.length === 0) return { leftOut: 'It has no days.' }
  if (!chosen.every((day) => numberOf(day) !== null)) return { leftOut: 'It is on days that are counted from the end of a month.' }
  return chosen.map((day) => ({ every: 'month', on: numberOf(day), ...clock }))
}

/** From `02:00` to `03:30`, also over midnight. */
function clockOf(fields: InputFields): ConfigEntry | null {
  const minutes = (text: string): number | null => {
    const [, hour, minute] = /^([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?$/.exec(text) ?? []
    return hour === undefined || Number(hour) > 23 || Number(minute) > 59 ? null : Number(hour) * 60 + Number(minute)
  }
  const [from, to] = [minutes(fields.text('start_time')), minutes(fields.text('end_time'))]
  if (from === null || to === null || from === to) return null
  return { at: clockText(from), for: configDuration(((to - from + 1440) % 1440) * 60_000) }
}

const clockText = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** Those crontabs that are a day, weekdays or a day of the month at one time. */
function cronTimes(cron: string, durationS: number, timezone: string): Times {
  const [, minute, hour, day = '', weekday = ''] =
    /^\s*([0-9]{1,2})\s+([0-9]{1,2})\s+(\*|[0-9]{1,2})\s+\*\s+(\*|[0-7](?:,[0-7])*)\s*$/.exec(cron) ?? []
  const isBoth = day !== '*' && weekday !== '*'
  if (minute === undefined || Number(hour) > 23 || Number(minute) > 59 || isBoth || durationS <= 0)
    return { leftOut: `Its schedule ${cron || 'is missing and'} is not one time of every day, of weekdays or of a day of the month.` }
  const clock = { at: clockText(Number(hour) * 60 + Number(minute)), for: configDuration(durationS * 1000), timezone }
  if (day !== '*') return [{ every: 'month', on: Number(day), ...clock }]
  if (weekday === '*') return [{ every: 'day', ...clock }]
  const on = weekday.split(',').flatMap((number) => weekdays[(Number(number) + 6) % 7] ?? [])
  return [{ every: 'week', on: [...new Set(on)], ...clock }]
}

/** The instant of a date and a clock time such as `2026-11-20 22:00:00` in a zone, as ISO 8601; null where it is none. */
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

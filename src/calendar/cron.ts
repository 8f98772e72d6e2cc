import { memoize } from '../cache/cache.ts'
import { dayMs, minuteMs } from '../time.ts'
import { type LocalDay, localDays } from './local-days.ts'
import { findZone, utc, type Zone } from './zone.ts'

/** When a job is due: five fields as in a crontab, in a time zone. */
export type CronSchedule = { readonly schedule: string; readonly timezone: string }

type Cron = {
  /** Minutes after midnight, ascending. */
  readonly times: readonly number[]
  readonly isDay: (date: Date) => boolean
}

const aliases = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const cronFields = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, names: months },
  { name: 'day of the week', least: 0, most: 7, names: days },
]

/** Why a text is not a valid schedule, as a predicate (`must …`); null if it is valid. */
export function cronFault(schedule: string): string | null {
  const cron = parseCron(schedule)
  if (cron !== null) return longestDays(cron) === null ? 'must be due at least once a year' : null
  const fields = fieldsOf(schedule)
  const wrong = fields.length === 5 ? cronFields.find((field, i) => !valuesOf(fields[i] ?? '', field)) : undefined
  if (!wrong) return 'must have the five fields of a crontab, such as 0 3 * * *'
  return `must have a ${wrong.name} of ${wrong.least} to ${wrong.most}, with lists (1,5), ranges (1-5) and steps (*/5)`
}

const parsed = memoize<Cron | null>(1000)

function parseCron(schedule: string): Cron | null {
  return parsed(schedule, () => newCron(schedule))
}

function newCron(schedule: string): Cron | null {
  const fields = fieldsOf(schedule)
  if (fields.length !== 5 || schedule.length > 200) return null
  const [, , day = '', , weekday = ''] = fields
  const [minutes, hours, ofMonth, inMonths, ofWeek] = cronFields.map((field, i) => valuesOf(fields[i] ?? '', field))
  if (!minutes || !hours || !ofMonth || !inMonths || !ofWeek) return null
  const isWeekday = (date: Date) => ofWeek.has(date.getUTCDay()) || (date.getUTCDay() === 0 && ofWeek.has(7))
  // As in crond: if both day fields are restricted, either may match.
  const either = !day.startsWith('*') && !weekday.startsWith('*')
  const isDay = (date: Date) => {
    const [one, other] = [ofMonth.has(date.getUTCDate()), isWeekday(date)]
    return inMonths.has(date.getUTCMonth() + 1) && (either ? one || other : one && other)
  }
  const times = [...hours].flatMap((h) => [...minutes].map((m) => h * 60 + m)).sort((a, b) => a - b)
  return { times, isDay }
}

function fieldsOf(schedule: string): readonly string[] {
  return (aliases.get(schedule.trim().toLowerCase()) ?? schedule).trim().toLowerCase().split(/\s+/)
}

type CronField = { readonly least: number; readonly most: number; readonly names?: readonly string[] }

/** The values of a field such as `1-5`, `*\/15`, `mon,wed` or `10-50/20`; null if it is invalid. */
function valuesOf(field: string, { least, most, names = [] }: CronField): ReadonlySet<number> | null {
  const values = new Set<number>()
  const numberOf = (text: string) => {
    const named = names.indexOf(text)
    return named < 0 ? (/^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN) : named + (least === 1 ? 1 : 0)
  }
  for (const part of field.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/([1-9][0-9]?))?$/.exec(part) ?? []
    const [from = '', to] = range === '*' ? [String(least), String(most)] : range.split('-')
    const [first, last] = [numberOf(from), to === undefined ? (step === undefined ? numberOf(from) : most) : numberOf(to)]
    if (!(first >= least && last <= most && first <= last) || range.split('-').length > 2) return null
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value)
  }
  return values
}

const yearDays = 366

/** The longest gap between due days, in days; null if it may exceed a year. */
function longestDays({ isDay, times }: Cron): number | null {
  let [last, longest] = [-1, 0]
  const start = Date.UTC(2026, 0, 1)
  for (let day = 0; day < 3 * yearDays; day++) {
    if (!isDay(new Date(start + day * dayMs))) continue
    longest = Math.max(longest, day - last)
    last = day
  }
  const isFound = last >= 2 * yearDays - 1 && times.length > 0
  return isFound && longest <= yearDays ? longest : null
}

/** The longest time between two due times, without clock changes. */
export function longestPeriodMs({ schedule }: CronSchedule): number {
  return periods(schedule, () => newPeriod(schedule))
}

const periods = memoize<number>(1000)

function newPeriod(schedule: string): number {
  const cron = parseCron(schedule)
  const gapDays = cron && longestDays(cron)
  if (!cron || gapDays === null) return dayMs
  const { times } = cron
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const within = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  return Math.max(...within, gapDays * 1440 - last + first) * minuteMs
}

const nextTimes = memoize<number>(10_000)

/** The first due time after `after`. */
export function nextDue({ schedule, timezone }: CronSchedule, after: number): number {
  return nextTimes(JSON.stringify([schedule, timezone, after]), () => searchNext(schedule, timezone, after))
}

/** Local days by zone, first day and count; shared by all schedules of a zone. */
const someDays = memoize<readonly LocalDay[]>(1000)

function daysFrom(zone: Zone, day: number, count: number): readonly LocalDay[] {
  const window = { from: day * dayMs, to: (day + count) * dayMs }
  return someDays(`${zone.name} ${day} ${count}`, () => localDays(zone, window))
}

/** Starts with few days: most jobs are due every day. */
function searchNext(schedule: string, timezone: string, after: number): number {
  const [cron, zone] = [parseCron(schedule), findZone(timezone) ?? utc]
  const last = after + 2 * yearDays * dayMs
  for (let day = Math.floor(after / dayMs) - 1, count = 3; cron && day * dayMs < last; day += count, count = Math.min(2 * count, 50))
    for (const local of daysFrom(zone, day, count)) {
      const due = local.at(1440) > after && cron.isDay(local.date) ? firstAfter(after, local, cron.times) : null
      if (due !== null) return due
    }
  return after + yearDays * dayMs
}

/** Compares all times: if clocks skip an hour, its times move behind later ones. */
function firstAfter(after: number, day: LocalDay, times: readonly number[]): number | null {
  let first: number | null = null
  for (const time of times) {
    const at = day.at(time)
    if (at > after && (first === null || at < first)) first = at
  }
  return first
}

import fc from 'fast-check'

/** Zones with every kind of oddity: half-hour and quarter-hour offsets, changes at midnight, half-hour DST, skipped days, Ramadan. */
export const oddZones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'America/Sao_Paulo',
  'America/Noronha',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Pacific/Chatham',
  'America/St_Johns',
  'Antarctica/Troll',
  'Antarctica/Casey',
] as const

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

/** Local clock time as if it were UTC, computed with Intl only. */
export function naiveLocal(instant: number, zone: string): number {
  const numbers = formatOf(zone).format(instant).match(/\d+/g)?.map(Number) ?? []
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000)
}

/** The first quarter-hour whose local date is `day` (midnight UTC), or a later date if the zone skips that day. */
export function naiveDayStart(day: number, zone: string): number {
  for (let instant = day - 15 * 60 * minuteMs; ; instant += 15 * minuteMs) {
    if (naiveLocal(instant, zone) >= day) return instant
  }
}

/** When clocks first show a time of a date, in steps of a quarter-hour. A skipped time is shifted by the length of the gap. */
export function naiveClock(day: number, minutes: number, zone: string): number {
  const local = day + minutes * minuteMs
  for (let instant = local - 15 * 60 * minuteMs; instant < local + 15 * 60 * minuteMs; instant += 15 * minuteMs) {
    if (naiveLocal(instant, zone) === local) return instant
  }
  const before = local - dayMs
  return local - (naiveLocal(before, zone) - before)
}

export type NaiveUnit = 'day' | 'week' | 'month'

/** The last start of a unit at or before an instant. Counts dates back until one starts the unit and has begun. */
export function naiveStartOf(unit: NaiveUnit, instant: number, zone: string): number {
  for (let day = dateOf(instant + 2 * dayMs); ; day -= dayMs) {
    if (!isFirst(unit, new Date(day))) continue
    const start = naiveDayStart(day, zone)
    if (start <= instant) return start
  }
}

/** The first start of a unit after an instant. */
export function naiveStartAfter(unit: NaiveUnit, instant: number, zone: string): number {
  for (let day = dateOf(instant - 2 * dayMs); ; day += dayMs) {
    if (!isFirst(unit, new Date(day))) continue
    const start = naiveDayStart(day, zone)
    if (start > instant) return start
  }
}

/** Minutes, or a unit. A week or day in minutes equals that unit. */
type NaiveInterval = number | NaiveUnit

/** The unit that the interval equals or subdivides. */
export function unitOf(interval: NaiveInterval): NaiveUnit {
  if (typeof interval === 'string') return interval
  return interval === 7 * 1440 ? 'week' : 'day'
}

export type NaiveBucket = { readonly start: number; readonly end: number }

/** The bucket of an instant. Counts up from the start of its unit. */
export function naiveBucket(interval: NaiveInterval, instant: number, zone: string): NaiveBucket {
  let start = naiveStartOf(unitOf(interval), instant, zone)
  const unitEnd = naiveStartAfter(unitOf(interval), instant, zone)
  if (typeof interval === 'string' || interval >= 1440) return { start, end: unitEnd }
  while (start + interval * minuteMs <= instant) start += interval * minuteMs
  return { start, end: Math.min(start + interval * minuteMs, unitEnd) }
}

/** Instants, half of them close to a change of the zone's offset. */
export function arbitraryInstant(zone: string): fc.Arbitrary<number> {
  const anywhere = fc.integer({ min: firstDay, max: lastDay })
  const changes = samplesAfterChanges(zone)
  if (changes.length === 0) return anywhere
  const nearby = fc.integer({ min: -(sampleDays + 2) * dayMs, max: 2 * dayMs })
  return fc.oneof(
    anywhere,
    fc.tuple(fc.constantFrom(...changes), nearby).map(([change, ms]) => change + ms),
  )
}

const firstDay = Date.UTC(1970, 0, 10)
const lastDay = Date.UTC(2040, 0, 1)

const sampleDays = 4

const samplesAfterChanges = memoize((zone: string): readonly number[] => {
  const count = Math.floor((lastDay - firstDay) / (sampleDays * dayMs))
  const samples = Array.from({ length: count }, (_, i) => firstDay + i * sampleDays * dayMs)
  const offsets = samples.map((sample) => naiveLocal(sample, zone) - sample)
  return samples.filter((_, i) => i > 0 && offsets[i] !== offsets[i - 1])
})

function isFirst(unit: NaiveUnit, date: Date): boolean {
  if (unit === 'day') return true
  return unit === 'week' ? date.getUTCDay() === 1 : date.getUTCDate() === 1
}

const dateOf = (instant: number) => Math.floor(instant / dayMs) * dayMs

const formatOf = memoize((zone: string) => {
  const two = '2-digit'
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
})

function memoize<T>(read: (zone: string) => T): (zone: string) => T {
  const known = new Map<string, T>()
  return (zone) => {
    const value = known.get(zone) ?? read(zone)
    known.set(zone, value)
    return value
  }
}

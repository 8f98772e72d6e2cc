const grammar = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,20}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Whether an instant is less than `ms` ago. One in the future is not: the clock was set back after it. */
export const isRecent = (instant: number, ms: number, now: number) => instant <= now && now - instant < ms

/** Days are numbered from 1970-01-01, in UTC. */
export const dayOf = (time: number) => Math.floor(time / dayMs)
export const startOfDay = (day: number) => day * dayMs

/** The date of a day number: `2026-11-14`. */
export const dateText = (day: number) => new Date(startOfDay(day)).toISOString().slice(0, 10)

const firstMilliseconds = 100_000_000_000
/** The last instant with a year of four digits. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The epoch milliseconds of an ISO 8601 timestamp with `Z` or an offset; undefined for anything else, such as 30 February. */
export function parseInstant(text: string): number | undefined {
  if (text.length === 24 && text.startsWith(lastDate.text)) {
    const time = timeOfDay(text)
    if (time !== undefined) return lastDate.start + time
  }
  const match = grammar.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match
  const inRange = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && Number(offsetHours) < 24 && Number(offsetMinutes) < 60
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (!inRange || !isThatDay(date, Number(year), Number(month), Number(day))) return undefined
  if (bounded(date) !== undefined) lastDate = { text: text.slice(0, 11), start: date }
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds(fraction)
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * minuteMs * (sign === '-' ? -1 : 1)
  return bounded(date + time - offset)
}

/** Cache: the date of the last parsed timestamp, such as `2026-11-14T`, since consecutive ones mostly share it. */
let lastDate = { text: ' ', start: 0 }

/** The milliseconds since midnight of a timestamp that ends like `10:00:00.123Z`; undefined for other forms. */
function timeOfDay(text: string): number | undefined {
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  const ms = twoDigits(text, 20) * 10 + (twoDigits(text, 21) % 10)
  const isTime = hour < 24 && minute < 60 && second < 60 && ms < 1000
  const isSeparated = text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58 && text.charCodeAt(19) === 46 && text.charCodeAt(23) === 90
  return isTime && isSeparated ? ((hour * 60 + minute) * 60 + second) * 1000 + ms : undefined
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Midnight UTC of a date such as `2026-10-25`, from 1970 on; undefined if the calendar has no such date. */
export function parseDay(text: string): number | undefined {
  const [, year = 0, month = 0, day = 0] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)?.map(Number) ?? []
  const date = Date.UTC(year, month - 1, day)
  return year >= 1970 && isThatDay(date, year, month, day) ? date : undefined
}

/** An epoch number as clients send it: milliseconds from 100000000000 on, else seconds. Digits beyond the millisecond are truncated. */
export function instantOfNumber(epoch: number): number | undefined {
  if (epoch >= firstMilliseconds) return bounded(Math.floor(epoch))
  const nearest = Math.round(epoch * 1000)
  return bounded(nearest / 1000 > epoch ? nearest - 1 : nearest)
}

/** As `instantOfNumber`, for a text of digits; milliseconds must not have a fraction. */
export function parseEpoch(text: string): number | undefined {
  const match = /^([0-9]{1,15})(?:\.([0-9]{1,20}))?$/.exec(text)
  if (!match) return undefined
  const [, digits, fraction] = match
  const whole = Number(digits)
  if (whole < firstMilliseconds) return whole * 1000 + milliseconds(fraction ?? '')
  return fraction === undefined ? bounded(whole) : undefined
}

const digits = (n: number, length: number) => String(n).padStart(length, '0')
const minutesOfDay = Array.from({ length: 1440 }, (_, n) => `${digits(Math.floor(n / 60), 2)}:${digits(n % 60, 2)}:`)
const seconds = Array.from({ length: 60 }, (_, n) => `${digits(n, 2)}.`)
const thousandths = Array.from({ length: 1000 }, (_, n) => `${digits(n, 3)}Z`)
let lastDay = { number: Number.NaN, text: '' }

/** The ISO 8601 timestamp in UTC of epoch milliseconds; faster than `Date` for consecutive times of the same day. */
export function isoText(time: number): string {
  const number = Math.floor(time / dayMs)
  if (number !== lastDay.number) lastDay = { number, text: new Date(time).toISOString().slice(0, -13) }
  const ms = time - number * dayMs
  const second = Math.floor(ms / 1000)
  return `${lastDay.text}${minutesOfDay[Math.floor(second / 60)]}${seconds[second % 60]}${thousandths[ms % 1000]}`
}

function milliseconds(fraction: string): number {
  return Number(fraction.padEnd(3, '0').slice(0, 3))
}

function isThatDay(date: number, year: number, month: number, day: number): boolean {
  const back = new Date(date)
  return back.getUTCFullYear() === year && back.getUTCMonth() + 1 === month && back.getUTCDate() === day
}

function bounded(instant: number): number | undefined {
  return instant >= 0 && instant <= lastInstant ? instant : undefined
}

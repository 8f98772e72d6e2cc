import { localText } from '../../calendar/local-text.ts'
import { findZone, utc } from '../../calendar/zone.ts'
import type { SheetWindow } from './sheet-schema.ts'

/** Three decimals, rounded down: a sheet never shows more than was attained. */
export function percentText(value: number | null): string {
  if (value === null) return 'no data'
  const text = value.toFixed(12).slice(0, -9)
  return `${Number(text) >= 100 && value < 100 ? '99.999' : text} %`
}

/** Rounded to seconds, in the two or three largest units that matter. */
export function durationInWords(seconds: number): string {
  if (seconds === 0) return '0 s'
  const whole = Math.round(seconds)
  if (whole === 0) return '< 1 s'
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const parts = [hours > 0 ? `${wholeNumber(hours)} h` : '', minutes > 0 ? `${minutes} min` : '', rest > 0 ? `${rest} s` : '']
  return parts.filter((part) => part !== '').join(' ')
}

export function wholeNumber(count: number): string {
  return count.toLocaleString('en-US')
}

/** Local time to the second, with its offset. */
export function sheetTime(timestamp: string, timezone: string): string {
  const local = localText(Date.parse(timestamp), findZone(timezone) ?? utc)
  const [, date, time, offset = ''] = /^(.{10})T(.{8})\.\d{3}(.+)$/.exec(local) ?? []
  return `${date} ${time} ${offset === 'Z' ? 'UTC' : offset}`
}

/** `October 2026`, or start and end. */
export function periodText({ month, from, to, timezone }: SheetWindow): string {
  if (month === null) return `${sheetTime(from, timezone)} to ${sheetTime(to, timezone)}`
  return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(`${month}-15T00:00:00Z`))
}

export function pluralOf(count: number, one: string): string {
  return `${wholeNumber(count)} ${one}${count === 1 ? '' : 's'}`
}

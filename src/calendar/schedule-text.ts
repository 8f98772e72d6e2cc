import { type OrdinalWeekday, ordinals, weekdays } from './schedule.ts'

/** Minutes after midnight of a clock time such as `08:00`, up to `24:00`. */
export function parseClockTime(text: string): number | undefined {
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])$|^24:00$/.exec(text)
  return match ? Number(match[1] ?? 24) * 60 + Number(match[2] ?? 0) : undefined
}

/** A day of the month such as `first sunday` or `last fri`. */
export function parseOrdinalWeekday(text: string): OrdinalWeekday | undefined {
  const [first, second, ...rest] = text.trim().toLowerCase().split(/\s+/)
  const ordinal = ordinals.find((known) => known === first)
  const weekday = weekdays.find((_, i) => second === weekdays[i] || second === weekdayNames[i])
  return ordinal && weekday && rest.length === 0 ? { ordinal, weekday } : undefined
}

const weekdayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** All texts that `parseOrdinalWeekday` accepts, with full names. */
export const ordinalWeekdays: readonly string[] = ordinals.flatMap((ordinal) => weekdayNames.map((name) => `${ordinal} ${name}`))

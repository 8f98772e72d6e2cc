const grammar = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,20}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/
const earliest = 0
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The epoch milliseconds of an ISO 8601 timestamp with `Z` or an offset; undefined for anything else, such as 30 February. */
export function parseInstant(text: string): number | undefined {
  const match = grammar.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match
  const inRange = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && Number(offsetHours) < 24 && Number(offsetMinutes) < 60
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (!inRange || !isThatDay(date, Number(year), Number(month), Number(day))) return undefined
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return bounded(date + time - offset)
}

/** An epoch number as clients send it: milliseconds from 100000000000 on, else seconds. */
export function instantOfNumber(epoch: number): number | undefined {
  return bounded(epoch >= 100_000_000_000 ? Math.floor(epoch) : Math.round(epoch * 1000))
}

function isThatDay(date: number, year: number, month: number, day: number): boolean {
  const back = new Date(date)
  return back.getUTCFullYear() === year && back.getUTCMonth() + 1 === month && back.getUTCDate() === day
}

function bounded(instant: number): number | undefined {
  return instant >= earliest && instant <= latest ? instant : undefined
}

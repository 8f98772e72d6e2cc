import { Type } from '../schema/typebox.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'

const unitMs = { ms: 1, s: 1000, m: minuteMs, h: hourMs, d: dayMs } as const
const grammar = /^([1-9][0-9]{0,8})(ms|s|m|h|d)$/

/** A duration such as `10s`, `5m`, `1h` or `30d`. */
export const Duration = Type.String({ pattern: grammar.source, description: 'a duration such as 10s, 5m, 1h or 30d' })

/** The milliseconds of a text that the schema `Duration` has accepted. */
export function durationMs(text: string): number {
  const match = grammar.exec(text)
  if (!match) throw new RangeError(`${text} is not a duration`)
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}

import { type Rejection, rejection } from './rejections.ts'

/** A row before validation: its index or line, and its value or why it has none. */
export type IncomingRow = { readonly at: number; readonly value: unknown } | { readonly at: number; readonly rejection: Rejection }

/** In characters. */
export const maxRowLength = 262_144

/** One line of NDJSON; null for a blank one. */
export function lineRow(line: string, at: number): IncomingRow | null {
  if (line.length > maxRowLength) return tooLargeRow(at)
  if (/^\s*$/.test(line)) return null
  try {
    return { at, value: JSON.parse(line) }
  } catch {
    return malformedRow(at, 'invalid JSON')
  }
}

export const tooLargeRow = (at: number, limit = `${maxRowLength} characters`): IncomingRow => ({
  at,
  rejection: rejection('ROW_TOO_LARGE', { limit }),
})
export const malformedRow = (at: number, reason: string): IncomingRow => ({ at, rejection: rejection('MALFORMED_ROW', { reason }) })

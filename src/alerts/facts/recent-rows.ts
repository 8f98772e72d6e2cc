import type { ResultRows } from '../../store/timeline/changes.ts'
import { compareText } from '../../text/compare-text.ts'

/** Results of one check, in ascending order of start, then location, then id; columns of equal length. */
export type RecentRows = {
  readonly times: number[]
  /** Codes of locations: indexes of `names`. */
  readonly locations: number[]
  /** 0 up, 1 degraded, 2 down. */
  readonly outcomes: number[]
  /** The order of ids, see `idOrder`. */
  readonly ids: number[]
  readonly names: string[]
}

export type RecentRow = { readonly time: number; readonly location: number; readonly outcome: number; readonly id: number }

export function noRows(): RecentRows {
  return { times: [], locations: [], outcomes: [], ids: [], names: [] }
}

/** A number that sorts like ids, by their first six bytes; results without an id come first. */
export function idOrder(id: string | null): number {
  let order = 0
  for (let i = 0; i < 6; i++) order = order * 256 + Math.min(255, (id ?? '').charCodeAt(i) || 0)
  return order
}

export function locationCode(rows: RecentRows, name: string): number {
  const known = rows.names.indexOf(name)
  return known >= 0 ? known : rows.names.push(name) - 1
}

/** Inserts a row in order; false if it is there already. */
export function insertRow(rows: RecentRows, row: RecentRow): boolean {
  let index = rows.times.length
  while (index > 0 && comparedTo(rows, index - 1, row) > 0) index--
  if (index > 0 && comparedTo(rows, index - 1, row) === 0) return false
  if (index === rows.times.length) append(rows, row)
  else {
    rows.times.splice(index, 0, row.time)
    rows.locations.splice(index, 0, row.location)
    rows.outcomes.splice(index, 0, row.outcome)
    rows.ids.splice(index, 0, row.id)
  }
  return true
}

function append(rows: RecentRows, row: RecentRow): void {
  rows.times.push(row.time)
  rows.locations.push(row.location)
  rows.outcomes.push(row.outcome)
  rows.ids.push(row.id)
}

function comparedTo(rows: RecentRows, index: number, { time, location, id }: RecentRow): number {
  const earlier = (rows.times[index] as number) - time
  if (earlier !== 0) return earlier
  return compareText(nameOf(rows, rows.locations[index] as number), nameOf(rows, location)) || (rows.ids[index] as number) - id
}

const nameOf = ({ names }: RecentRows, location: number) => names[location] as string

/** Drops the rows before an index, except the last of each location, whose state may still hold. */
export function dropBefore(rows: RecentRows, index: number): void {
  const lastOf = new Map<number, number>()
  for (let row = 0; row < index; row++) lastOf.set(rows.locations[row] as number, row)
  const kept = new Set(lastOf.values())
  keepRows(rows, (row) => row >= index || kept.has(row))
}

/** Drops the rows that started later than an instant. */
export function dropAfter(rows: RecentRows, instant: number): void {
  const end = rows.times.findLastIndex((time) => time <= instant) + 1
  keepRows(rows, (row) => row < end)
}

function keepRows(rows: RecentRows, keeps: (row: number) => boolean): void {
  for (const column of [rows.times, rows.locations, rows.outcomes, rows.ids])
    column.splice(0, column.length, ...column.filter((_, row) => keeps(row)))
}

export function resultRows({ times, locations, outcomes }: RecentRows): ResultRows {
  return { times: Float64Array.from(times), locations: Int32Array.from(locations), outcomes: Uint8Array.from(outcomes) }
}

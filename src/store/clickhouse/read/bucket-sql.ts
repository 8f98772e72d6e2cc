import type { CalendarBuckets } from '../../../calendar/bucket-index.ts'
import type { OffsetSegments } from '../../../calendar/local-fields.ts'
import { dayMs, hourMs } from '../../../time.ts'
import { startOfBucket } from '../../kernels/bucket-columns.ts'
import type { Buckets, Window } from '../../store.ts'
import type { StatementParams } from '../connection.ts'
import { boundWindow } from './select-results.ts'

/** An SQL expression with bound values. */
export type BoundSql = { readonly sql: string; readonly params: StatementParams }

/** Sentinel for −∞, the start of the time before a calendar's first edge. */
export const beforeEdges = Number.MIN_SAFE_INTEGER
/** Each branch is part of an expression that is computed for every row. */
const maxBranches = 24

/** The start of a row's bucket, as the kernels compute it; null where the server cannot. */
export function bucketSql(buckets: Buckets, window: Window): BoundSql | null {
  const { from, to } = boundWindow(window)
  if ('edges' in buckets) return calendarSql(buckets, { from, to })
  const [first, ms] = [startOfBucket(from, buckets), buckets.widthMs]
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(ms)) return null
  return { sql: roundedDown('{firstBucket:Int64}', '{bucketMs:Int64}'), params: { firstBucket: first, bucketMs: ms } }
}

/** A run of calendar units of equal length from `first` on; `ms` is null for the last unit, which has no end. */
type Branch = { readonly first: number; readonly ms: number | null }

/** Successive calendar units mostly have the same length, so there are few branches: days, for example, differ only when clocks change. */
function calendarSql(buckets: CalendarBuckets, window: Window): BoundSql | null {
  const { widthMs } = buckets
  const edges = edgesAround(buckets.edges, window)
  const branches = branchesOf(edges, buckets.edges.at(-1))
  if (branches.length === 0 || branches.length > maxBranches || [...edges, widthMs ?? 0].some((ms) => !Number.isSafeInteger(ms)))
    return null
  const from = (i: number) => `{unitFrom:Array(Int64)}[${i + 1}]`
  const startIn = ({ ms }: Branch, i: number) => {
    if (ms === null) return from(i)
    const unit = roundedDown(from(i), `{unitMs:Array(Int64)}[${i + 1}]`)
    return widthMs === null ? unit : roundedDown(`(${unit})`, '{bucketMs:Int64}')
  }
  const cases = branches.map((_, i) => `startedAt < ${from(i)}, ${i === 0 ? beforeEdges : startIn(branches[i - 1] as Branch, i - 1)}`)
  const last = branches.length - 1
  return {
    sql: `multiIf(${cases.join(', ')}, ${startIn(branches[last] as Branch, last)})`,
    params: {
      unitFrom: branches.map(({ first }) => first),
      unitMs: branches.map(({ ms }) => ms ?? 0),
      ...(widthMs !== null && { bucketMs: widthMs }),
    },
  }
}

/** The edges of the units that touch a window. */
function edgesAround(edges: Float64Array, { from, to }: Window): readonly number[] {
  const first = Math.max(
    0,
    edges.findLastIndex((edge) => edge <= from),
  )
  const after = edges.findIndex((edge) => edge > to)
  return [...edges.subarray(first, after < 0 ? edges.length : after + 1)]
}

function branchesOf(edges: readonly number[], lastEdge: number | undefined): readonly Branch[] {
  const branches: Branch[] = []
  for (const [i, first] of edges.entries()) {
    const next = edges[i + 1]
    if (next === undefined && first !== lastEdge) break
    const ms = next === undefined ? null : next - first
    if (branches.at(-1)?.ms !== ms || ms === null) branches.push({ first, ms })
  }
  return branches
}

/** The start of a row's unit, among units of equal length. */
const roundedDown = (first: string, ms: string) => `${first} + intDiv(startedAt - ${first}, ${ms}) * ${ms}`

type TimeField = { readonly by: 'hourOfDay' | 'dayOfWeek'; readonly offsets: OffsetSegments }

/** The local hour or weekday of a row; `place` keeps its parameter names unique. Null where the server cannot compute it. */
export function timeFieldSql({ by, offsets: { starts, offsetsMs } }: TimeField, window: Window, place: number): BoundSql | null {
  const least = Math.min(...offsetsMs)
  // `intDiv` rounds towards zero and the kernels round down, so negative times are left to the kernels.
  if (starts.length > maxBranches || !(window.from + least >= 0)) return null
  const offset = (i: number) => `{offset${place}:Array(Int64)}[${i + 1}]`
  const cases = [...starts.keys()].slice(1).map((i) => `startedAt < {offsetFrom${place}:Array(Int64)}[${i + 1}], ${offset(i - 1)}`)
  const last = offset(starts.length - 1)
  const local = `(startedAt + ${cases.length > 0 ? `multiIf(${cases.join(', ')}, ${last})` : last})`
  return {
    sql: by === 'hourOfDay' ? `modulo(intDiv(${local}, ${hourMs}), 24)` : `modulo(intDiv(${local}, ${dayMs}) + 3, 7) + 1`,
    params: { [`offset${place}`]: [...offsetsMs], ...(cases.length > 0 && { [`offsetFrom${place}`]: [0, ...starts.subarray(1)] }) },
  }
}

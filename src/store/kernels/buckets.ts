/** The buckets of ascending times: the start of each, and the end (not included) of its rows. */
export type Buckets = { readonly starts: readonly number[]; readonly ends: readonly number[] }

/** Buckets are `[originMs + k × widthMs, originMs + (k + 1) × widthMs)`. */
type Grid = { readonly originMs: number; readonly widthMs: number }

export function bucketStart(time: number, { originMs, widthMs }: Grid): number {
  return originMs + Math.floor((time - originMs) / widthMs) * widthMs
}

export function bucketsOf(times: Float64Array, grid: Grid): Buckets {
  const starts: number[] = []
  const ends: number[] = []
  for (let row = 0; row < times.length; row = ends.at(-1) as number) {
    const start = bucketStart(times[row] as number, grid)
    starts.push(start)
    ends.push(firstNotBefore(times, start + grid.widthMs, row))
  }
  return { starts, ends }
}

/** Binary search: the first row, from `first` on, whose time is not before `time`; times are ascending. */
export function firstNotBefore(times: Float64Array, time: number, first = 0): number {
  let low = first
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) < time) low = middle + 1
    else high = middle
  }
  return low
}

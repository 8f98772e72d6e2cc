import type { Stretch } from '../../calendar/stretch.ts'
import type { Runs } from './runs.ts'

/** Ascending times, which can be read one by one. */
export type Times = { readonly count: number; readonly at: (row: number) => number }

/** Runs of rows whose times have the same value; an index points into `values`. */
export type TimeRuns = Runs & { readonly values: readonly number[] }

export function timeRuns(times: Times, stretchAt: (time: number) => Stretch): TimeRuns {
  const indexOf = new Map<number, number>()
  const ends: number[] = []
  const indexes: number[] = []
  for (let row = 0; row < times.count; row = ends.at(-1) as number) {
    const { value, until } = stretchAt(times.at(row))
    const index = indexOf.get(value) ?? indexOf.size
    indexOf.set(value, index)
    ends.push(firstNotBefore(times, until, row + 1))
    indexes.push(index)
  }
  return { ends, indexes, values: [...indexOf.keys()] }
}

/** The first row, from `first` on, that is not before a time. Gallops: it is often near. */
function firstNotBefore({ count, at }: Times, time: number, first: number): number {
  let low = first
  let step = 1
  while (low + step <= count && at(low + step - 1) < time) {
    low += step
    step *= 2
  }
  let high = Math.min(count, low + step - 1)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (at(middle) < time) low = middle + 1
    else high = middle
  }
  return low
}

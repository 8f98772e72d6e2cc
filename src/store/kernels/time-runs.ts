import type { Stretch } from '../../calendar/window.ts'
import { hourMs } from '../../time.ts'
import type { Runs } from './row-indexes.ts'

/** Random access to ascending times. */
export type Times = {
  readonly count: number
  readonly at: (row: number) => number
  /** Present if the hours of the rows are known without reading their times. */
  readonly hours?: (() => HourStarts) | undefined
}

/** The first row of each hour: hour `i` starts at `from + i × hourMs` and has the rows `[starts[i], starts[i + 1])`. */
export type HourStarts = { readonly from: number; readonly starts: readonly number[] }

/** Runs of rows whose times have the same value; an index points into `values`. */
type TimeRuns = Runs & { readonly values: readonly number[] }

export function timeRuns(times: Times, stretchAt: (time: number) => Stretch): TimeRuns {
  const advancing = (time: number) => endsAfter(time, stretchAt(time))
  return (times.hours && runsOfHours(times.hours(), advancing)) ?? runsOfRows(times, advancing)
}

/** Finds the first row of each of `hours` hours, starting with the hour at `from`. */
export function hourStarts(times: Times, from: number, hours: number): HourStarts {
  const starts = [0]
  for (let hour = 1; hour <= hours; hour++) starts.push(gallopTo(times, from + hour * hourMs, starts.at(-1) as number))
  return { from, starts }
}

/** Joins the hours of consecutive ranges of rows, which must not overlap. */
export function joinHours(all: readonly HourStarts[]): HourStarts {
  const from = all[0]?.from ?? 0
  const joined: number[] = []
  let rows = 0
  for (const { from: next, starts } of all) {
    while (joined.length < (next - from) / hourMs) joined.push(rows)
    for (let hour = 0; hour < starts.length - 1; hour++) joined.push(rows + (starts[hour] as number))
    rows += starts.at(-1) as number
  }
  joined.push(rows)
  return { from, starts: joined }
}

function runsOfRows(times: Times, stretchAt: (time: number) => Stretch): TimeRuns {
  const runs = startRuns()
  for (let row = 0; row < times.count; row = runs.end()) {
    const { value, until } = stretchAt(times.at(row))
    runs.add(value, gallopTo(times, until, row + 1))
  }
  return runs.all()
}

/** Prevents an endless loop: a stretch that ends at its own time would be requested again and again. */
function endsAfter(time: number, stretch: Stretch): Stretch {
  if (stretch.until > time) return stretch
  throw new RangeError(`The stretch at ${time} ends at ${stretch.until}, which is not after it`)
}

/** Null if a stretch ends within an hour. */
function runsOfHours({ from, starts }: HourStarts, stretchAt: (time: number) => Stretch): TimeRuns | null {
  const runs = startRuns()
  const last = starts.length - 1
  for (let hour = 0; hour < last; ) {
    const { value, until } = stretchAt(from + hour * hourMs)
    const next = Math.min((until - from) / hourMs, last)
    if (!Number.isInteger(next)) return null
    if ((starts[next] as number) > (starts[hour] as number)) runs.add(value, starts[next] as number)
    hour = next
  }
  return runs.all()
}

function startRuns() {
  const values: number[] = []
  const ends: number[] = []
  const indexes: number[] = []
  let max = Number.NEGATIVE_INFINITY
  /** Values mostly ascend. Only hours and days of the week repeat, and they are few, so a linear search is enough. */
  const indexOf = (value: number): number => {
    const known = value > max ? -1 : values.indexOf(value)
    if (known !== -1) return known
    max = Math.max(max, value)
    return values.push(value) - 1
  }
  return {
    /** Adds a run of this value that ends before the row `end`. */
    add(value: number, end: number): void {
      indexes.push(indexOf(value))
      ends.push(end)
    },
    end: () => ends.at(-1) as number,
    all: (): TimeRuns => ({ ends, indexes, values }),
  }
}

/** Galloping search, from `first` on, for the first row that is not before a time: it is often near. */
export function gallopTo({ count, at }: Times, time: number, first: number): number {
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

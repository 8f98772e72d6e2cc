import type { Row } from '../api/answers.ts'

/** One bar: runs with durations in (`from`, `to`]; the last bar has no end. */
export type SpreadBar = { readonly from: number; readonly to: number | null; readonly count: number }

const bars = 24
const niceSteps = [1, 2, 2.5, 5, 10]

/** Equal steps from zero to slightly above the 99th percentile. Slower runs share one bar. */
export function spreadBounds(p99: number): number[] {
  const end = p99 * 1.1
  if (!(end > 0)) return [1]
  const power = 10 ** Math.floor(Math.log10(end / bars))
  const step = (niceSteps.find((nice) => nice * power * bars >= end) ?? 10) * power
  return Array.from({ length: Math.ceil(end / step) }, (_, index) => Number(((index + 1) * step).toPrecision(12)))
}

/** Drops empty bars at both ends, except one before the first. */
export function spreadBars(rows: readonly Row[]): SpreadBar[] {
  const all = rows.map(({ from, to, count }) => ({ from: Number(from ?? 0), to: to === null ? null : Number(to), count: Number(count) }))
  const first = all.findIndex(({ count }) => count > 0)
  return first < 0 ? [] : all.slice(Math.max(0, first - 1), lastWithRuns(all) + 1)
}

function lastWithRuns(all: readonly SpreadBar[]): number {
  return all.findLastIndex(({ count }) => count > 0)
}

/** Approximate number of labelled bars. */
const labels = 6

/** Whether a bar has a label. The last label gets as much room as the others. */
export function isLabelled(index: number, count: number): boolean {
  const step = Math.ceil(count / labels)
  return index % step === 0 && index + step <= count
}

import type { Aggregation } from '../store.ts'
import { deviation, moments } from './moments.ts'
import { type Numbers, toThousandths } from './numbers.ts'
import { percentiles } from './percentile.ts'

const fractions = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
const plain = ['avg', 'max', 'min', 'stddev', 'sum'] as const
const rounded = ['avg', 'stddev', 'sum'] as const

/** One figure per wanted aggregation; null where there is nothing to aggregate. Reorders `values`, none of which is absent. */
export function summarize(values: Numbers, wanted: readonly Aggregation[]): (number | null)[] {
  if (values.length === 0) return wanted.map(() => null)
  const figures: Partial<Record<Aggregation, number>> = {}
  // Sums come first: they are taken in the order of the results, and percentiles reorder.
  if (plain.some((aggregation) => wanted.includes(aggregation))) {
    const summed = rounded.some((aggregation) => wanted.includes(aggregation)) ? (toThousandths(values) ?? values) : values
    const basic = moments(summed, scaleOf(summed))
    Object.assign(figures, basic)
    if (wanted.includes('stddev')) figures.stddev = deviation(summed, basic, scaleOf(summed))
  }
  const ranked = [...new Set(wanted.flatMap((aggregation) => (aggregation in fractions ? [fractionOf(aggregation)] : [])))].sort(
    (a, b) => a - b,
  )
  const atRank = percentiles(values, ranked, scaleOf(values))
  return wanted.map((aggregation) =>
    aggregation in fractions ? (atRank[ranked.indexOf(fractionOf(aggregation))] as number) : (figures[aggregation] as number),
  )
}

const scaleOf = (values: Numbers) => (values instanceof Int32Array ? 1000 : 1)

const fractionOf = (aggregation: Aggregation) => fractions[aggregation as keyof typeof fractions]

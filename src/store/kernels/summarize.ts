import type { Aggregation, Figure } from '../store.ts'
import { confidenceRanks } from './confidence.ts'
import { deviation, moments } from './moments.ts'
import { type Numbers, toThousandths } from './numbers.ts'
import { valuesAt } from './percentile.ts'

export const percentileFractions = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
const plain = ['avg', 'max', 'min', 'stddev', 'sum'] as const
const rounded = ['avg', 'stddev', 'sum'] as const

/** The figures to compute of one column. */
type Wanted = Pick<Figure, 'aggregation' | 'bound'>

/**
 * Computes figures of the values that it is called with, none of which is absent, and reorders those: one value for each wanted figure,
 * null where there is nothing to aggregate.
 */
export function summarizer(wanted: readonly Wanted[]): (values: Numbers) => readonly (number | null)[] {
  const names = wanted.map(({ aggregation }) => aggregation)
  const sumsOf = plain.some((aggregation) => names.includes(aggregation)) ? summing(names) : () => null
  return (values) => {
    if (values.length === 0) return wanted.map(() => null)
    // Sums come first: they are taken in the order of the results, and percentiles reorder.
    const sums = sumsOf(values)
    const ranks = wanted.map((figure) => rankOf(figure, values.length))
    const ascending = distinctAscending(ranks)
    const ranked = valuesAt(values, ascending, scaleOf(values))
    return wanted.map(({ aggregation }, i) => {
      if (!isPercentile(aggregation)) return sums?.[aggregation] as number
      const rank = ranks[i] as number | null
      return rank === null ? null : (ranked[ascending.indexOf(rank)] as number)
    })
  }
}

function distinctAscending(ranks: readonly (number | null)[]): readonly number[] {
  const found = ranks.filter((rank) => rank !== null)
  return found.length > 1 ? [...new Set(found)].sort((a, b) => a - b) : found
}

const isPercentile = (aggregation: Aggregation): aggregation is keyof typeof percentileFractions => aggregation in percentileFractions

function summing(names: readonly Aggregation[]): (values: Numbers) => Partial<Record<Aggregation, number>> {
  const isRounded = rounded.some((aggregation) => names.includes(aggregation))
  return (values) => {
    const summed = isRounded ? (toThousandths(values) ?? values) : values
    const found = moments(summed, scaleOf(summed))
    return names.includes('stddev') ? { ...found, stddev: deviation(summed, found, scaleOf(summed)) } : found
  }
}

/** The rank, from 0, of a percentile or its bound; null for other figures, or a bound that does not exist. */
function rankOf({ aggregation, bound }: Wanted, count: number): number | null {
  if (!isPercentile(aggregation)) return null
  const fraction = percentileFractions[aggregation]
  return bound ? confidenceRanks(count, fraction, bound.confidence)[bound.side] : fraction * (count - 1)
}

const scaleOf = (values: Numbers) => (values instanceof Int32Array ? 1000 : 1)

import type { Aggregation, Figure } from '../store.ts'
import { confidenceRanks } from './confidence.ts'
import { deviation, moments } from './moments.ts'
import { type Numbers, toThousandths } from './numbers.ts'

export const percentileFractions = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
const plain = ['avg', 'max', 'min', 'stddev', 'sum'] as const
const rounded = ['avg', 'stddev', 'sum'] as const

/** A figure to compute from one column. */
type Wanted = Pick<Figure, 'aggregation' | 'bound'>

/**
 * Returns a function that computes the wanted figures of some values; a figure is null if there is nothing to aggregate. The function
 * reorders the values, and none may be absent.
 */
export function summarizer(wanted: readonly Wanted[]): (values: Numbers) => readonly (number | null)[] {
  const names = wanted.map(({ aggregation }) => aggregation)
  const sumsOf = plain.some((aggregation) => names.includes(aggregation)) ? summing(names) : () => null
  return (values) => {
    if (values.length === 0) return wanted.map(() => null)
    // Sums come first: they depend on the order of the results, and percentiles reorder.
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

/**
 * The values at ascending `ranks`, from 0, each divided by `scale`; a fraction of a rank interpolates linearly between its neighbours.
 * Reorders `values`, which must not be empty or contain absent ones.
 */
export function valuesAt(values: Numbers, ranks: readonly number[], scale = 1): number[] {
  let settled = 0
  return ranks.map((rank) => {
    const low = Math.floor(rank)
    const atLow = select(values, low, settled, values.length - 1) / scale
    settled = low
    if (rank === low) return atLow
    return atLow + (least(values, low + 1) / scale - atLow) * (rank - low)
  })
}

/** A range of at most this many values is sorted. */
const maxSorted = 12
/** Above this many values, the pivot is selected from a sample. */
const maxUnsampled = 600

/** The k-th smallest of `values[first..last]`, which moves to index k: none before it is larger, none after it smaller. */
function select(values: Numbers, k: number, first: number, last: number): number {
  let left = first
  let right = last
  while (right - left >= maxSorted) {
    const pivot = pivotFor(values, k, left, right)
    const isNearEnd = right - left > maxUnsampled && (right - k) * fewBehind < right - left
    const smaller = isNearEnd ? moveRest(values, left, right, pivot) : moveSmaller(values, left, right, pivot)
    if (k < smaller) right = smaller - 1
    else if (smaller > left) left = smaller
    else {
      const larger = moveEqual(values, left, right, pivot)
      // NaN does not equal itself, so nothing moves.
      if (k < larger || larger === left) return pivot
      left = larger
    }
  }
  sort(values, left, right)
  return values[k] as number
}

/** If less than one in this many values of a large range is behind the rank, few values are not smaller than the pivot. */
const fewBehind = 16

/**
 * As `moveSmaller`, for when few values are not smaller than the pivot: moves these to the end. Unrolled by four: the loop costs more than
 * the comparison.
 */
function moveRest(values: Numbers, left: number, right: number, pivot: number): number {
  let start = right + 1
  let i = right
  for (; i >= left + 3; i -= 4) {
    const a = values[i] as number
    const b = values[i - 1] as number
    const c = values[i - 2] as number
    const d = values[i - 3] as number
    if (!(a < pivot)) swap(values, i, --start)
    if (!(b < pivot)) swap(values, i - 1, --start)
    if (!(c < pivot)) swap(values, i - 2, --start)
    if (!(d < pivot)) swap(values, i - 3, --start)
  }
  for (; i >= left; i--) if (!((values[i] as number) < pivot)) swap(values, i, --start)
  return start
}

function swap(values: Numbers, a: number, b: number): void {
  const value = values[a] as number
  values[a] = values[b] as number
  values[b] = value
}

/**
 * Moves values smaller than the pivot before the others; returns where the others start. Branchless, since a branch would often be
 * mispredicted.
 */
function moveSmaller(values: Numbers, left: number, right: number, pivot: number): number {
  let end = left
  for (let i = left; i <= right; i++) {
    const value = values[i] as number
    values[i] = values[end] as number
    values[end] = value
    end += Number(value < pivot)
  }
  return end
}

/** As `moveSmaller`, for when the pivot is the minimum: moves the values equal to it. */
function moveEqual(values: Numbers, left: number, right: number, pivot: number): number {
  let end = left
  for (let i = left; i <= right; i++) {
    const value = values[i] as number
    values[i] = values[end] as number
    values[end] = value
    end += Number(value === pivot)
  }
  return end
}

function pivotFor(values: Numbers, k: number, left: number, right: number): number {
  if (right - left > maxUnsampled) {
    narrow(values, k, left, right)
    return values[k] as number
  }
  const quarter = (right - left) >> 2
  const eighth = quarter >> 1
  const medianFrom = (at: number) => middle(values[at] as number, values[at + eighth] as number, values[at + 2 * eighth] as number)
  const [a, b, c] = [medianFrom(left), medianFrom(left + 3 * eighth), medianFrom(right - 2 * eighth)]
  if (k - left < quarter) return Math.min(a, b, c)
  return right - k < quarter ? Math.max(a, b, c) : middle(a, b, c)
}

function middle(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : Math.max(a, c)
  return a < c ? a : Math.max(b, c)
}

function sort(values: Numbers, left: number, right: number): void {
  for (let i = left + 1; i <= right; i++) {
    const value = values[i] as number
    let at = i
    for (; at > left && (values[at - 1] as number) > value; at--) values[at] = values[at - 1] as number
    values[at] = value
  }
}

/**
 * Floyd–Rivest: puts a good pivot at k by selecting within a sample around it. The farther k is from the middle, the less the sample varies
 * there.
 */
function narrow(values: Numbers, k: number, left: number, right: number): void {
  const n = right - left + 1
  const i = k - left + 1
  const z = Math.log(n)
  const s = 0.5 * Math.exp((2 * z) / 3)
  const spread = Math.sqrt((z * s * (n - s) * i * (n - i)) / n ** 3) * (i < n / 2 ? -1 : 1)
  const from = Math.max(left, Math.floor(k - (i * s) / n + spread))
  const to = Math.min(right, Math.floor(k + ((n - i) * s) / n + spread))
  select(values, k, from, to)
}

function least(values: Numbers, from: number): number {
  let smallest = values[from] as number
  for (let i = from + 1; i < values.length; i++) {
    const value = values[i] as number
    if (value < smallest) smallest = value
  }
  return smallest
}

import type { Unit } from '../api/answers.ts'

export type ChartLine = {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The name of a style sheet colour, such as `series-1`. */
  readonly colour: string
  readonly shape: 'line' | 'bars'
  /** Fills the area down to the next visible line. */
  readonly band?: boolean
  /** A background for other lines: the legend names it without a value. */
  readonly background?: boolean
  readonly dash?: readonly number[]
  readonly width?: number
}

/** A zone of the scale that ends at `upTo`. */
export type ScaleZone = { readonly label: string; readonly upTo: number; readonly colour: string }

/** A shaded time span, in epoch milliseconds. */
export type Shade = { readonly label: string; readonly from: number; readonly to: number }

export type Drawing = {
  readonly unit: Unit
  /** Starts of buckets, in epoch milliseconds. */
  readonly times: readonly number[]
  /** Ends of buckets, whose lengths may differ. */
  readonly ends: readonly number[]
  readonly from: number
  readonly to: number
  readonly lines: readonly ChartLine[]
  readonly stacked?: boolean
  readonly zones?: readonly ScaleZone[]
  readonly shades?: readonly Shade[]
  /** The value range; by default from zero to the maximum. */
  readonly scale?: readonly [number, number]
  /** Values that the legend shows for a bucket, but that are not drawn. */
  readonly readouts?: readonly Readout[]
  /** All groups, for a table, if the chart cannot show them all. */
  readonly groups?: readonly ChartGroup[]
  /** Which groups come first; by default those with the highest values. */
  readonly worst?: 'lowest'
}

export type ChartGroup = { readonly label: string; readonly values: readonly (number | null)[] }

type Readout = { readonly label: string; readonly unit: Unit; readonly values: readonly (number | null)[] }

/** The index of the bucket that contains an instant; null between buckets. */
export function bucketUnder({ times, ends }: Pick<Drawing, 'times' | 'ends'>, at: number): number | null {
  const index = times.findLastIndex((start) => start <= at + toleranceMs)
  const end = ends[index]
  return end !== undefined && at < end ? index : null
}

export function bucketSpan({ times, ends }: Pick<Drawing, 'times' | 'ends'>, index: number): { from: number; to: number } | null {
  const [from, to] = [times[index], ends[index]]
  return from === undefined || to === undefined ? null : { from, to }
}

/** Converting screen positions to times has rounding errors. */
const toleranceMs = 1

/** The names of all shades that overlap a bucket, or the whole window. */
export function shadeNames(
  { shades = [], from, to }: Drawing,
  bucket: { readonly from: number; readonly to: number } = { from, to },
): string[] {
  return [...new Set(shades.filter((shade) => shade.from < bucket.to && shade.to > bucket.from).map(({ label }) => label))]
}

const colours = 6

/** The number of lines that colour and dash can distinguish. */
export const mostLines = 2 * colours

/** Six colours that the colour-blind can distinguish; further lines repeat them dashed, or hatched for bars. */
export function colourOf(index: number): { readonly colour: string; readonly dash?: readonly number[] } {
  const colour = `series-${(index % colours) + 1}`
  return index < colours ? { colour } : { colour, dash: [6, 4] }
}

/** Stacks each line on the previous ones, so the last one is the highest. */
export function stacked(lines: readonly ChartLine[]): ChartLine[] {
  const sums: number[] = []
  const piled = lines.map((line) => ({
    ...line,
    values: line.values.map((value, index) => {
      if (value === null) return null
      const sum = (sums[index] ?? 0) + value
      sums[index] = sum
      return sum
    }),
  }))
  return piled.reverse()
}

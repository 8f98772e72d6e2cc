import type { Unit } from '../api/answers.ts'

/** One line or bar series of a chart. */
export type ChartLine = {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The name of a colour of the style sheet, such as `series-1`. */
  readonly colour: string
  readonly shape: 'line' | 'bars'
  /** Fills down to the next line that is shown. */
  readonly band?: boolean
  /** A background for other lines: the legend names it, but shows no value. */
  readonly background?: boolean
  readonly dash?: readonly number[]
  readonly width?: number
}

/** A zone of the scale, up to a value. */
export type ScaleZone = { readonly label: string; readonly upTo: number; readonly colour: string }

/** A stretch of time that is shaded, in epoch milliseconds. */
export type Shade = { readonly label: string; readonly from: number; readonly to: number }

export type Drawing = {
  readonly unit: Unit
  /** Starts of buckets, epoch milliseconds. */
  readonly times: readonly number[]
  /** The end of each; not all last as long. */
  readonly ends: readonly number[]
  readonly from: number
  readonly to: number
  readonly lines: readonly ChartLine[]
  readonly stacked?: boolean
  readonly zones?: readonly ScaleZone[]
  readonly shades?: readonly Shade[]
  /** The scale; by default from zero to the maximum. */
  readonly scale?: readonly [number, number]
  /** Values that are shown for a bucket, but not drawn. */
  readonly readouts?: readonly Readout[]
  /** Every group, for a table, where they are more than a chart can show. */
  readonly groups?: readonly ChartGroup[]
  /** Which values are bad, so that groups with them come first; by default the highest. */
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

/** Positions on the screen are converted to times with rounding errors. */
const toleranceMs = 1

/** The names of what is shaded at any time of a bucket, or at all. */
export function shadeNames(
  { shades = [], from, to }: Drawing,
  bucket: { readonly from: number; readonly to: number } = { from, to },
): string[] {
  return [...new Set(shades.filter((shade) => shade.from < bucket.to && shade.to > bucket.from).map(({ label }) => label))]
}

const colours = 6

/** As many lines as colour and dash can distinguish. */
export const mostLines = 2 * colours

/** Six colours that the colour-blind can distinguish; then the same ones dashed, or hatched for bars. */
export function colourOf(index: number): { readonly colour: string; readonly dash?: readonly number[] } {
  const colour = `series-${(index % colours) + 1}`
  return index < colours ? { colour } : { colour, dash: [6, 4] }
}

/** Stacks each line on those before it; the last one is the highest. */
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

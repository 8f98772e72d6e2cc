import type { Unit } from '../api/answers.ts'

/** One thing drawn on a chart. */
export type Line = {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** The name of a colour of the style sheet, such as `series-1`. */
  readonly colour: string
  readonly shape: 'line' | 'bars' | 'area'
  /** Fills down to the next line. */
  readonly band?: boolean
  /** Drawn as a ground for others: the legend names it, but tells no value. */
  readonly ground?: boolean
  readonly dash?: readonly number[]
  readonly width?: number
}

/** A part of the scale with a meaning of its own, up to a value. */
export type Zone = { readonly label: string; readonly upTo: number; readonly colour: string }

export type Drawing = {
  readonly unit: Unit
  /** Starts of buckets, epoch milliseconds. */
  readonly times: readonly number[]
  readonly bucketMs: number
  readonly from: number
  readonly to: number
  readonly lines: readonly Line[]
  readonly stacked?: boolean
  readonly zones?: readonly Zone[]
  /** The scale; by default from zero to what is there. */
  readonly scale?: readonly [number, number]
}

const colours = 6

/** Distinct for the first six, also to the colour-blind; then the same colours dashed. */
export function colourOf(index: number): { readonly colour: string; readonly dash?: readonly number[] } {
  const colour = `series-${(index % colours) + 1}`
  return index < colours ? { colour } : { colour, dash: [6, 4] }
}

/** Each line on top of those before it; the last in the order is the highest. */
export function stacked(lines: readonly Line[]): Line[] {
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

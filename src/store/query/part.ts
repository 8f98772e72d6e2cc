import { absentInt, isInt, type Scale } from '../kernels/numbers.ts'
import { type Texts, toTexts } from '../kernels/texts.ts'
import type { CheckRef, Result, Window } from '../store.ts'
import { flagged, flagsOf, idOf, type StoredResult } from './stored-result.ts'

/**
 * Some results of one check in order, column by column. Columns of numbers are `time` (epoch ms), `flags`, `attempts`, `pages`
 * (how many) and `v:<metric>`; of texts `location`, `state`, `error` and `id` (none where the id is derived). Page columns
 * (`p:<metric>`, `pageUrl`) have one entry for each page of each run.
 */
export type Part = {
  readonly count: number
  /** Within this, no wider than a few days, all of its results started. */
  readonly span: Window
  /** The names of the `v:` and `p:` columns in it. */
  readonly measured: readonly string[]
  /** A new array of a column's numbers; NaN where one was not measured. */
  numbers(column: string): Float64Array
  /** A new array of a column that holds whole numbers alone. */
  ints(column: 'flags' | 'attempts' | 'pages'): Int32Array
  texts(column: string): Texts
  /** How many entries a column has: one for each run, or for each page. */
  lengthOf(column: string): number
  /** Writes a column's numbers where they are wanted, and tells whether any may be absent. */
  fill(column: string, target: Float64Array): boolean
  /** Whether a column's numbers, multiplied by `scale`, can be had as whole numbers. */
  holdsInts(column: string, scale: Scale): boolean
  /** As `fill`, `scale` times each, where they are whole; `absentInt` stands for one that is absent. */
  fillInts(column: string, scale: Scale, target: Int32Array): boolean
  /** Writes the codes of a column's texts where they are wanted; returns the dictionary that they point into. */
  fillTexts(column: string, target: Int32Array): readonly string[]
  /** The runs `from` up to (not with) `to`, which are read without the others. */
  slice(from: number, to: number): Part
}

/** A part, given all but what follows from the rest. */
export function definePart(part: Omit<Part, 'numbers' | 'ints' | 'texts'>): Part {
  return Object.assign(part, {
    numbers(column: string) {
      const target = new Float64Array(part.lengthOf(column))
      part.fill(column, target)
      return target
    },
    ints(column: string) {
      const target = new Int32Array(part.lengthOf(column))
      part.fillInts(column, 1, target)
      return target
    },
    texts(column: string) {
      const codes = new Int32Array(part.lengthOf(column))
      return { dictionary: part.fillTexts(column, codes), codes }
    },
  })
}

export const runTexts = ['location', 'state', 'error', 'id'] as const
export const runNumbers = ['time', 'flags', 'attempts', 'pages'] as const

/** The column of a metric. */
export const columnOf = ({ metric, perPage }: { readonly metric: string; readonly perPage: boolean }) => `${perPage ? 'p' : 'v'}:${metric}`

export const isPageColumn = (column: string) => column === 'pageUrl' || column.startsWith('p:')

/** Results that are in memory, in order, as a part. */
export function memoryPart(results: readonly StoredResult[]): Part {
  const pages = results.some((result) => result.pages.length > 0) ? results.flatMap((result) => result.pages) : []
  const entriesOf = (column: string) => (isPageColumn(column) ? pages : results)
  const fill = (column: string, target: Float64Array): true => {
    const numberOf = plainNumbers[column]
    if (numberOf) for (let run = 0; run < target.length; run++) target[run] = numberOf(results[run] as StoredResult)
    else fillMeasured(entriesOf(column), column.slice(2), target)
    return true
  }
  const numbersOf = (column: string) => {
    const numbers = new Float64Array(entriesOf(column).length)
    fill(column, numbers)
    return numbers
  }
  return definePart({
    count: results.length,
    span: { from: results[0]?.startedAt ?? 0, to: results.at(-1)?.startedAt ?? 0 },
    slice: (from, to) => memoryPart(results.slice(from, to)),
    lengthOf: (column) => entriesOf(column).length,
    fill,
    holdsInts: (column, scale) => numbersOf(column).every((value) => mayBeInt(value, scale)),
    fillInts(column, scale, target) {
      const numbers = numbersOf(column)
      for (let entry = 0; entry < target.length; entry++) target[entry] = toInt(numbers[entry] as number, scale)
      return true
    },
    fillTexts(column, target) {
      const texts = column === 'pageUrl' ? pages.map((page) => page.pageUrl) : results.map((result) => textOf(result, column))
      const { dictionary, codes } = toTexts(texts)
      target.set(codes)
      return dictionary
    },
    measured: [...namesIn(results).map((name) => `v:${name}`), ...namesIn(pages).map((name) => `p:${name}`)],
  })
}

type Measured = { readonly values: Readonly<Record<string, number>> }

function fillMeasured(entries: readonly Measured[], name: string, target: Float64Array): void {
  for (let entry = 0; entry < target.length; entry++) target[entry] = entries[entry]?.values[name] ?? Number.NaN
}

function namesIn(measured: readonly Measured[]): string[] {
  const names = new Set<string>()
  for (const { values } of measured) for (const name in values) names.add(name)
  return [...names]
}

const mayBeInt = (value: number, scale: Scale) => Number.isNaN(value) || isInt(value, scale)
const toInt = (value: number, scale: Scale) => (Number.isNaN(value) ? absentInt : Math.round(value * scale))

/** Whole results out of some rows of a part. */
export function resultsOf(check: CheckRef, part: Part, rows: Iterable<number>): Result[] {
  const times = part.numbers('time')
  const [flags, attempts, pageCounts] = [part.ints('flags'), part.ints('attempts'), part.ints('pages')]
  const [locations, states, errors, ids] = runTexts.map((column) => part.texts(column)) as [Texts, Texts, Texts, Texts]
  const values = part.measured.filter((column) => !isPageColumn(column)).map((column) => [column.slice(2), part.numbers(column)] as const)
  const starts = pageStarts(pageCounts)
  const hasPages = (starts[part.count] as number) > 0
  const pageUrls = hasPages ? part.texts('pageUrl') : null
  const pageValues = hasPages ? part.measured.filter(isPageColumn).map((column) => [column.slice(2), part.numbers(column)] as const) : []
  return Array.from(rows, (row) => {
    const startedAt = times[row] as number
    const runLocation = textAt(locations, row) ?? ''
    return {
      id: idOf(check, { id: textAt(ids, row), runLocation, startedAt }),
      startedAt,
      runLocation,
      ...flagged(flags[row] as number),
      attempts: attempts[row] as number,
      state: textAt(states, row),
      error: textAt(errors, row),
      values: present(values, row),
      pages: Array.from({ length: pageCounts[row] as number }, (_, page) => {
        const at = (starts[row] as number) + page
        return { pageUrl: (pageUrls && textAt(pageUrls, at)) ?? '', values: present(pageValues, at) }
      }),
    }
  })
}

/** Where the pages of each run begin among all pages; one more entry than runs. */
export function pageStarts(pageCounts: Int32Array): Int32Array {
  const starts = new Int32Array(pageCounts.length + 1)
  for (let run = 0; run < pageCounts.length; run++) starts[run + 1] = (starts[run] as number) + (pageCounts[run] as number)
  return starts
}

export function textAt({ dictionary, codes }: Texts, row: number): string | null {
  return dictionary[codes[row] as number] ?? null
}

const plainNumbers: Readonly<Record<string, (result: StoredResult) => number>> = {
  time: ({ startedAt }) => startedAt,
  flags: flagsOf,
  attempts: ({ attempts }) => attempts,
  pages: ({ pages }) => pages.length,
}

function textOf(result: StoredResult, column: string): string | null {
  if (column === 'location') return result.runLocation
  if (column === 'state') return result.state
  if (column === 'error') return result.error
  return result.id
}

function present(columns: readonly (readonly [string, Float64Array])[], row: number): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [name, numbers] of columns) {
    const value = numbers[row] as number
    if (!Number.isNaN(value)) found[name] = value
  }
  return found
}

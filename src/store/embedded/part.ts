import type { CheckRef, Result } from '../store.ts'
import { type Texts, toTexts } from './kernels/text-column.ts'
import { flagged, flagsOf, idOf, type StoredResult } from './stored-result.ts'

/**
 * Some results of one check in order, column by column. Columns of numbers are `time` (epoch ms), `flags`, `attempts`, `pages`
 * (how many) and `v:<metric>`; of texts `location`, `state`, `error` and `id` (none where the id is derived). Page columns
 * (`p:<metric>`, `pageUrl`) have one entry for each page of each run.
 */
export type Part = {
  readonly count: number
  /** The names of the `v:` and `p:` columns in it. */
  readonly measured: readonly string[]
  /** A new array of a column's numbers; NaN where one was not measured. */
  numbers(column: string): Float64Array
  texts(column: string): Texts
  /** How many entries a column has: one for each run, or for each page. */
  lengthOf(column: string): number
  /** Writes a column's numbers where they are wanted, and tells whether any may be absent. */
  fill(column: string, target: Float64Array): boolean
  /** Writes the codes of a column's texts where they are wanted; returns the dictionary that they point into. */
  fillTexts(column: string, target: Float64Array): readonly string[]
  /** The runs `from` up to (not with) `to`, which are read without the others. */
  slice(from: number, to: number): Part
}

/** A part, given all but what follows from the rest. */
export function definePart(part: Omit<Part, 'numbers' | 'texts'>): Part {
  return {
    ...part,
    numbers(column) {
      const target = new Float64Array(part.lengthOf(column))
      part.fill(column, target)
      return target
    },
    texts(column) {
      const codes = new Float64Array(part.lengthOf(column))
      return { dictionary: part.fillTexts(column, codes), codes }
    },
  }
}

export const runTexts = ['location', 'state', 'error', 'id'] as const
export const runNumbers = ['time', 'flags', 'attempts', 'pages'] as const

export const isPageColumn = (column: string) => column === 'pageUrl' || column.startsWith('p:')

/** Results that are in memory as a part. */
export function memoryPart(results: readonly StoredResult[]): Part {
  const pages = results.flatMap((result) => result.pages)
  return definePart({
    count: results.length,
    slice: (from, to) => memoryPart(results.slice(from, to)),
    lengthOf: (column) => (isPageColumn(column) ? pages.length : results.length),
    fill(column, target) {
      const name = column.slice(2)
      if (isPageColumn(column)) for (let i = 0; i < pages.length; i++) target[i] = pages[i]?.values[name] ?? Number.NaN
      else for (let i = 0; i < results.length; i++) target[i] = numberOf(results[i] as StoredResult, column)
      return true
    },
    fillTexts(column, target) {
      const texts = column === 'pageUrl' ? pages.map((page) => page.pageUrl) : results.map((result) => textOf(result, column))
      const { dictionary, codes } = toTexts(texts)
      target.set(codes)
      return dictionary
    },
    measured: [
      ...new Set([
        ...results.flatMap((result) => Object.keys(result.values).map((name) => `v:${name}`)),
        ...pages.flatMap((page) => Object.keys(page.values).map((name) => `p:${name}`)),
      ]),
    ],
  })
}

/** Whole results out of the rows `from` up to `to` of a part. */
export function resultsOf(check: CheckRef, part: Part, rows: Iterable<number>): Result[] {
  const [times, flags, attempts, pageCounts] = runNumbers.map((column) => part.numbers(column)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
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
export function pageStarts(pageCounts: Float64Array): Int32Array {
  const starts = new Int32Array(pageCounts.length + 1)
  for (let run = 0; run < pageCounts.length; run++) starts[run + 1] = (starts[run] as number) + (pageCounts[run] as number)
  return starts
}

export function textAt({ dictionary, codes }: Texts, row: number): string | null {
  return dictionary[codes[row] as number] ?? null
}

function numberOf(result: StoredResult, column: string): number {
  if (column === 'time') return result.startedAt
  if (column === 'flags') return flagsOf(result)
  if (column === 'attempts') return result.attempts
  if (column === 'pages') return result.pages.length
  return result.values[column.slice(2)] ?? Number.NaN
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

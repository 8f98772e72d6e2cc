import { once } from '../../../cache/cache.ts'
import type { Scale } from '../../kernels/numbers.ts'
import { take } from '../../kernels/row-indexes.ts'
import type { Texts } from '../../kernels/texts.ts'
import type { Times } from '../../kernels/time-runs.ts'
import type { CheckRef, Window } from '../../store.ts'
import { comparePositions, resultId, type StoredPosition } from './stored-result.ts'

/**
 * Results of one check in order, column by column. Number columns are `time` (epoch ms), `flags`, `attempts`, `pages` (their number) and
 * `v:<metric>`; text columns are `location`, `state`, `error` and `id` (absent if derived). Page columns (`p:<metric>`, `pageUrl`) have one
 * entry for each page of each run.
 */
export type Part = {
  readonly count: number
  /** All results started within this window, which is at most a few days wide. */
  readonly span: Window
  /** The names of the `v:` and `p:` columns in it. */
  readonly measured: readonly string[]
  /** A new array of a column's numbers; NaN if not measured. */
  numbers(column: string): Float64Array
  /** A new array of a column of integers. */
  ints(column: 'flags' | 'attempts' | 'pages'): Int32Array
  texts(column: string): Texts
  /** Reads the times of single runs, without decoding the others. */
  times(): Times
  /** Number of entries of a column: one per run, or one per page. */
  lengthOf(column: string): number
  /** Writes a column's numbers into `target`, and returns whether any may be absent. */
  fill(column: string, target: Float64Array): boolean
  /** Whether `fillInts` can read a column: all of its numbers, multiplied by `scale`, are integers. */
  holdsInts(column: string, scale: Scale): boolean
  /** As `fill`, but as integers: each number times `scale`, `absentInt` if absent. Only where `holdsInts`. */
  fillInts(column: string, scale: Scale, target: Int32Array): boolean
  /** Writes the codes of a column's texts into `target`; returns their dictionary. */
  fillTexts(column: string, target: Int32Array): readonly string[]
  /** The runs `[from, to)`; others are not decoded. */
  slice(from: number, to: number): Part
}

/** Completes a part with the methods that can be derived. */
export function definePart(part: Omit<Part, 'numbers' | 'ints' | 'texts' | 'times'> & Partial<Pick<Part, 'times'>>): Part {
  const numbers = (column: string) => {
    const target = new Float64Array(part.lengthOf(column))
    part.fill(column, target)
    return target
  }
  const decodedTimes = () => {
    const times = once(() => numbers('time'))
    return { count: part.count, at: (run: number) => times()[run] as number }
  }
  return Object.assign(part, {
    numbers,
    times: part.times ?? decodedTimes,
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

export const columnOf = ({ metric, perPage }: { readonly metric: string; readonly perPage: boolean }) => `${perPage ? 'p' : 'v'}:${metric}`

export const isPageColumn = (column: string) => column === 'pageUrl' || column.startsWith('p:')

/** The index of the first page of each run; one more entry than runs. */
export function pageStarts(pageCounts: Int32Array): Int32Array {
  const starts = new Int32Array(pageCounts.length + 1)
  for (let run = 0; run < pageCounts.length; run++) starts[run + 1] = (starts[run] as number) + (pageCounts[run] as number)
  return starts
}

export function textAt({ dictionary, codes }: Texts, row: number): string | null {
  return dictionary[codes[row] as number] ?? null
}

/** The position of the result of each row. */
export function positionsOf(part: Part): (row: number) => StoredPosition {
  const [times, locations, ids] = [part.numbers('time'), part.texts('location'), part.texts('id')]
  return (row) => ({ startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '', id: textAt(ids, row) })
}

/** The id of the result of one row; other rows are not decoded. */
export function idAt(part: Part, row: number, check: CheckRef): string {
  return resultId(check, positionsOf(part.slice(row, row + 1))(0))
}

/** Number of results of an ordered part before a position; with `through`, including a result at it. */
export function countBefore(part: Part, position: StoredPosition, through = false): number {
  let low = 0
  let high = part.count
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = comparePositions(positionsOf(part.slice(middle, middle + 1))(0), position)
    if (order < 0 || (through && order === 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** The counted rows of a part: its runs, or each page of each run. */
export type PartRows = {
  readonly count: number
  /** The run of each row, and the index of its page in that run; null if rows are runs. */
  readonly pages: { readonly runs: Int32Array; readonly indexes: Int32Array } | null
  times(): Times
  /** Values of runs, repeated for each row of the run. */
  spread<Values extends Float64Array | Int32Array | Uint8Array>(ofRuns: Values): Values
}

export function partRows(part: Part, byPage: boolean): PartRows {
  const { count } = part
  if (!byPage) return { count, pages: null, times: part.times, spread: (ofRuns) => ofRuns }
  const pages = partPages(part)
  return {
    count: pages.runs.length,
    pages,
    times() {
      const times = part.times()
      return { count: pages.runs.length, at: (row) => times.at(pages.runs[row] as number) }
    },
    spread: (ofRuns) => take(ofRuns, pages.runs),
  }
}

/** For each page of a part: its run, and its index in that run. */
export function partPages(part: Part): { readonly runs: Int32Array; readonly indexes: Int32Array } {
  const starts = pageStarts(part.ints('pages'))
  const count = starts[part.count] as number
  const runs = new Int32Array(count)
  const indexes = new Int32Array(count)
  for (let run = 0; run < part.count; run++) {
    const start = starts[run] as number
    for (let page = start; page < (starts[run + 1] as number); page++) {
      runs[page] = run
      indexes[page] = page - start
    }
  }
  return { runs, indexes }
}

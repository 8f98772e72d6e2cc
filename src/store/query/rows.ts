import { compareText } from '../../text/compare-text.ts'
import { take } from '../kernels/take.ts'
import type { Grouping, GroupKey, StatusFilter } from '../store.ts'
import { type Part, pageStarts, textAt } from './part.ts'

/** What an answer counts: the runs of a part, or the pages of its runs. */
export type Rows = {
  readonly count: number
  /** Null where rows are runs. */
  readonly pages: PageRows | null
  /** Repeats the value of each run for each of its rows. */
  spread<Values extends Float64Array | Int32Array | Uint8Array>(ofRuns: Values): Values
}

/** For each page of a part: its run, and its index within that run. */
export type PageRows = { readonly runs: Int32Array; readonly indexes: Int32Array }

export function rowsOf(part: Part, grouping: Grouping | null): Rows {
  if (grouping?.by !== 'page') return { count: part.count, pages: null, spread: (ofRuns) => ofRuns }
  const pages = pagesOf(part)
  return { count: pages.runs.length, pages, spread: (ofRuns) => take(ofRuns, pages.runs) }
}

export function pagesOf(part: Part): PageRows {
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

/** For each run, 1 if it passes a filter, else 0. */
export function passing(part: Part, filter: StatusFilter): Uint8Array {
  const flags = part.ints('flags')
  const states = part.texts('state')
  const passes = new Uint8Array(part.count)
  for (let run = 0; run < part.count; run++) {
    const outcomeWanted = (flags[run] as number) & 1 ? filter.failure : filter.success
    const state = outcomeWanted ? null : textAt(states, run)
    passes[run] = outcomeWanted || (state !== null && filter.states.includes(state)) ? 1 : 0
  }
  return passes
}

/** Which of `keys` each row belongs to; null where there is but one key. */
export type Groups = { readonly keys: readonly GroupKey[]; readonly of: Int32Array | null }

/** Divides rows by their group; keys are in no order. */
export function groupRows(part: Part, rows: Rows, grouping: Grouping | null): Groups {
  if (!grouping) return { keys: [null], of: null }
  if (rows.pages) return { keys: Array.from({ length: highest(rows.pages.indexes) + 1 }, (_, index) => index), of: rows.pages.indexes }
  if (grouping.by !== 'field') {
    const { dictionary, codes } = part.texts('location')
    return { keys: dictionary, of: codes }
  }
  return coded(part.numbers(`v:${grouping.name}`))
}

/** Each distinct number is a key, and so is an absent one. */
function coded(numbers: Float64Array): Groups {
  const codes = new Map<number, number>()
  const of = new Int32Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) {
    const value = numbers[row] as number
    const code = codes.get(value) ?? codes.size
    if (code === codes.size) codes.set(value, code)
    of[row] = code
  }
  return { keys: [...codes.keys()].map((value) => (Number.isNaN(value) ? null : value)), of }
}

export function compareKeys(a: GroupKey, b: GroupKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))
}

function highest(numbers: Int32Array): number {
  let max = -1
  for (const number of numbers) if (number > max) max = number
  return max
}

import type { Grouping, GroupKey, StatusFilter } from '../store.ts'
import { type Part, pageStarts, textAt } from './part.ts'
import { compareText } from './stored-result.ts'

/** What an answer counts: the runs of a part, or each page of each run. */
export type Rows = {
  readonly count: number
  /** The run that a row is of, and its page's place in that run; null where rows are runs. */
  readonly pages: { readonly runs: Int32Array; readonly places: Int32Array } | null
}

export function rowsOf(part: Part, grouping: Grouping | null): Rows {
  if (grouping?.by !== 'page') return { count: part.count, pages: null }
  const pages = pagesOf(part)
  return { count: pages.runs.length, pages }
}

/** For each page of a part: its run, and its place in that run. */
export function pagesOf(part: Part): { readonly runs: Int32Array; readonly places: Int32Array } {
  const starts = pageStarts(part.numbers('pages'))
  const count = starts[part.count] as number
  const runs = new Int32Array(count)
  const places = new Int32Array(count)
  for (let run = 0; run < part.count; run++) {
    const start = starts[run] as number
    for (let page = start; page < (starts[run + 1] as number); page++) {
      runs[page] = run
      places[page] = page - start
    }
  }
  return { runs, places }
}

/** Which runs pass a filter; null where all do. */
export function passing(part: Part, filter: StatusFilter | null): Uint8Array | null {
  if (!filter) return null
  const flags = part.numbers('flags')
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

/** Divides rows by their group; the keys ascend, none last. */
export function groupRows(part: Part, rows: Rows, grouping: Grouping | null): Groups {
  if (!grouping) return { keys: [null], of: null }
  if (rows.pages) return { keys: Array.from({ length: highest(rows.pages.places) + 1 }, (_, place) => place), of: rows.pages.places }
  if (grouping.by === 'location') {
    const { dictionary, codes } = part.texts('location')
    return inOrder(dictionary, codes)
  }
  const { keys, codes } = coded(part.numbers(grouping.by === 'field' ? `v:${grouping.name}` : 'time'))
  return inOrder(keys, codes)
}

/** Numbers as places in a list of those there are; one that is absent is a key of its own. */
function coded(numbers: Float64Array): { keys: (number | null)[]; codes: Float64Array } {
  const places = new Map<number, number>()
  const codes = new Float64Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) {
    const value = numbers[row] as number
    const place = places.get(value) ?? places.size
    places.set(value, place)
    codes[row] = place
  }
  return { keys: [...places.keys()].map((value) => (Number.isNaN(value) ? null : value)), codes }
}

/** Sorts keys, and lets the codes that point at them follow. */
function inOrder(keys: readonly GroupKey[], codes: Float64Array): Groups {
  const order = keys.map((_, i) => i).sort((a, b) => compareKeys(keys[a] as GroupKey, keys[b] as GroupKey))
  const recode = new Int32Array(keys.length)
  order.forEach((was, is) => {
    recode[was] = is
  })
  const of = new Int32Array(codes.length)
  for (let row = 0; row < codes.length; row++) of[row] = recode[codes[row] as number] as number
  return { keys: order.map((was) => keys[was] as GroupKey), of }
}

export function compareKeys(a: GroupKey, b: GroupKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))
}

function highest(places: Int32Array): number {
  let most = -1
  for (const place of places) if (place > most) most = place
  return most
}

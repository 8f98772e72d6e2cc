import { joined } from '../../collections/lists.ts'
import { createTurns, mapInTurns } from '../../concurrency/turns.ts'
import { aggregateColumns, checkAnswerSize } from '../admission/cost.ts'
import { compareGroupKeys } from '../query/grid/groups.ts'
import { compareOrdered, orderedValue } from '../query/order.ts'
import type { AggregateAnswer, AggregateGroup, AggregateQuery, AggregateRow, CheckRef, Counts, GroupKey, Window } from '../store.ts'

/** Sources per call to a worker: fewer would cost more calls, more would leave other workers idle. */
const sourcesPerCall = 10

/** If a page ends after this many groups, one worker answers the whole query: parts would have to send all groups before it, too. */
const maxMerged = 2000

/**
 * Splits a query by source, so that workers can answer the parts in parallel. Only if no group spans two sources: then the groups of the
 * parts are those of the whole. Each part returns its groups up to the end of the page, which include its share of the page.
 */
export async function splitBySource(query: AggregateQuery, callSizes: CallSizes = equalCalls): Promise<readonly AggregateQuery[]> {
  const { sources, histogram, groupPage, window } = query
  if (sources.length <= sourcesPerCall || !hasOwnGroups(query) || (histogram && !histogram.bounds)) return [query]
  if (groupPage && groupPage.offset + groupPage.limit > maxMerged) return [query]
  const checks = sources.map(({ check }) => check)
  const columns = Math.max(...sources.map((source) => aggregateColumns(query, source)))
  const parts = inGroups(sources, await callSizes(checks, window, { usual: sourcesPerCall, columns }))
  const ownPage = groupPage && { offset: 0, limit: groupPage.offset + groupPage.limit }
  return parts.map((part) => ({ ...query, sources: part, groupPage: ownPage }))
}

/** Merges the answers of the parts. Only groups in the merged answer are unpacked. */
export async function mergeAnswers(query: AggregateQuery, answers: readonly PackedAnswer[]): Promise<AggregateAnswer> {
  const [only] = answers
  if (answers.length === 1 && only) return unpackAnswer(only)
  const results = answers.reduce((sum, answer) => sum + answer.results, 0)
  const groups = query.groupPage ? pageOfGroups(query, answers) : await allGroups(query, answers)
  return { groups, results, bounds: only?.bounds ?? [] }
}

async function allGroups(query: AggregateQuery, answers: readonly PackedAnswer[]): Promise<readonly AggregateGroup[]> {
  const sum = (of: (answer: PackedAnswer) => number) => answers.reduce((total, answer) => total + of(answer), 0)
  const rows = sum((answer) => answer.rows.reduce((total, count) => total + count, 0))
  const values = sum(
    (answer) => answer.values.length + (answer.counts?.length ?? 0) + (answer.histograms?.length ?? 0) * answer.bounds.length,
  )
  checkAnswerSize({ groups: sum((answer) => answer.groups.length), rows, valuesPerRow: values / Math.max(1, rows) })
  const unpacked = await Promise.all(answers.map(unpackAnswer))
  return unpacked.flatMap(({ groups }) => groups).sort(compareGroups(query))
}

/** Merges the ordered groups of the parts, up to the end of the page. */
function pageOfGroups(query: AggregateQuery, answers: readonly PackedAnswer[]): readonly AggregateGroup[] {
  const { offset, limit } = query.groupPage ?? { offset: 0, limit: 0 }
  const compare = compareGroups(query)
  const cursors = answers.flatMap((answer) => cursorOf(answer, 0) ?? []).sort((a, b) => compare(a.head, b.head))
  const page: AggregateGroup[] = []
  for (let taken = 0; taken < offset + limit; taken++) {
    const first = cursors.shift()
    if (!first) break
    if (taken >= offset) page.push(first.head)
    const next = first.next()
    if (next) cursors.splice(placeOf(next, cursors, compare), 0, next)
  }
  return page
}

/** A cursor over the groups of a part. */
type Cursor = { readonly head: AggregateGroup; readonly next: () => Cursor | null }

function cursorOf(answer: PackedAnswer, first: number, groupAt = groupReader(answer)): Cursor | null {
  return first < answer.groups.length ? { head: groupAt(first), next: () => cursorOf(answer, first + 1, groupAt) } : null
}

/** The position of a cursor among ordered ones. */
function placeOf({ head }: Cursor, cursors: readonly Cursor[], compare: CompareGroups): number {
  let low = 0
  let high = cursors.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare((cursors[middle] as Cursor).head, head) < 0) low = middle + 1
    else high = middle
  }
  return low
}

type CompareGroups = (a: AggregateGroup, b: AggregateGroup) => number

/** With buckets, `order` applies to rows, not to groups. */
function compareGroups({ order, buckets }: AggregateQuery): CompareGroups {
  const byKeys: CompareGroups = (a, b) => compareGroupKeys(a.keys, b.keys)
  if (!order || buckets) return byKeys
  const compare = compareOrdered(order)
  const orderedBy = ({ rows: [row] }: AggregateGroup) => (row ? orderedValue(order, row) : null)
  return (a, b) => compare(orderedBy(a), orderedBy(b)) || byKeys(a, b)
}

/** Whether a label is unique per source. */
function hasOwnGroups({ sources }: AggregateQuery): boolean {
  const labels = sources[0]?.labels ?? []
  return labels.some((_, i) => {
    const keys = sources.flatMap((source) => source.labels[i] ?? [])
    return keys.length === sources.length && new Set(keys).size === sources.length
  })
}

/** Concurrent calls of one question; leaves workers to other questions. */
const concurrency = 4

/** Calls `call` for each item, a few at a time; returns the answers in the order of the items. Stops at the first failure. */
export async function batchCalls<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers = new Array<R>(items.length)
  const pending = items.entries()
  let failed = false
  const work = async () => {
    for (const [i, item] of pending) {
      if (failed) return
      answers[i] = await call(item)
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, work)
  await Promise.all(workers).catch((error) => {
    failed = true
    throw error
  })
  return answers
}

type CallOfMany = {
  /** Number of checks per call if a call itself costs nothing. */
  readonly usual: number
  /** Number of values read per result. */
  readonly columns: number
}

/** Splits checks, in order, into calls to readers: returns the number of checks in each call. */
export type CallSizes = (checks: readonly CheckRef[], window: Window, call: CallOfMany) => readonly number[] | Promise<readonly number[]>

export const equalCalls: CallSizes = ({ length }, _, { usual }) => Array.from({ length: Math.ceil(length / usual) }, () => usual)

/** Items in consecutive groups of these sizes. */
export function inGroups<Item>(items: readonly Item[], sizes: readonly number[]): readonly (readonly Item[])[] {
  let from = 0
  return sizes.map((size) => {
    from += size
    return items.slice(from - size, from)
  })
}

/** An answer as columns over all of its rows, group by group: a few arrays pass between threads much faster than one object per row. */
export type PackedAnswer = Pick<AggregateAnswer, 'results' | 'bounds'> & {
  readonly groups: readonly (readonly GroupKey[])[]
  /** Number of rows of each group. */
  readonly rows: Int32Array
  /** Null without buckets. */
  readonly starts: Float64Array | null
  /** The total, success and retries of each row. */
  readonly counts: Float64Array | null
  readonly pageUrls: readonly (string | null)[] | null
  /** The values of each row; NaN for null. */
  readonly values: Float64Array
  readonly histograms: readonly (readonly number[])[] | null
  /** A database cannot sum these results without rounding, so the results must be read. */
  readonly isInexact?: boolean
  /** Indexes of sources, if most of their results could not be cached. */
  readonly uncacheable?: readonly number[]
  /** Most results were read, not found in a cache. */
  readonly isRead?: boolean
}

export function packAnswer({ groups, results, bounds }: AggregateAnswer): PackedAnswer {
  const rows = joined(groups.map((group) => group.rows))
  const [first] = rows
  const numbers = (width: number, numbersOf: (row: AggregateRow) => readonly (number | null)[]) => {
    const packed = new Float64Array(rows.length * width)
    rows.forEach((row, i) => {
      numbersOf(row).forEach((number, j) => {
        packed[i * width + j] = number ?? Number.NaN
      })
    })
    return packed
  }
  return {
    results,
    bounds,
    groups: groups.map(({ keys }) => keys),
    rows: Int32Array.from(groups, (group) => group.rows.length),
    starts: first && first.start !== null ? numbers(1, ({ start }) => [start]) : null,
    counts: first?.counts ? numbers(3, ({ counts }) => (counts ? [counts.total, counts.success, counts.retries] : [])) : null,
    pageUrls: rows.some(({ pageUrl }) => pageUrl !== null) ? rows.map(({ pageUrl }) => pageUrl) : null,
    values: numbers(first?.values.length ?? 0, ({ values }) => values),
    histograms: first?.histogram ? rows.map(({ histogram }) => histogram ?? []) : null,
  }
}

/** Yields to the event loop while it unpacks a large answer. */
export async function unpackAnswer(packed: PackedAnswer): Promise<AggregateAnswer> {
  const { rowAt, endOf } = packedRows(packed)
  const values = packed.values.length / Math.max(1, endOf(packed.groups.length - 1))
  const turns = createTurns()
  const groups: AggregateGroup[] = []
  for (const [group, keys] of packed.groups.entries()) {
    const first = endOf(group - 1)
    const places = Array.from({ length: endOf(group) - first }, (_, row) => first + row)
    groups.push({ keys, rows: await mapInTurns(places, { turns, values }, rowAt) })
  }
  return { groups, results: packed.results, bounds: packed.bounds }
}

/** Unpacks single groups. */
function groupReader(packed: PackedAnswer): (group: number) => AggregateGroup {
  const { rowAt, endOf } = packedRows(packed)
  return (group) => {
    const rows: AggregateRow[] = []
    for (let row = endOf(group - 1); row < endOf(group); row++) rows.push(rowAt(row))
    return { keys: packed.groups[group] ?? [], rows }
  }
}

function packedRows(packed: PackedAnswer) {
  const ends = packed.rows.slice()
  for (let group = 1; group < ends.length; group++) ends[group] = (ends[group] as number) + (ends[group - 1] as number)
  return { rowAt: rowReader(packed), endOf: (group: number) => (group < 0 ? 0 : (ends[group] as number)) }
}

function rowReader({ rows, starts, counts, pageUrls, values, histograms }: PackedAnswer): (row: number) => AggregateRow {
  const figures = values.length / rows.reduce((sum, count) => sum + count, 0)
  const valuesAt = (row: number) => {
    const own: (number | null)[] = []
    for (let at = row * figures; at < (row + 1) * figures; at++) own.push(Number.isNaN(values[at]) ? null : (values[at] as number))
    return own
  }
  return (row) => ({
    start: starts && (starts[row] as number),
    counts: counts && countsAt(counts, row),
    pageUrl: pageUrls?.[row] ?? null,
    values: valuesAt(row),
    histogram: histograms?.[row] ?? null,
  })
}

function countsAt(counts: Float64Array, row: number): Counts {
  return { total: counts[3 * row] as number, success: counts[3 * row + 1] as number, retries: counts[3 * row + 2] as number }
}

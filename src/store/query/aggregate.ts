import { grouped } from '../../collections/lists.ts'
import { checkAnswerSize, valuesPerRow } from '../admission/cost.ts'
import { boundsFor, histogramCounts } from '../kernels/histogram.ts'
import type { Numbers } from '../kernels/numbers.ts'
import { addUp, noteLast } from '../kernels/outcomes.ts'
import { take } from '../kernels/row-indexes.ts'
import { summarizer } from '../kernels/summarize.ts'
import {
  type AggregateAnswer,
  type AggregateQuery,
  type AggregateRow,
  type CheckSource,
  type Counts,
  type Grouping,
  type GroupKey,
  type Order,
  QueryTooLarge,
} from '../store.ts'
import { type Cells, cellsOfRows, type Grid, mergeCells, type SeriesRows, type SourcePart, seriesOf, wholeSeriesOf } from './grid/grid.ts'
import { type Buffers, type PartitionedCells, partition } from './grid/partition.ts'
import { orderedCount, orderedSeries } from './order.ts'
import { joinedPart } from './parts/joined-part.ts'
import { type Part, textAt } from './parts/part.ts'

/** The results of a source in the window, as parts in order of time. */
type SourceParts = { readonly source: CheckSource; readonly parts: readonly Part[] }

/** More results than this in one question exceed the memory of a worker. */
const maxResults = 60_000_000

/** Approximate maximum of histogram bounds that are chosen from the data. */
const maxChosenBounds = 24

/** Limit of results in a joined part, whose values are in a buffer together. */
const maxJoined = 250_000

export function aggregate(query: AggregateQuery, sources: readonly SourceParts[], buffers: Buffers): AggregateAnswer {
  const results = sources.reduce((sum, { parts }) => sum + parts.reduce((count, part) => count + part.count, 0), 0)
  if (results > maxResults) throw new QueryTooLarge(`${results} results are more than ${maxResults}`)
  const whole = isByTimeAlone(query) ? sources.map(({ source, parts }) => ({ source, parts: joinParts(parts) })) : sources
  const all = whole.flatMap(labelledParts).map((sourcePart) => cellsOfRows(query, sourcePart))
  const grid = mergeCells(query, all)
  const series = query.order ? inOrder(query, query.order, all, grid, buffers) : seriesOf(query, grid)
  const chosen = cellsIn(series)
  checkAnswerSize({
    groups: series.length,
    rows: series.reduce((sum, { rows }) => sum + rows.length, 0),
    valuesPerRow: valuesPerRow(query, query.histogram?.bounds?.length ?? maxChosenBounds),
  })
  const slots = assignSlots(all, grid, chosen)
  const slotCounts = chosen.map((cell) => grid.counts[cell] as number)
  const rowAt = rowReader(query, slots, slotCounts, buffers)
  let slot = 0
  const groups = series.map(({ keys, rows }) => ({
    keys,
    rows: rows.map(({ start, cell }) => (cell === null ? emptyRow(query, start, rowAt.bounds) : rowAt(slot++, start))),
  }))
  return { groups, results, bounds: rowAt.bounds }
}

/** The series on the pages of an ordered answer. For all others, only the sort key is computed. */
function inOrder(query: AggregateQuery, order: Order, all: readonly Cells[], grid: Grid, buffers: Buffers): readonly SeriesRows[] {
  const { by } = order
  const whole = wholeSeriesOf(query, grid)
  const cells = cellsIn(whole)
  const counts = cells.map((cell) => grid.counts[cell] as number)
  const slots = assignSlots(all, grid, cells)
  const values =
    typeof by === 'number'
      ? (figureValues({ figures: query.figures.slice(by, by + 1) }, slots, counts, buffers)[0] ?? [])
      : countOutcomes(slots, counts).map((outcome) => orderedCount(by, outcome))
  const slotOf = new Int32Array(grid.counts.length)
  cells.forEach((cell, slot) => {
    slotOf[cell] = slot
  })
  const empty = typeof by === 'number' ? null : orderedCount(by, { total: 0, success: 0, retries: 0 })
  return orderedSeries(query, whole, ({ cell }) => (cell === null ? empty : (values[slotOf[cell] as number] ?? null)))
}

/** The grid cells in the answer, in its order. */
function cellsIn(series: readonly SeriesRows[]): readonly number[] {
  const cells: number[] = []
  for (const { rows } of series) for (const { cell } of rows) if (cell !== null) cells.push(cell)
  return cells
}

/** Whether groups depend only on the times of results, not on other columns. */
function isByTimeAlone({ groupBy, filter }: AggregateQuery): boolean {
  return !filter && groupBy.some(isTimeField) && groupBy.every((grouping) => grouping.by === 'label' || isTimeField(grouping))
}

const isTimeField = ({ by }: Grouping) => by === 'hourOfDay' || by === 'dayOfWeek'

/** Joins parts, since each part costs as much as thousands of results. */
function joinParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[][] = []
  let room = 0
  for (const part of parts) {
    if (part.count > room) {
      joined.push([])
      room = maxJoined
    }
    joined.at(-1)?.push(part)
    room -= part.count
  }
  return joined.map(joinedPart)
}

/** The parts of a source, once for each combination of its labels. */
function labelledParts({ source, parts }: SourceParts): readonly SourcePart[] {
  return labelCombinations(source).flatMap((labels) => parts.map((part) => ({ source, part, labels })))
}

/** The combinations of labels under which a check counts, with a key for each grouping by label. */
export function labelCombinations({ labels }: CheckSource): readonly (readonly GroupKey[])[] {
  return labels.reduce<readonly (readonly GroupKey[])[]>(
    (before, keys) => before.flatMap((combination) => keys.map((key) => [...combination, key])),
    [[]],
  )
}

function assignSlots(all: readonly Cells[], { counts, cellOf }: Grid, chosen: readonly number[]): PartitionedCells[] {
  const slotOfCell = new Int32Array(counts.length).fill(-1)
  chosen.forEach((cell, slot) => {
    slotOfCell[cell] = slot
  })
  return all.map((cells, i) => {
    const own = cellOf[i] as Int32Array
    const slotOf = new Int32Array(own.length + 1).fill(-1)
    slotOf.set(take(slotOfCell, own))
    return { slotOf, ...cells }
  })
}

function rowReader(query: AggregateQuery, slots: readonly PartitionedCells[], counts: readonly number[], buffers: Buffers) {
  const outcomes = query.counts ? countOutcomes(slots, counts) : null
  const urls = newestUrls(slots, counts.length)
  const values = counts.length > 0 ? figureValues(query, slots, counts, buffers) : []
  const { histograms, bounds } = histogramsOf(query, slots, counts, buffers)
  const rowAt = (slot: number, start: number | null): AggregateRow => ({
    start,
    counts: outcomes?.[slot] ?? null,
    pageUrl: urls[slot] ?? null,
    values: values.map((figure) => figure[slot] ?? null),
    histogram: histograms?.[slot] ?? null,
  })
  return Object.assign(rowAt, { bounds })
}

function emptyRow({ counts, figures, histogram }: AggregateQuery, start: number | null, bounds: readonly number[]): AggregateRow {
  return {
    start,
    counts: counts ? { total: 0, success: 0, retries: 0 } : null,
    pageUrl: null,
    values: figures.map(() => null),
    histogram: histogram && new Array<number>(bounds.length + 1).fill(0),
  }
}

function countOutcomes(all: readonly PartitionedCells[], totals: readonly number[]): Counts[] {
  const [failures, attempts] = [new Float64Array(totals.length), new Float64Array(totals.length)]
  for (const { part, rows, of, slotOf } of all) {
    addUp(rows.spread(part.ints('flags')), 1, { of, slotOf }, failures)
    addUp(rows.spread(part.ints('attempts')), -1, { of, slotOf }, attempts)
  }
  return totals.map((total, slot) => ({
    total,
    success: total - (failures[slot] as number),
    retries: (attempts[slot] as number) - total,
  }))
}

/** The newest page URL of each slot; null if rows are not pages. */
function newestUrls(all: readonly PartitionedCells[], slotCount: number): (string | null)[] {
  const urls = new Array<string | null>(slotCount).fill(null)
  for (const { part, rows, of, slotOf } of all) {
    if (!rows.pages) continue
    const texts = part.texts('pageUrl')
    const last = new Int32Array(slotCount).fill(-1)
    noteLast({ of, slotOf }, last)
    last.forEach((row, slot) => {
      if (row >= 0) urls[slot] = textAt(texts, row)
    })
  }
  return urls
}

/** For each figure, its value in each slot. */
function figureValues(
  { figures }: Pick<AggregateQuery, 'figures'>,
  all: readonly PartitionedCells[],
  counts: readonly number[],
  buffers: Buffers,
) {
  const values = figures.map((): (number | null)[] => [])
  for (const [column, indexes] of grouped(figures.keys(), (index) => figures[index]?.column ?? 0)) {
    const summarize = summarizer(indexes.flatMap((index) => figures[index] ?? []))
    for (const numbers of partition(column, all, counts, buffers))
      for (const [i, value] of summarize(numbers).entries()) values[indexes[i] as number]?.push(value)
  }
  return values
}

type Histograms = { readonly histograms: readonly number[][] | null; readonly bounds: readonly number[] }

function histogramsOf(
  { histogram }: AggregateQuery,
  all: readonly PartitionedCells[],
  counts: readonly number[],
  buffers: Buffers,
): Histograms {
  if (!histogram) return { histograms: null, bounds: [] }
  const slots: readonly Numbers[] = partition(histogram.column, all, counts, buffers)
  const bounds = histogram.bounds ?? boundsFor(slots)
  return { histograms: slots.map((values) => histogramCounts(values, bounds)), bounds }
}

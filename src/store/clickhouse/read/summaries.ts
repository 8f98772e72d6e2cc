import { checkAnswerSize, valuesPerRow } from '../../admission/cost.ts'
import { checkCells, type Grid, type SeriesRow, type SeriesRows, seriesOf, wholeSeriesOf } from '../../query/grid/grid.ts'
import { compareGroupKeys, type GroupKeys } from '../../query/grid/groups.ts'
import { orderedSeries, orderedValue } from '../../query/order.ts'
import {
  type AggregateAnswer,
  type AggregateQuery,
  type AggregateRow,
  type CheckSource,
  type Order,
  QueryTooLarge,
  type QuestionOptions,
} from '../../store.ts'
import type { Connection, StatementSettings } from '../connection.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { amongChecks, batchesOfChecks } from './among-checks.ts'
import { filterSql } from './filter-sql.ts'
import { boundWindow, inWindow, ofCheck } from './select-results.ts'
import { figureOf, histogramOf, isExactFigure, isInexact, type NumberOf, summaryColumns, usedColumns } from './summary-columns.ts'
import { type Cell, type SummaryKeys, summaryKeys } from './summary-keys.ts'

type SummariesOptions = {
  readonly connection: Pick<Connection, 'rows'>
  readonly metrics: MetricColumns
  /** For questions about one check. */
  readonly settings: StatementSettings
}

/** Limit of groups and buckets per statement; beyond it, results are read in columns. */
const maxCells = 100_000

/** Whether the server can compute the figures of a question exactly. */
export function isSummarized(query: AggregateQuery): boolean {
  const { sources, groupBy, figures, histogram } = query
  if ((histogram && !histogram.bounds) || !figures.every(isExactFigure)) return false
  const used = usedColumns(query)
  if (sources.some(({ columns }) => used.some((column) => columns[column]?.perPage))) return false
  return groupBy.every(({ by }) => by !== 'page') && summaryKeys(query, sources, new Set()) !== null
}

/** Answers questions about many checks in one statement, with the same figures as the kernels, to the bit. */
export function createSummaries({ connection, metrics, settings }: SummariesOptions) {
  const isKnown = new Set(metrics.values)

  /** Without FINAL, also counts repeated rows: those beyond one per start and location. */
  async function rowsOf(query: AggregateQuery, some: Some, isFinal: boolean, options?: QuestionOptions): Promise<readonly Summary[]> {
    const { sources, keys } = some
    const filter = query.filter && filterSql(query.filter, isKnown)
    const { sql: among, params: checks, isOne } = amongSources(sources)
    const passes = filter ? `(${notVoid} AND ${filter.sql})` : `(${notVoid})`
    const counted = filter ? (value: string) => `if(passes, ${value}, NULL)` : (value: string) => value
    const columns = summaryColumns(query, { sources, isKnown, counted })
    const selected = [
      ...keys.selected,
      { name: 'rows', sql: `sum(${passes} AS passes)` },
      { name: 'results', sql: `sum(${notVoid}${keys.inFirstGroup ? ` AND ${keys.inFirstGroup}` : ''})` },
      ...(isFinal ? [] : [{ name: 'repeated', sql: repeatedSql(keys) }]),
      ...(query.counts || query.order
        ? [
            { name: 'failed', sql: 'sum(passes AND bitAnd(flags, 1) = 1)' },
            { name: 'attempts', sql: 'sum(attempts * passes)' },
          ]
        : []),
      ...columns.flatMap(({ parts }) => parts),
    ]
    const names = selected.map(({ name }) => name)
    const groupBy = keys.selected.length > 0 ? ` GROUP BY ${keys.selected.map(({ name }) => name).join(', ')}` : ''
    const from = isFinal ? `results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid}` : `results WHERE ${among} AND ${inWindow}`
    const sql = `SELECT ${selected.map((part) => part.sql).join(', ')} FROM ${from}${groupBy} LIMIT ${maxCells}`
    const bound = [checks, keys.params, filter?.params, boundWindow(query.window), ...columns.map(({ params }) => params)]
    const statement = { sql, params: Object.assign({}, ...bound), ...(isOne && { settings }) }
    return summariesIn(names, await connection.rows(statement, options?.signal))
  }

  /** FINAL takes several times as long, so it is used only if some result turns out to be stored twice. */
  async function summariesOf(query: AggregateQuery, some: Some, options?: QuestionOptions): Promise<readonly Summary[]> {
    // Repeated rows may differ in a field, and so be in different groups.
    if (query.groupBy.some(({ by }) => by === 'field')) return rowsOf(query, some, true, options)
    const rows = await rowsOf(query, some, false, options).catch(nullIfTooLarge)
    return rows?.every(({ number }) => number('repeated') === 0) ? rows : rowsOf(query, some, true, options)
  }

  async function allSummaries(query: AggregateQuery, options?: QuestionOptions): Promise<readonly CellSummary[] | null> {
    const batches = batchesOfChecks(query.sources, ({ check }) => check)
    if (batches.length > 1 && summaryKeys(query, query.sources, isKnown)?.isPooled) return null
    const all: CellSummary[] = []
    for (const sources of batches) {
      const keys = summaryKeys(query, sources, isKnown)
      if (!keys) return null
      const rows = await summariesOf(query, { sources, keys }, options).catch(nullIfTooLarge)
      if (!rows || rows.length === maxCells || rows.some(({ number }) => isInexact(query, number))) return null
      all.push(...rows.map((row) => ({ ...row, keys: keys.keysOf(row.cell), start: keys.startOf(row.cell) })))
    }
    return all
  }

  /** Null if the server would not add some value as the kernels do, or if the question is too large for it. */
  return async (query: AggregateQuery, options?: QuestionOptions): Promise<AggregateAnswer | null> => {
    const all = await allSummaries(query, options)
    if (!all) return null
    const results = all.reduce((sum, { number }) => sum + number('results'), 0)
    return answerOf(
      query,
      all.filter(({ number }) => number('rows') > 0),
      results,
    )
  }
}

/** The checks of one statement, and how it groups their results. */
type Some = { readonly sources: readonly CheckSource[]; readonly keys: SummaryKeys }
/** The server's summary of a group and bucket. */
type Summary = { readonly cell: Cell; readonly number: NumberOf }
type CellSummary = Summary & { readonly keys: GroupKeys; readonly start: number | null }

/** A question about one check asks one shard. */
function amongSources(sources: readonly CheckSource[]) {
  const [{ check }] = sources as [CheckSource]
  const isOne = sources.length === 1
  return isOne ? { isOne, sql: ofCheck, params: check } : { isOne, ...amongChecks(sources.map((source) => source.check)) }
}

/** Rows of the same result are in the same group. Different results rarely share start and location; if they do, FINAL tells them apart. */
function repeatedSql({ isPooled }: SummaryKeys): string {
  const check = isPooled ? 'account, checkId, ' : ''
  return `count() - uniqExact(cityHash64(${check}startedAt, runLocation))`
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof QueryTooLarge) return null
  throw error
}

function summariesIn(names: readonly string[], rows: readonly (readonly unknown[])[]): readonly Summary[] {
  const indexes = new Map(names.map((name, i) => [name, i]))
  return rows.map((row) => {
    const cell = (name: string) => row[indexes.get(name) ?? -1]
    return { cell, number: (name) => Number(cell(name) ?? Number.NaN) }
  })
}

/** Builds groups and pages from summaries, in the same form as from results. */
function answerOf(query: AggregateQuery, all: readonly CellSummary[], results: number): AggregateAnswer {
  const bounds = query.histogram?.bounds ?? []
  const { grid, summaryAt } = gridOf(query, all)
  const rowAt = ({ start, cell }: SeriesRow) => rowOf(query, start, cell === null ? undefined : summaryAt(cell))
  const series = query.order ? inOrder(query, query.order, grid, summaryAt) : seriesOf(query, grid)
  const rows = series.reduce((sum, own) => sum + own.rows.length, 0)
  checkAnswerSize({ groups: series.length, rows, valuesPerRow: valuesPerRow(query, bounds.length) })
  return { groups: series.map((own) => ({ keys: own.keys, rows: own.rows.map(rowAt) })), results, bounds }
}

type SummaryAt = (cell: number) => CellSummary | undefined

function inOrder(query: AggregateQuery, order: Order, grid: Grid, summaryAt: SummaryAt): readonly SeriesRows[] {
  const counted = { ...query, counts: true }
  return orderedSeries(query, wholeSeriesOf(query, grid), ({ start, cell }) =>
    orderedValue(order, rowOf(counted, start, cell === null ? undefined : summaryAt(cell))),
  )
}

function gridOf(query: AggregateQuery, all: readonly CellSummary[]) {
  const starts: readonly (number | null)[] = query.buckets ? [...new Set(all.map(({ start }) => start ?? 0))].sort((a, b) => a - b) : [null]
  const named = new Map(all.map(({ keys }) => [JSON.stringify(keys), keys]))
  const keys = query.groupBy.length > 0 ? [...named.values()].sort(compareGroupKeys) : [[]]
  const [bucketOf, groupOf] = [new Map(starts.map((start, i) => [start, i])), new Map(keys.map((own, i) => [JSON.stringify(own), i]))]
  checkCells(starts.length, keys.length)
  const counts = new Int32Array(starts.length * keys.length)
  const summaries = new Map<number, CellSummary>()
  for (const summary of all) {
    const cell = (bucketOf.get(summary.start) ?? 0) * keys.length + (groupOf.get(JSON.stringify(summary.keys)) ?? 0)
    counts[cell] = summary.number('rows')
    summaries.set(cell, summary)
  }
  const grid: Grid = { starts, keys, counts, cellOf: [] }
  return { grid, summaryAt: (cell: number) => summaries.get(cell) }
}

function rowOf({ figures, counts, histogram }: AggregateQuery, start: number | null, summary: CellSummary | undefined): AggregateRow {
  const number: NumberOf = summary ? summary.number : () => 0
  const total = number('rows')
  const upToBounds = (summary?.cell('histogram') ?? histogram?.bounds?.map(() => 0) ?? []) as readonly unknown[]
  return {
    start,
    counts: counts ? { total, success: total - number('failed'), retries: number('attempts') - total } : null,
    pageUrl: null,
    values: figures.map((figure) => figureOf(figure, number)),
    histogram: histogram && [...histogramOf(upToBounds.map(Number), number(`count${histogram.column}`))],
  }
}

import { createTurns, mapInTurns } from '../../concurrency/turns.ts'
import { bucketsTouching } from '../../store/kernels/bucket-columns.ts'
import type { AggregateAnswer, AggregateGroup, AggregateQuery, AggregateRow, GroupKey } from '../../store/store.ts'
import type { StateInterval } from '../../store/timeline/interval.ts'
import { isoText } from '../../time.ts'
import type { FigureColumn } from '../metric-names.ts'
import {
  type AnswerRow,
  type AnswerSeries,
  aggregateRow,
  type IntervalText,
  intervalText,
  noResults,
  type ReportGroup,
  type RowShape,
} from '../report.ts'
import { changeOf } from './compare.ts'
import { describeQueryMetric } from './metrics.ts'
import type { QueryPlan } from './plan-query.ts'

type QueryAnswer = {
  readonly from: string
  readonly to: string
  readonly timezone: string
  readonly checks: number
  readonly series: readonly AnswerSeries[]
  readonly intervals?: readonly IntervalText[]
  readonly metadata: Readonly<Record<string, { readonly unit: string; readonly label: string; readonly aggregation?: string }>>
  readonly compared?: { readonly from: string; readonly to: string }
  readonly pagination: { readonly limit: number; readonly next: string | null }
  readonly cost: { readonly results: number; readonly milliseconds: number }
}

/** An answer of the store, with the time of its rows in each state if requested. */
type TimedAnswer = Omit<AggregateAnswer, 'groups'> & {
  readonly groups: readonly ReportGroup[]
  readonly intervals?: readonly StateInterval[] | null
}

type MeasuredGroups = {
  readonly answer: TimedAnswer
  readonly compared: TimedAnswer | null
  /** How degraded time counts. */
  readonly degraded: 'up' | 'down'
  readonly milliseconds: number
  readonly nextCursor: (offset: number) => string
}

export async function queryAnswer(plan: QueryPlan, measured: MeasuredGroups): Promise<QueryAnswer> {
  const { answer, compared, milliseconds, nextCursor } = measured
  const { request, window, zone, checks } = plan
  const { limit, offset } = request
  const { series, hasMore } = await seriesOf(plan, measured)
  return {
    from: isoText(window.from),
    to: isoText(window.to),
    timezone: zone.name,
    checks: checks.length,
    series,
    ...(answer.intervals && { intervals: answer.intervals.map(intervalText) }),
    metadata: metadataOf(plan),
    ...(plan.compared && { compared: { from: isoText(plan.compared.window.from), to: isoText(plan.compared.window.to) } }),
    pagination: { limit, next: hasMore ? nextCursor(offset + limit) : null },
    cost: { results: answer.results + (compared?.results ?? 0), milliseconds },
  }
}

/** The columns of an answer, even if it has no rows. */
export function queryColumns(plan: QueryPlan, isByTime: boolean): readonly string[] {
  const { query, histogram, compared } = plan
  const { data: _, ...keys } = entryOf(plan, new Map(), [], [])
  const row = aggregateRow(rowShape(plan, 'up'), [], noResults(query, isByTime))
  const [first = row] = histogram ? histogramRows(rowShape(plan, 'up'), [], { ...noResults(query, false), histogram: [0] }, []) : []
  const inner = compared ? Object.keys(row).map((name) => `previous.${name}`) : []
  const own = Object.keys(withPrevious(plan, first, null)).filter((name) => name !== 'previous')
  return [...new Set([...Object.keys(keys), ...own, ...inner])]
}

type Rows = { readonly keys: readonly GroupKey[]; readonly rows: readonly AnswerRow[] }

async function seriesOf(plan: QueryPlan, { answer, compared, degraded }: MeasuredGroups) {
  const { query, histogram } = plan
  const shape = rowShape(plan, degraded)
  const turns = createTurns()
  const values = query.figures.length + answer.bounds.length
  const previous = compared && (await previousRows(plan, shape, compared, { turns, values }))
  const all: Rows[] = []
  for (const { keys, rows } of answer.groups) {
    const mapped = await mapInTurns(rows, { turns, values }, (row): readonly AnswerRow[] =>
      histogram
        ? histogramRows(shape, keys, row, answer.bounds)
        : [withPrevious(plan, aggregateRow(shape, keys, row), previous?.(keys, row.start) ?? null)],
    )
    all.push({ keys, rows: mapped.flat() })
  }
  const { groups, hasMore } = pageOf(plan, all)
  const filled = query.groupBy.length === 0 && groups.length === 0 ? [{ keys: [], rows: [] }] : groups
  const names = new Map(plan.checks.map(({ id, name }) => [id, name]))
  return { series: filled.map(({ keys, rows }) => entryOf(plan, names, keys, rows)), hasMore }
}

function rowShape({ request, columns }: QueryPlan, degraded: 'up' | 'down'): RowShape {
  const groupBy = request.groupBy.map((name) => ({ name, by: name }))
  return { timezone: request.timezone, groupBy, columns: columns.columns, degraded }
}

/** One entry of `series`: its keys first; after the id of a check, its name. */
function entryOf(
  { request }: QueryPlan,
  names: ReadonlyMap<GroupKey, string>,
  keys: readonly GroupKey[],
  data: readonly AnswerRow[],
): AnswerSeries {
  const entry: Record<string, GroupKey | readonly AnswerRow[]> = {}
  request.groupBy.forEach((dimension, i) => {
    entry[dimension] = keys[i] ?? null
    if (dimension === 'check') entry.name = names.get(keys[i] ?? null) ?? null
  })
  return { ...entry, data }
}

/** Pages the rows of each series if there are buckets, else the groups. One more than the limit was read, to detect whether more follow. */
function pageOf(
  { request, query, isOrderedLate }: QueryPlan,
  groups: readonly Rows[],
): { readonly groups: readonly Rows[]; readonly hasMore: boolean } {
  const { limit, offset } = request
  const orderBy = isOrderedLate ? request.orderBy : null
  const start = isOrderedLate ? offset : 0
  const cut = <T>(items: readonly T[]) => items.slice(start, start + limit)
  if (query.buckets) {
    const ordered = groups.map(({ keys, rows }) => ({ keys, rows: orderBy ? rows.toSorted(byMetric(orderBy, (row) => row)) : rows }))
    const paged = ordered.map(({ keys, rows }) => ({ keys, rows: cut(rows) })).filter(({ rows }) => rows.length > 0)
    return { groups: paged, hasMore: ordered.some(({ rows }) => rows.length > start + limit) }
  }
  if (query.groupBy.length === 0) return { groups: offset > 0 ? [] : groups, hasMore: false }
  const ordered = orderBy ? groups.toSorted(byMetric(orderBy, ({ rows }: Rows) => rows[0])) : groups
  return { groups: cut(ordered), hasMore: ordered.length > start + limit }
}

type Order = NonNullable<QueryPlan['request']['orderBy']>

/** Nulls come last, whatever the direction. */
function byMetric<T>({ metric, direction }: Order, rowOf: (item: T) => AnswerRow | undefined) {
  const figureOf = (item: T) => {
    const value = rowOf(item)?.[metric]
    return typeof value === 'number' ? value : null
  }
  return (a: T, b: T): number => {
    const [left, right] = [figureOf(a), figureOf(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return direction === 'asc' ? left - right : right - left
  }
}

/** Finds the row of the compared window with the same keys and, with buckets, the same position in its window. */
async function previousRows(plan: QueryPlan, shape: RowShape, compared: TimedAnswer, work: Parameters<typeof mapInTurns>[1]) {
  const { query } = plan
  const comparedQuery = plan.compared?.query ?? query
  const byPlace = new Map<string, AnswerRow>()
  for (const { keys, rows } of compared.groups)
    await mapInTurns(rows, work, (row) => byPlace.set(placeOf(comparedQuery, keys, row.start), aggregateRow(shape, keys, row)))
  return (keys: readonly GroupKey[], start: number | null): AnswerRow | null => byPlace.get(placeOf(query, keys, start)) ?? null
}

function placeOf({ buckets, window }: AggregateQuery, keys: AggregateGroup['keys'], start: number | null): string {
  const position = buckets && start !== null ? bucketsTouching(buckets, { from: window.from, to: Math.max(start, window.from) }) : 0
  return JSON.stringify([keys, position])
}

function withPrevious({ compared, request, columns }: QueryPlan, row: AnswerRow, previous: AnswerRow | null): AnswerRow {
  if (!compared) return row
  if (request.confidence === null) return { ...row, previous }
  const ranked = columns.columns.filter((column): column is FigureColumn => column.bounds !== null)
  return { ...row, ...Object.fromEntries(ranked.map(({ name }) => [`${name}_change`, changeOf(name, row, previous)])), previous }
}

/** A row for each bucket of a histogram: values above `from`, up to and including `to`. */
function histogramRows(shape: RowShape, keys: readonly GroupKey[], row: AggregateRow, bounds: readonly number[]): readonly AnswerRow[] {
  const head = aggregateRow({ ...shape, columns: [] }, keys, row)
  return (row.histogram ?? []).map((count, i) => ({ ...head, from: bounds[i - 1] ?? null, to: bounds[i] ?? null, count }))
}

function metadataOf({ columns, histogram, types }: QueryPlan): QueryAnswer['metadata'] {
  if (histogram) return { [histogram.name]: { ...unitOf(histogram, types), aggregation: 'histogram' } }
  return Object.fromEntries(
    columns.columns.map((column) => [
      column.name,
      column.kind === 'aggregated' ? { ...unitOf(column, types), aggregation: column.aggregation } : unitOf(column, types),
    ]),
  )
}

function unitOf(...[metric, types]: Parameters<typeof describeQueryMetric>) {
  const { unit, label } = describeQueryMetric(metric, types)
  return { unit, label }
}

import { allTime } from '../../calendar/window.ts'
import type { FailuresQuery } from '../failures/failures.ts'
import type { OutagesQuery, StatesQuery } from '../state-questions.ts'
import {
  type AggregateQuery,
  type CheckRef,
  type CheckSource,
  QueryTooLarge,
  type RawQuery,
  type ResultQuery,
  type ResultsQuery,
  type Window,
} from '../store.ts'
import type { TotalsQuery } from '../totals.ts'

/** Approximate number of results of a check on the days of a window. */
export type CountResults = (check: CheckRef, window: Window) => number | Promise<number>

/** Costs are counted in values: results × columns that are read. A question up to this cost is answered within about 100 ms. */
export const cheapCost = 2_000_000
/** A question above this cost would exceed the time limit. */
export const maxCost = 400_000_000

/** Approximate number of columns of a whole result. */
const wholeColumns = 40
/** Time, location and outcome. */
export const stateColumns = 3
/** The same, and the error. */
export const failureColumns = stateColumns + 1

export function aggregateCost(query: AggregateQuery, count: CountResults): Promise<number> {
  return sum(query.sources, async (source) => (await count(source.check, query.window)) * aggregateColumns(query, source))
}

/** Columns read per result of a check. */
export function aggregateColumns(query: AggregateQuery, { columns }: CheckSource): number {
  const { groupBy, filter } = query
  const own = columns.filter((column) => column !== null).length
  return 1 + own + groupBy.length + (needsCounts(query) ? 2 : 0) + (filter ? 2 : 0)
}

/** Whether counts are requested or needed for sorting. */
export const needsCounts = ({ counts, order }: Pick<AggregateQuery, 'counts' | 'order'>) => counts || typeof order?.by === 'string'

/**
 * ClickHouse aggregates this many values at the cost of reading one. Measured with bench:stores: 1.2 µs to read a value from ClickHouse,
 * about 0.4 µs to aggregate it there.
 */
const summarizedPerValue = 3

/** The cost of a question that a database aggregates, or whose results are mostly cached. */
export async function summaryCost(query: AggregateQuery, count: CountResults): Promise<number> {
  return (await aggregateCost(query, count)) / summarizedPerValue
}

export function statesCost({ sources, window }: Pick<StatesQuery | OutagesQuery, 'sources' | 'window'>, count: CountResults) {
  return sum(sources, async ({ check }) => (await count(check, window)) * stateColumns)
}

/** The cost of a character of an error, in values. */
export const characterCost = 2

/** Excludes the length of the errors, which is known only once they are read. */
export function failuresCost({ sources, window }: FailuresQuery, count: CountResults): Promise<number> {
  return sum(sources, async (check) => (await count(check, window)) * failureColumns)
}

/** Whether a query reads only the rows that it returns. */
export const isBounded = ({ filter, groupBy }: Pick<RawQuery, 'filter' | 'groupBy'>) => !filter && !groupBy

/** A page without filter and groups reads only the runs that it returns. */
export async function rawCost(query: RawQuery, count: CountResults): Promise<number> {
  const { check, window, metrics, rowPage } = query
  const runs = isBounded(query) ? rowPage.limit : await count(check, window)
  return runs * (stateColumns + 2 + metrics.length)
}

export async function totalsCost({ check, duration, window }: TotalsQuery, count: CountResults): Promise<number> {
  return (await count(check, window)) * (stateColumns + (duration === null ? 0 : 1))
}

/** Reads a result and its neighbours. Without `startedAt`, searches all results of the check, deriving missing ids. */
export async function resultCost({ check, startedAt }: ResultQuery, count: CountResults): Promise<number> {
  return pageCost(3 + (startedAt === null ? await count(check, allTime) : 0))
}

/** A filter may have to scan the whole window to fill a page. */
export async function resultsCost({ check, window, location, hasFailures, rowPage }: ResultsQuery, count: CountResults): Promise<number> {
  const filterColumns = (location === null ? 0 : 1) + (hasFailures === null ? 0 : 1)
  return pageCost(rowPage.limit) + (filterColumns === 0 ? 0 : (await count(check, window)) * filterColumns)
}

export const pageCost = (results: number) => results * wholeColumns

/** The cost of results that are decoded one by one and sorted for a page. Capped, so that they never cause a refusal. */
export const unsortedCost = (results: number) => Math.min(results * 500, maxCost / 4)

/** Returns the cost, or throws `QueryTooLarge` if it exceeds the limit. */
export function affordable(cost: number, limit: number): number {
  if (cost <= limit) return cost
  throw new QueryTooLarge(`it reads about ${millions(cost)} million values, and the limit is ${millions(limit)} million`)
}

const millions = (cost: number) => Number((cost / 1e6).toPrecision(3)).toLocaleString('en')

async function sum<T>(items: readonly T[], of: (item: T) => Promise<number>): Promise<number> {
  return (await Promise.all(items.map(of))).reduce((total, cost) => total + cost, 0)
}

/** Answers are merged in the main thread, so their size is limited: the rows, and the values in all rows. */
const maxRows = 50_000
const maxValues = 1_000_000

type AnswerSize = { readonly groups: number; readonly rows: number; readonly valuesPerRow: number }

export function checkAnswerSize({ groups, rows, valuesPerRow }: AnswerSize): void {
  const most = Math.min(maxRows, Math.floor(maxValues / Math.max(1, valuesPerRow)))
  if (rows <= most) return
  throw new QueryTooLarge(`its answer has ${rows} rows in ${groups} groups, and the limit is ${most} rows`)
}

export function valuesPerRow({ figures, counts, histogram }: AggregateQuery, bounds: number): number {
  return figures.length + (counts ? 3 : 0) + (histogram ? bounds + 1 : 0)
}

/** Limit of state rows in one answer, over all checks and locations. */
const maxStateRows = 200_000

export function checkStateRows(rows: number): void {
  if (rows <= maxStateRows) return
  throw new QueryTooLarge(`the time in each state of its checks and locations has ${rows} rows, and the limit is ${maxStateRows}`)
}

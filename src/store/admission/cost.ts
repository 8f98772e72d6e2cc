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

/** How many results of a check are stored on the days of a window, about. */
export type CountResults = (check: CheckRef, window: Window) => number | Promise<number>

/** Costs are in values: results × columns that are read. A question up to this is answered within some 100 ms. */
export const cheapCost = 2_000_000
/** A question beyond this would not be answered within the time limit. */
export const maxCost = 400_000_000

/** The columns of a whole result, roughly. */
const wholeColumns = 40
/** When, where and how a result ended. */
export const stateColumns = 3
/** The same, and why. */
export const failureColumns = stateColumns + 1

export function aggregateCost(query: AggregateQuery, count: CountResults): Promise<number> {
  return sum(query.sources, async (source) => (await count(source.check, query.window)) * aggregateColumns(query, source))
}

/** How many columns are read of the results of a check. */
export function aggregateColumns(query: AggregateQuery, { columns }: CheckSource): number {
  const { groupBy, filter } = query
  const own = columns.filter((column) => column !== null).length
  return 1 + own + groupBy.length + (needsCounts(query) ? 2 : 0) + (filter ? 2 : 0)
}

/** Whether rows have counts, or are in the order of one. */
export const needsCounts = ({ counts, order }: Pick<AggregateQuery, 'counts' | 'order'>) => counts || typeof order?.by === 'string'

/**
 * This many values that are added up cost as much as one that is read. Measured with bench:stores: 1.2 µs to read a value from ClickHouse,
 * about 0.4 µs to have it added up there.
 */
const summarizedPerValue = 3

/** The same for a question whose results are added up elsewhere, or are mostly cached. */
export async function summaryCost(query: AggregateQuery, count: CountResults): Promise<number> {
  return (await aggregateCost(query, count)) / summarizedPerValue
}

export function statesCost({ sources, window }: Pick<StatesQuery | OutagesQuery, 'sources' | 'window'>, count: CountResults) {
  return sum(sources, async ({ check }) => (await count(check, window)) * stateColumns)
}

/** The cost of a character of an error, in values. */
export const characterCost = 2

/** How long the errors are is found only as they are read. */
export function failuresCost({ sources, window }: FailuresQuery, count: CountResults): Promise<number> {
  return sum(sources, async (check) => (await count(check, window)) * failureColumns)
}

/** Whether an answer needs to read no more than the rows that it holds. */
export const isBounded = ({ filter, groupBy }: Pick<RawQuery, 'filter' | 'groupBy'>) => !filter && !groupBy

/** A page of the newest runs reads no more than it answers. */
export async function rawCost(query: RawQuery, count: CountResults): Promise<number> {
  const { check, window, metrics, rowPage } = query
  const runs = isBounded(query) ? rowPage.limit : await count(check, window)
  return runs * (stateColumns + 2 + metrics.length)
}

export async function totalsCost({ check, duration, window }: TotalsQuery, count: CountResults): Promise<number> {
  return (await count(check, window)) * (stateColumns + (duration === null ? 0 : 1))
}

/** Without its start, a result is looked for among all of its check, whose ids are derived one by one. Its neighbours are read with it. */
export async function resultCost({ check, startedAt }: ResultQuery, count: CountResults): Promise<number> {
  return pageCost(3 + (startedAt === null ? await count(check, allTime) : 0))
}

/** A filter may have to look through the whole window for the results of a page. */
export async function resultsCost({ check, window, location, hasFailures, rowPage }: ResultsQuery, count: CountResults): Promise<number> {
  const filterColumns = (location === null ? 0 : 1) + (hasFailures === null ? 0 : 1)
  return pageCost(rowPage.limit) + (filterColumns === 0 ? 0 : (await count(check, window)) * filterColumns)
}

export const pageCost = (results: number) => results * wholeColumns

/** Results that are decoded one by one and sorted for a page cost as much as this many values of others. No page is refused for them. */
export const unsortedCost = (results: number) => Math.min(results * 500, maxCost / 4)

/** The cost, where a question of that cost may be asked at all. */
export function affordable(cost: number, limit: number): number {
  if (cost <= limit) return cost
  throw new QueryTooLarge(`it reads about ${millions(cost)} million values, and at most ${millions(limit)} million are read for one answer`)
}

const millions = (cost: number) => Number((cost / 1e6).toPrecision(3)).toLocaleString('en')

async function sum<T>(items: readonly T[], of: (item: T) => Promise<number>): Promise<number> {
  return (await Promise.all(items.map(of))).reduce((total, cost) => total + cost, 0)
}

/** Answers are put together in the main thread, so that their size is limited: rows, and values in all of them. */
const maxRows = 50_000
const maxValues = 1_000_000

type AnswerSize = { readonly groups: number; readonly rows: number; readonly valuesPerRow: number }

/** Throws where an answer would be too large. */
export function checkAnswerSize({ groups, rows, valuesPerRow }: AnswerSize): void {
  const most = Math.min(maxRows, Math.floor(maxValues / Math.max(1, valuesPerRow)))
  if (rows <= most) return
  throw new QueryTooLarge(`its answer has ${rows} rows in ${groups} groups, and at most ${most} such rows are in one answer`)
}

/** How many values a row of a question has. */
export function valuesPerRow({ figures, counts, histogram }: AggregateQuery, bounds: number): number {
  return figures.length + (counts ? 3 : 0) + (histogram ? bounds + 1 : 0)
}

/** Rows of the states of all checks and locations that are in one answer. */
const maxStateRows = 200_000

export function checkStateRows(rows: number): void {
  if (rows <= maxStateRows) return
  throw new QueryTooLarge(
    `the time in each state of its checks and locations has ${rows} rows, and at most ${maxStateRows} are read for one answer`,
  )
}

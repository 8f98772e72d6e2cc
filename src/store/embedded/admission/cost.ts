import { allTime } from '../../day-number.ts'
import type { FailuresQuery } from '../../failures/failures.ts'
import type { OutagesQuery, StatesQuery } from '../../states.ts'
import {
  type AggregateQuery,
  type CheckRef,
  QueryTooLarge,
  type RawQuery,
  type ResultQuery,
  type ResultsQuery,
  type Window,
} from '../../store.ts'
import type { TotalsSource } from '../../totals.ts'

/** How many results of a check are stored on the days of a window. */
export type CountResults = (check: CheckRef, window: Window) => number

/** Costs are in values: results × columns that are read. A question up to this is answered within some 100 ms. */
export const cheapCost = 2_000_000
/** A question beyond this would not be answered within the time limit. */
export const maxCost = 400_000_000

/** The columns of a whole result, roughly. */
const wholeColumns = 40
/** When, where and how a result ended. */
const stateColumns = 3

export function aggregateCost({ sources, window, groupBy, counts, filter }: AggregateQuery, count: CountResults): number {
  const shared = 1 + groupBy.length + (counts ? 2 : 0) + (filter ? 2 : 0)
  return sum(sources, ({ check, columns }) => count(check, window) * (shared + columns.filter((column) => column !== null).length))
}

export function statesCost({ sources, window }: Pick<StatesQuery | OutagesQuery, 'sources' | 'window'>, count: CountResults): number {
  return sum(sources, ({ check }) => count(check, window) * stateColumns)
}

/** When, where and how a result ended, and why. */
export function failuresCost({ sources, window }: FailuresQuery, count: CountResults): number {
  return sum(sources, (check) => count(check, window) * (stateColumns + 1))
}

export function rawCost({ check, window, metrics }: RawQuery, count: CountResults): number {
  return count(check, window) * (stateColumns + 2 + metrics.length)
}

export function totalsCost({ check, duration }: TotalsSource, count: CountResults): number {
  return count(check, allTime) * (stateColumns + (duration === null ? 0 : 1))
}

/** Without its start, a result is looked for among all of its check, whose ids are derived one by one. Its neighbours are read with it. */
export function resultCost({ check, startedAt }: ResultQuery, count: CountResults): number {
  return pageCost(3 + (startedAt === null ? count(check, allTime) : 0))
}

/** A filter may have to look through the whole window for the results of a page. */
export function resultsCost({ check, window, location, hasFailures, rowPage }: ResultsQuery, count: CountResults): number {
  const filterColumns = (location === null ? 0 : 1) + (hasFailures === null ? 0 : 1)
  return pageCost(rowPage.limit) + (filterColumns === 0 ? 0 : count(check, window) * filterColumns)
}

export const pageCost = (results: number) => results * wholeColumns

/** The cost, where a question of that cost may be asked at all. */
export function affordable(cost: number, limit: number): number {
  if (cost <= limit) return cost
  throw new QueryTooLarge(`it reads about ${millions(cost)} million values, and at most ${millions(limit)} million are read for one answer`)
}

const millions = (cost: number) => Number((cost / 1e6).toPrecision(3)).toLocaleString('en')

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

import type { CheckRef, QuestionOptions, Window } from '../../store.ts'
import type { Connection, StatementParams, StatementSettings } from '../connection.ts'
import { type MetricColumns, pageColumn, valueColumn } from '../schema/metric-columns.ts'
import { type LoadedColumns, loadedColumns } from './loaded-part.ts'

/** A question for columns of one check's results. */
export type Selection = {
  readonly check: CheckRef
  readonly window: Window
  /** As a `Part` names them. */
  readonly columns: readonly string[]
  /** Further conditions, whose values are bound. */
  readonly where?: readonly string[]
  readonly params?: StatementParams
  /** Newest first, and only those of a page; otherwise all, oldest first. */
  readonly page?: { readonly newestFirst: boolean; readonly limit: number; readonly offset: number }
}

export type SelectResults = (selection: Selection, options?: QuestionOptions) => Promise<LoadedColumns>

type SelectOptions = {
  readonly connection: Connection
  readonly metrics: MetricColumns
  /** For questions about one check. */
  readonly settings: StatementSettings
}

/** The columns of results that every result has. */
const fixedColumns: Readonly<Record<string, string>> = {
  time: 'startedAt',
  location: 'runLocation',
  flags: 'flags',
  attempts: 'attempts',
  state: 'state',
  error: 'error',
  id: 'id',
  pages: 'toUInt32(length(pages.url))',
  pageUrl: 'pages.url',
}

export const ofCheck = 'account = {account:String} AND checkId = {checkId:String}'
export const inWindow = 'startedAt BETWEEN {from:Int64} AND {to:Int64}'

/** Everything that a result consists of. */
export function wholeResult({ values, pageValues }: MetricColumns): readonly string[] {
  return [...Object.keys(fixedColumns), ...values.map((name) => `v:${name}`), ...pageValues.map((name) => `p:${name}`)]
}

export function createSelect({ connection, metrics, settings }: SelectOptions): SelectResults {
  const sqlOf = createColumnNames(metrics)
  return async ({ check, window, columns, where = [], params = {}, page }, { signal } = {}) => {
    const { names, sql: list } = knownColumns(columns, sqlOf)
    const conditions = [ofCheck, inWindow, ...where].join(' AND ')
    const sql = `SELECT ${list} FROM results FINAL WHERE ${conditions} ORDER BY ${orderOf(page)}`
    const paging = page && { limit: page.limit, offset: page.offset }
    const { account, checkId } = check
    const bound = { account, checkId, ...boundWindow(window), ...params, ...paging }
    return loadedColumns(names, await connection.columns({ sql, params: bound, settings }, signal))
  }
}

/** Those of the columns that the table has, and their list in SQL. */
export function selectedColumns(metrics: MetricColumns, columns: readonly string[]) {
  return knownColumns(columns, createColumnNames(metrics))
}

function knownColumns(columns: readonly string[], sqlOf: ReadonlyMap<string, string>) {
  const names = [...new Set(columns)].filter((column) => sqlOf.has(column)).sort()
  return { names, sql: names.map((column) => sqlOf.get(column)).join(', ') }
}

function createColumnNames({ values, pageValues }: MetricColumns): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(fixedColumns),
    ...values.map((name) => [`v:${name}`, valueColumn(name)] as const),
    ...pageValues.map((name) => [`p:${name}`, pageColumn(name)] as const),
  ])
}

function orderOf(page: Selection['page']): string {
  if (!page) return 'startedAt, runLocation, id'
  const order = page.newestFirst ? 'startedAt DESC, runLocation DESC, id DESC' : 'startedAt, runLocation, id'
  return `${order} LIMIT {limit:UInt64} OFFSET {offset:UInt64}`
}

/** Whole milliseconds that the server can hold. */
export function boundWindow({ from, to }: Window): Window {
  const within = (instant: number) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, instant))
  return { from: within(Math.ceil(from)), to: within(Math.floor(to)) }
}

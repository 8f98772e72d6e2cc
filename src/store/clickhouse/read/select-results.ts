import { checkKey } from '../../../ids/check-ref.ts'
import { dayMs } from '../../../time.ts'
import type { CheckRef, QuestionOptions, Window } from '../../store.ts'
import type { Connection, StatementParams, StatementSettings } from '../connection.ts'
import { type MetricColumns, pageColumn, valueColumn } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { amongChecks } from './among-checks.ts'
import { columnsByCheck, emptyColumns, type LoadedColumns, loadedColumns } from './loaded-part.ts'
import { together } from './together.ts'

/** A question for columns of one check's results. */
export type ColumnSelection = {
  readonly check: CheckRef
  readonly window: Window
  /** As a `Part` names them. */
  readonly columns: readonly string[]
  /** Further conditions, whose values are bound. */
  readonly where?: readonly string[]
  readonly params?: StatementParams
  /** Only those of a page; otherwise all, oldest first. */
  readonly page?: Page
}
type Page = { readonly newestFirst: boolean; readonly limit: number; readonly offset: number }

export type SelectResults = (selection: ColumnSelection, options?: QuestionOptions) => Promise<LoadedColumns>

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

/** The first columns of the table's key, so that the server reads in this order and stops early. */
const key = 'account, checkId, startedAt'
const keyDescending = 'account DESC, checkId DESC, startedAt DESC'
const shortWindowMs = dayMs

export const ofCheck = 'account = {account:String} AND checkId = {checkId:String}'
export const inWindow = 'startedAt BETWEEN {from:Int64} AND {to:Int64}'

/** Everything that a result consists of. */
export function wholeResult({ values, pageValues }: MetricColumns): readonly string[] {
  return [...Object.keys(fixedColumns), ...values.map((name) => `v:${name}`), ...pageValues.map((name) => `p:${name}`)]
}

export function createSelect({ connection, metrics, settings }: SelectOptions): SelectResults {
  const sqlOf = createColumnNames(metrics)

  async function select(
    { check, window, columns, where, params, page }: ColumnSelection,
    { signal }: QuestionOptions,
  ): Promise<LoadedColumns> {
    const { names, sql: list } = knownColumns(columns, sqlOf)
    const sql = `SELECT ${list} FROM results FINAL WHERE ${conditionsOf(where)} ORDER BY ${orderOf(page)}`
    const paging = page && { limit: page.limit, offset: page.offset }
    const bound = { ...check, ...boundWindow(window), ...params, ...paging }
    return loadedColumns(names, await connection.columns({ sql, params: bound, settings }, signal))
  }

  /** Where a page ends, as far as that is known without telling repeated rows apart; null where it is the last one. */
  async function endOfPage(
    { check, window, where, params }: ColumnSelection,
    page: Page,
    { signal }: QuestionOptions,
  ): Promise<number | null> {
    const order = page.newestFirst ? keyDescending : key
    const sql = `SELECT startedAt FROM results WHERE ${conditionsOf(where)} ORDER BY ${order} LIMIT 1 OFFSET {last:UInt64}`
    const bound = { ...check, ...boundWindow(window), ...params, last: page.offset + page.limit - 1 }
    const [row] = await connection.rows({ sql, params: bound, settings }, signal)
    return row ? Number(row[0]) : null
  }

  /** Results of several checks in one statement; the selections are alike but for their checks. */
  async function selectMany(selections: readonly ColumnSelection[], signal?: AbortSignal): Promise<readonly LoadedColumns[]> {
    const [first] = selections as [ColumnSelection]
    if (selections.length === 1) return [await select(first, signal ? { signal } : {})]
    const { window, columns, where = [], params } = first
    const { names, sql: list } = knownColumns(columns, sqlOf)
    const { sql: among, params: checks } = amongChecks(selections.map(({ check }) => check))
    const conditions = [among, inWindow, notVoid, ...where].join(' AND ')
    const sql = `SELECT account, checkId${names.length > 0 ? `, ${list}` : ''} FROM results FINAL WHERE ${conditions} ORDER BY ${key}, runLocation, id`
    const bound = { ...checks, ...boundWindow(window), ...params }
    const loaded = loadedColumns(['account', 'checkId', ...names], await connection.columns({ sql, params: bound }, signal))
    const byCheck = columnsByCheck(loaded)
    return selections.map(({ check }) => byCheck.get(checkKey(check)) ?? emptyColumns)
  }
  const selectTogether = together({ ask: selectMany, nameOf: shapeOf, most: checksPerStatement })

  /** To put a page together, the server reads all columns of the whole window: so where the page ends is asked for first. */
  return async (selection, options = {}) => {
    const { page, window } = selection
    if (!page) return selectTogether(selection, options.signal)
    if (page.limit === 0 || window.to - window.from <= shortWindowMs) return select(selection, options)
    const end = await endOfPage(selection, page, options)
    if (end === null) return select(selection, options)
    const shorter = page.newestFirst ? { from: end, to: window.to } : { from: window.from, to: end }
    const loaded = await select({ ...selection, window: shorter }, options)
    return loaded.count < page.limit ? select(selection, options) : loaded
  }
}

/** More would not be sorted in the memory that a statement may use. */
const checksPerStatement = 20

/** What is the same for selections that one statement can answer. */
const shapeOf = ({ check, ...rest }: ColumnSelection) => JSON.stringify(rest)

const conditionsOf = (where: readonly string[] = []) => [ofCheck, inWindow, notVoid, ...where].join(' AND ')

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

function orderOf(page: ColumnSelection['page']): string {
  if (!page) return 'startedAt, runLocation, id'
  const order = page.newestFirst ? 'startedAt DESC, runLocation DESC, id DESC' : 'startedAt, runLocation, id'
  return `${order} LIMIT {limit:UInt64} OFFSET {offset:UInt64}`
}

/** Whole milliseconds that the server can hold. */
export function boundWindow({ from, to }: Window): Window {
  const within = (instant: number) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, instant))
  return { from: within(Math.ceil(from)), to: within(Math.floor(to)) }
}

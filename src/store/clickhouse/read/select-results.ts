import { dayMs } from '../../../time.ts'
import type { CheckRef, QuestionOptions, Window } from '../../store.ts'
import type { Connection, StatementParams, StatementSettings } from '../connection.ts'
import { type MetricColumns, pageColumn, valueColumn } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { amongChecks } from './among-checks.ts'
import { checkColumn, columnsByCheck, orderColumns, partColumn, resultsByCheck } from './in-order.ts'
import { emptyColumns, type LoadedColumns, loadedColumns } from './loaded-part.ts'
import { together } from './together.ts'
import { urlBatches } from './url-batches.ts'

/** A selection of columns of one check's results. */
export type ColumnSelection = {
  readonly check: CheckRef
  readonly window: Window
  /** As a `Part` names them. */
  readonly columns: readonly string[]
  /** Further conditions, whose values are bound. */
  readonly where?: readonly string[]
  readonly params?: StatementParams
  /** One page; without it, all results, oldest first. */
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

/** Columns of every result, whatever its check type. */
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

/** A prefix of the table's key, so that the server reads in this order and stops early. */
const key = 'account, checkId, startedAt'
const keyDescending = 'account DESC, checkId DESC, startedAt DESC'
const shortWindowMs = dayMs
/** Faster to send and to decode than the id. */
const numberOfCheck = 'transform(checkId, {checkIds:Array(String)}, {numbers:Array(UInt32)}, 0)'

export const ofCheck = 'account = {account:String} AND checkId = {checkId:String}'
export const inWindow = 'startedAt BETWEEN {from:Int64} AND {to:Int64}'

/** Every column of a result. */
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

  /** The start at which a page ends, if no rows are repeated; null if it is the last page. */
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

  /**
   * Reads whole windows of several checks of an account in one statement; the selections differ only in their checks. A result may be
   * stored twice: FINAL finds the row that counts, but takes several times as long. Without FINAL, null if rows do not show which of them
   * count.
   */
  async function selectTables(selections: readonly ColumnSelection[], isFinal: boolean, signal?: AbortSignal) {
    const [first] = selections as [ColumnSelection]
    const isOne = selections.length === 1
    const { sql: among, params: checks } = isOne ? { sql: ofCheck, params: first.check } : amongChecks(selections.map(({ check }) => check))
    const numbers = isOne ? null : checkNumbers(selections)
    const wanted = knownColumns(isFinal ? first.columns : [...first.columns, ...orderColumns], sqlOf)
    const names = [...(isOne ? [] : [checkColumn]), ...wanted.names, ...(isFinal ? [] : [partColumn.name])]
    const list = [...(isOne ? [] : [numberOfCheck]), ...(wanted.sql ? [wanted.sql] : []), ...(isFinal ? [] : [partColumn.sql])]
    const conditions = [among, inWindow, ...(isFinal ? [notVoid] : []), ...(first.where ?? [])].join(' AND ')
    const from = isFinal ? 'results FINAL' : 'results'
    const order = isFinal ? ` ORDER BY ${isOne ? '' : 'checkId, '}startedAt, runLocation, id` : ''
    const sql = `SELECT ${list.join(', ')} FROM ${from} WHERE ${conditions}${order}`
    const bound = { ...checks, ...(numbers && { numbers }), ...boundWindow(first.window), ...first.params }
    const block = await connection.columns({ sql, params: bound, ...(isOne && { settings }) }, signal)
    const loaded = loadedColumns(names, block)
    return isFinal ? columnsByCheck(loaded) : resultsByCheck(loaded, block.blockEnds)
  }

  /** Conditions need FINAL from the start: one may hold for one row of a result and not for another. */
  async function selectAlike(selections: readonly ColumnSelection[], signal?: AbortSignal): Promise<readonly LoadedColumns[]> {
    const isConditional = (selections[0]?.where ?? []).length > 0
    const plain = isConditional ? null : await selectTables(selections, false, signal)
    const byCheck = plain ?? (await selectTables(selections, true, signal))
    return checkNumbers(selections).map((number) => byCheck?.get(number) ?? emptyColumns)
  }
  const selectMany = async (selections: readonly ColumnSelection[], signal?: AbortSignal) => {
    const loaded: LoadedColumns[] = []
    for (const some of urlBatches(selections, inUrl)) loaded.push(...(await selectAlike(some, signal)))
    return loaded
  }
  const selectTogether = together({ ask: selectMany, nameOf: shapeOf, most: checksPerStatement })

  /** To build a page, the server reads all columns of the whole window. So first ask where the page ends. */
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

/** Limits only the checks: calls are sized so that a statement can order their results. */
const checksPerStatement = 1000
/** All selections share an account, and the number of a check has at most as many digits as this. */
const inUrl = ({ check }: ColumnSelection) => [check.checkId, checksPerStatement]

/** A number for each selection, equal for the same check. */
function checkNumbers(selections: readonly ColumnSelection[]): readonly number[] {
  const numbers = new Map<string, number>()
  for (const { check } of selections) if (!numbers.has(check.checkId)) numbers.set(check.checkId, numbers.size)
  return selections.map(({ check }) => numbers.get(check.checkId) ?? 0)
}

/** Selections of the same shape can share a statement. */
const shapeOf = ({ check: { account }, ...rest }: ColumnSelection) => JSON.stringify({ account, ...rest })

const conditionsOf = (where: readonly string[] = []) => [ofCheck, inWindow, notVoid, ...where].join(' AND ')

/** The columns that the table has, and their list in SQL. */
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

/** Rounds inwards to whole milliseconds, and clamps to safe integers. */
export function boundWindow({ from, to }: Window): Window {
  const within = (instant: number) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, instant))
  return { from: within(Math.ceil(from)), to: within(Math.floor(to)) }
}

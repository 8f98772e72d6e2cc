import type { CheckType } from '../checks/define.ts'
import { csvLine } from '../csv.ts'
import type { CheckRef, Result, Store, Window } from '../store/store.ts'
import type { FileFormat } from './file-rows.ts'

export type Export = { readonly check: CheckRef; readonly checkType: CheckType; readonly window: Window; readonly format: FileFormat }

export const mediaTypes = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' } as const

/** Every result of a check in a window, oldest first, as `import` reads it, some lines at a time: the same results, the same bytes. */
export async function* exported(store: Store, { check, checkType, window, format }: Export): AsyncGenerator<string> {
  const columns = columnsOf(checkType)
  const perPage = Object.keys(checkType.metrics).filter((name) => checkType.metrics[name]?.perPage)
  const line = format === 'csv' ? csvRow : ndjsonRow
  if (format === 'csv') yield csvLine(columns)
  for await (const results of store.scan(check, window))
    yield results.map((result) => line(columns, { ...plain(result, check.checkId), pages: pagesOf(result, perPage) })).join('')
}

type Properties = Readonly<Record<string, unknown>>

function columnsOf({ fields, metrics, states }: CheckType): readonly string[] {
  const runLevel = Object.keys(metrics).filter((name) => !metrics[name]?.perPage)
  const flags = ['runLocation', 'hasFailures', 'hasErrors', 'isDegraded', 'overMaxResponseTime', 'attempts']
  const withState = Object.keys(states).length > 0 ? ['state'] : []
  const withPages = runLevel.length < Object.keys(metrics).length ? ['pages'] : []
  return ['id', 'checkId', 'startedAt', ...flags, ...withState, 'error', ...fields, ...runLevel, ...withPages]
}

function plain({ values, ...result }: Result, checkId: string): Properties {
  return { ...values, ...result, checkId, startedAt: new Date(result.startedAt).toISOString() }
}

function pagesOf({ pages }: Result, names: readonly string[]): readonly Properties[] | null {
  return pages.length === 0 ? null : pages.map(({ pageUrl, values }) => ({ pageUrl, ...only(names, values) }))
}

/** What was not measured is left out. */
function ndjsonRow(columns: readonly string[], properties: Properties): string {
  return `${JSON.stringify(only(columns, properties))}\n`
}

function csvRow(columns: readonly string[], properties: Properties): string {
  return csvLine(columns.map((name) => csvText(properties[name])))
}

function only(names: readonly string[], properties: Properties): Properties {
  const kept: Record<string, unknown> = {}
  for (const name of names) if (properties[name] !== null && properties[name] !== undefined) kept[name] = properties[name]
  return kept
}

function csvText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

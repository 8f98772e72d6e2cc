import type { CheckType } from '../checks/define.ts'
import type { CheckRef, QuestionOptions, Result, Store, Window } from '../store/store.ts'
import { csvLine } from '../text/csv.ts'
import type { FileFormat } from './file-rows.ts'

/** `checkType` is null for a check that is no longer configured; its rows have the values of their results. */
type Export = {
  readonly check: CheckRef
  readonly checkType: CheckType | null
  readonly window: Window
  readonly format: FileFormat
  /** Only results for which it is true. */
  readonly filter?: (result: Result) => boolean
}

export const mediaTypes = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' } as const

/** Small, since each client that stops reading holds a chunk in memory. */
const resultsPerChunk = 50

/** Streams every result of a check in a window, oldest first, in the format of `import`; deterministic to the byte. */
export async function* exported(
  store: Pick<Store, 'scan'>,
  { check, checkType, window, format, filter = () => true }: Export,
  options?: QuestionOptions,
): AsyncGenerator<string> {
  const columns = checkType ? columnsOf(check.checkId, checkType) : []
  const line = format === 'csv' ? csvRow : checkType ? ndjsonRow : (_: unknown, result: Result) => resultRow(check.checkId, result)
  if (format === 'csv') yield csvLine(columns.map(({ name }) => name))
  for await (const scanned of store.scan(check, window, options)) {
    const results = scanned.filter(filter)
    for (let first = 0; first < results.length; first += resultsPerChunk)
      yield results
        .slice(first, first + resultsPerChunk)
        .map((result) => line(columns, result))
        .join('')
  }
}

/** One column of the export; undefined if a result has no value. */
type Column = { readonly name: string; readonly of: (result: Result) => string | number | boolean | readonly object[] | undefined }

function columnsOf(checkId: string, { fields, metrics, states }: CheckType): readonly Column[] {
  const names = Object.keys(metrics)
  const perPage = names.filter((name) => metrics[name]?.perPage)
  const runMetrics = [...fields, ...names.filter((name) => !perPage.includes(name))]
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'checkId', of: () => checkId },
    { name: 'startedAt', of: ({ startedAt }) => new Date(startedAt).toISOString() },
    ...plainColumns,
    ...(Object.keys(states).length > 0 ? [stateColumn] : []),
    { name: 'error', of: ({ error }) => error ?? undefined },
    ...runMetrics.map((name): Column => ({ name, of: ({ values }) => values[name] })),
    ...(perPage.length > 0 ? [pagesColumn(perPage)] : []),
  ]
}

const plainColumns: readonly Column[] = [
  { name: 'runLocation', of: ({ runLocation }) => runLocation },
  { name: 'hasFailures', of: ({ hasFailures }) => hasFailures },
  { name: 'hasErrors', of: ({ hasErrors }) => hasErrors },
  { name: 'isDegraded', of: ({ isDegraded }) => isDegraded },
  { name: 'overMaxResponseTime', of: ({ overMaxResponseTime }) => overMaxResponseTime },
  { name: 'attempts', of: ({ attempts }) => attempts },
]

const stateColumn: Column = { name: 'state', of: ({ state }) => state ?? undefined }

const pagesColumn = (names: readonly string[]): Column => ({
  name: 'pages',
  of: ({ pages }) => {
    if (pages.length === 0) return undefined
    return pages.map(({ pageUrl, values }) => Object.fromEntries([['pageUrl', pageUrl], ...names.map((name) => [name, values[name]])]))
  },
})

/** Leaves out missing values. */
function ndjsonRow(columns: readonly Column[], result: Result): string {
  const row: Record<string, unknown> = {}
  for (const { name, of } of columns) row[name] = of(result)
  return `${JSON.stringify(row)}\n`
}

/** A result as a row of a body or file, without absent values. */
export function resultRow(checkId: string, result: Result): string {
  const { id, startedAt, state, error, values, pages, ...plain } = result
  const optional = { ...(state !== null && { state }), ...(error !== null && { error }) }
  const visited = pages.map(({ pageUrl, values: measured }) => ({ pageUrl, ...measured }))
  const row = {
    id,
    checkId,
    startedAt: new Date(startedAt).toISOString(),
    ...plain,
    ...optional,
    ...values,
    ...(pages.length > 0 && { pages: visited }),
  }
  return `${JSON.stringify(row)}\n`
}

function csvRow(columns: readonly Column[], result: Result): string {
  return csvLine(columns.map(({ of }) => csvText(of(result))))
}

function csvText(value: ReturnType<Column['of']>): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

import type { ApiRequest } from '../api/client.ts'
import type { TableCell, TableRows } from './rows.ts'

type Server = { readonly origin: string; readonly account: string }

/** Shell commands that take the key from the environment, so that it is not copied. */
export function curl(asks: readonly ApiRequest[], { origin, account }: Server): string {
  return asks
    .map(({ path, body }) =>
      [
        `curl -sS ${quoted(origin + path)}`,
        '-H "Authorization: Bearer $TIDEMARK_KEY"',
        `-H ${quoted(`X-Service-Account: ${account}`)}`,
        ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
      ].join(' \\\n  '),
    )
    .join('\n\n')
}

export function sheetsFormula(asks: readonly ApiRequest[]): string {
  return asks
    .map(({ path, body }) => `=TIDEMARK(${[path, ...(body === undefined ? [] : [JSON.stringify(body)])].map(sheetText).join(', ')})`)
    .join('\n')
}

/** The script behind the formula, for a spreadsheet's script editor. */
export function sheetsScript({ origin, account }: Server): string {
  return `/** Rows of a Tidemark answer. @customfunction */
function TIDEMARK(path, body) {
  const key = PropertiesService.getScriptProperties().getProperty('TIDEMARK_KEY')
  const options = { headers: { Authorization: 'Bearer ' + key, 'X-Service-Account': ${JSON.stringify(account)} } }
  if (body) Object.assign(options, { method: 'post', contentType: 'application/json', payload: body })
  const typed = (cell) => (/^-?\\d+(\\.\\d+)?$/.test(cell) ? Number(cell) : cell)
  const pages = Number((/page=\\[1-(\\d+)\\]/.exec(path) || [0, 1])[1])
  const rows = []
  for (let page = 1; page <= pages; page++) {
    const url = ${JSON.stringify(origin)} + path.replace(/\\[1-\\d+\\]/, page)
    const text = UrlFetchApp.fetch(url, options).getContentText()
    if (/[?&]format=csv/.test(path)) return Utilities.parseCsv(text).map((row) => row.map(typed))
    const answer = JSON.parse(text)
    rows.push(...(Array.isArray(answer) ? answer : answer.series.flatMap((entry) => entry.data)))
  }
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value) => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : value)
  return [head, ...rows.map((row) => head.map((name) => cell(row[name])))]
}`
}

/** Targets of a Grafana panel for the Infinity data source, one per request. Rows at the root name their own columns. */
export function grafana(
  asks: readonly ApiRequest[],
  { origin }: Server,
  { root, rows, wholeCsv = false }: { readonly root: string; readonly rows: TableRows; readonly wholeCsv?: boolean },
): string {
  const [head = [], sample = []] = rows
  const columns = head.map((name, index) => ({ selector: String(name), text: String(name), type: columnType(String(name), sample[index]) }))
  const targets = asks.flatMap(pagesOf).map(({ path, body }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: { type: 'yesoreyeram-infinity-datasource' },
    type: wholeCsv ? 'csv' : 'json',
    parser: 'backend',
    source: 'url',
    format: columns.some(({ selector }) => selector === 'period') ? 'timeseries' : 'table',
    url: origin + path,
    url_options:
      body === undefined
        ? { method: 'GET' }
        : { method: 'POST', body_type: 'raw', body_content_type: 'application/json', data: JSON.stringify(body) },
    root_selector: root,
    columns: root === '' ? [] : columns,
  }))
  return JSON.stringify(targets, null, 2)
}

function pagesOf(ask: ApiRequest): ApiRequest[] {
  const pages = Number(/page=\[1-(\d+)\]/.exec(ask.path)?.[1] ?? 1)
  return Array.from({ length: pages }, (_, index) => ({ ...ask, path: ask.path.replace(/\[1-\d+\]/, String(index + 1)) }))
}

function columnType(name: string, sample: TableCell | undefined): string {
  if (name === 'period' || /At$|_at$/.test(name)) return 'timestamp'
  if (typeof sample === 'boolean') return 'boolean'
  return typeof sample === 'string' ? 'string' : 'number'
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function sheetText(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

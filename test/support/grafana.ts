import jsonata from 'jsonata'
import type { Answer, TestApp } from './app.ts'
import { credentials } from './catalogue.ts'

type Pair = { readonly key: string; readonly value: string }
export type InfinityColumn = { readonly selector: string; readonly text: string; readonly type: string }

/** A query of the Infinity data source, as stored in panels, variables and alert rules. */
export type InfinityQuery = {
  readonly url: string
  readonly url_options: { readonly method: 'GET' | 'POST'; readonly data: string; readonly params: readonly Pair[] }
  readonly root_selector: string
  readonly columns: readonly InfinityColumn[]
  readonly parser: string
  readonly format: string
  readonly pagination_mode?: string
  readonly pagination_param_size_value?: number
}

export type Variables = Readonly<Record<string, string | readonly string[]>>
export type Window = { readonly from: number; readonly to: number }
export type Replayed = { readonly status: number; readonly text: string; readonly rows: readonly Readonly<Record<string, unknown>>[] }

/** Sends a query like Grafana, and selects its rows like Infinity. */
export async function replay(api: TestApp, query: InfinityQuery, context: { variables: Variables; window: Window }): Promise<Replayed> {
  const filled = JSON.parse(JSON.stringify(query), (_, value) => (typeof value === 'string' ? interpolate(value, context) : value))
  const { status, text, body } = await send(api, filled)
  return { status, text, rows: status === 200 ? await rowsOf(filled.root_selector, body) : [] }
}

function send(api: TestApp, { url, url_options: options, ...query }: InfinityQuery): Promise<Answer> {
  const paged: readonly Pair[] =
    query.pagination_mode === 'page'
      ? [
          { key: 'limit', value: String(query.pagination_param_size_value) },
          { key: 'page', value: '1' },
        ]
      : []
  const parameters = new URLSearchParams([...options.params, ...paged].map(({ key, value }): [string, string] => [key, value]))
  const isPost = options.method === 'POST'
  return api.call({
    method: options.method,
    url: `${url}?${parameters}`.replace(/\?$/, ''),
    headers: { ...credentials, ...(isPost && { 'content-type': 'application/json' }) },
    ...(isPost && { payload: options.data }),
  })
}

/** Infinity tries a plain path first, then JSONata. A single row may come without a list. */
async function rowsOf(selector: string, body: unknown): Promise<Replayed['rows']> {
  const selected = selector === '' ? body : await jsonata(selector).evaluate(body)
  return JSON.parse(JSON.stringify([selected].flat()))
}

const times: Readonly<Record<string, (ms: number) => string>> = {
  'date:iso': (ms) => new Date(ms).toISOString(),
  'date:seconds': (ms) => String(Math.floor(ms / 1000)),
}
const formats: Readonly<Record<string, (values: readonly string[]) => string>> = {
  doublequote: (values) => values.map((value) => JSON.stringify(value)).join(','),
  csv: (values) => values.join(','),
}

/** Replaces `${name}` and `${name:format}`. Throws for unknown names. */
function interpolate(text: string, { variables, window }: { readonly variables: Variables; readonly window: Window }): string {
  return text.replaceAll(/\$\{(\w+)(?::([\w:]+))?\}/g, (placeholder, name: string, format?: string) => {
    const edge = name === '__from' ? window.from : name === '__to' ? window.to : undefined
    const filled = edge === undefined ? formatted(variables[name], format) : times[format ?? '']?.(edge)
    if (filled === undefined) throw new Error(`${placeholder} is not known`)
    return filled
  })
}

function formatted(value: string | readonly string[] | undefined, format: string | undefined): string | undefined {
  if (value === undefined) return undefined
  if (format !== undefined) return formats[format]?.([value].flat())
  return typeof value === 'string' ? value : undefined
}

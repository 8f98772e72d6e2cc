import type { paths } from './openapi.ts'

/** The parameter that selects the next page: a number, or a cursor from the previous page. */
type PageParameter = 'page' | 'cursor' | 'nextId'

type HasParameter<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Extract<keyof NonNullable<Query>, PageParameter> extends never
    ? false
    : true
  : false

/** GET endpoints with pages. */
export type PagedPath = { [Path in keyof paths]: HasParameter<paths[Path]['get']> extends true ? Path : never }[keyof paths]

/** Report endpoints, one for each check type. */
export type ReportPath = Extract<keyof paths, `/v1/analytics/${string}/{id}`>

export type Query = Readonly<Record<string, unknown>>

const pageSize = 100

/** Yields all pages of a GET endpoint, by page number or by cursor, depending on its responses. */
export async function* pagesOf<Body>(fetchPage: (query: Query) => Promise<Body>, given: Query = {}): AsyncGenerator<Body, void, undefined> {
  let query: Query | null = { ...given, limit: given.limit ?? pageSize }
  while (query !== null) {
    const body: Body = await fetchPage(query)
    yield body
    query = nextQuery(query, body)
  }
}

/** Yields all pages of an endpoint whose query is in the request body. */
export async function* bodyPagesOf<Body extends CursorPage>(
  fetchPage: (cursor: string | null) => Promise<Body>,
): AsyncGenerator<Body, void, undefined> {
  let cursor: string | null = null
  do {
    const body: Body = await fetchPage(cursor)
    yield body
    cursor = body.pagination.next
  } while (cursor !== null)
}

type CursorPage = { readonly pagination: { readonly next: string | null } }
type ResultsPage = { readonly nextId: string | null }
type ReportPage = {
  readonly from: string
  readonly to: string
  readonly series: readonly { readonly data: readonly unknown[] }[]
}

function nextQuery(query: Query, body: unknown): Query | null {
  if (hasNext(body)) return body.pagination.next === null ? null : { ...query, cursor: body.pagination.next }
  if (hasNextId(body)) return body.nextId === null ? null : { ...query, nextId: body.nextId }
  if (!isFull(body, Number(query.limit))) return null
  const { quickRange: _, ...rest } = query
  const window = isReport(body) ? { ...rest, from: body.from, to: body.to } : query
  return { ...window, page: Number(query.page ?? 1) + 1 }
}

/**
 * Whether there may be another page. The limit applies to the rows within each series if a series has many, else to the number of series.
 */
function isFull(body: unknown, limit: number): boolean {
  if (Array.isArray(body)) return body.length >= limit
  return isReport(body) && (body.series.length >= limit || body.series.some(({ data }) => data.length >= limit))
}

const hasNext = (body: unknown): body is CursorPage => Object(Object(body).pagination).next !== undefined
const hasNextId = (body: unknown): body is ResultsPage => Object(body).nextId !== undefined
const isReport = (body: unknown): body is ReportPage => Array.isArray(Object(body).series)

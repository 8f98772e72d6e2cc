import type { paths } from './openapi.ts'

/** What names the next page: a number, or a cursor of the page before. */
type PageParameter = 'page' | 'cursor' | 'nextId'

type HasParameter<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Extract<keyof NonNullable<Query>, PageParameter> extends never
    ? false
    : true
  : false

/** The GET endpoints that answer in pages. */
export type PagedPath = { [Path in keyof paths]: HasParameter<paths[Path]['get']> extends true ? Path : never }[keyof paths]

/** The endpoints of reports, one for each check type. */
export type ReportPath = Extract<keyof paths, `/v1/analytics/${string}/{id}`>

export type Query = Readonly<Record<string, unknown>>

const pageSize = 100

/** Yields page after page of a GET endpoint, by page number or by cursor, as its answers say. */
export async function* pagesOf<Body>(fetchPage: (query: Query) => Promise<Body>, given: Query = {}): AsyncGenerator<Body, void, undefined> {
  let query: Query | null = { ...given, limit: given.limit ?? pageSize }
  while (query !== null) {
    const body: Body = await fetchPage(query)
    yield body
    query = nextQuery(query, body)
  }
}

/** Yields page after page of an endpoint whose question is in the body. */
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

/** Whether there may be another page: rows are counted within each series where it has many, else series are. */
function isFull(body: unknown, limit: number): boolean {
  if (Array.isArray(body)) return body.length >= limit
  return isReport(body) && (body.series.length >= limit || body.series.some(({ data }) => data.length >= limit))
}

const hasNext = (body: unknown): body is CursorPage => Object(Object(body).pagination).next !== undefined
const hasNextId = (body: unknown): body is ResultsPage => Object(body).nextId !== undefined
const isReport = (body: unknown): body is ReportPage => Array.isArray(Object(body).series)

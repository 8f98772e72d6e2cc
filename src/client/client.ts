import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import type { paths } from './openapi.ts'
import { bodyPagesOf, type PagedPath, pagesOf, type Query } from './pages.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export type ClientOptions = TransportOptions & {
  /** The address of the server, including its base path if any. */
  readonly url: string
  readonly key: string
  readonly account: string
}

type Verb = 'get' | 'post' | 'delete'
type InitArguments<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init]
type DataAs<Path extends keyof paths, Method extends Verb, Init, Media extends MediaType> = NonNullable<
  FetchResponse<NonNullable<paths[Path][Method]>, Init, Media>['data']
>
/** If an endpoint supports several formats, the type is that of JSON unless another is requested. */
type Data<Path extends keyof paths, Method extends Verb, Init> = Path extends keyof paths
  ? [DataAs<Path, Method, Init, 'application/json'>] extends [never]
    ? DataAs<Path, Method, Init, MediaType>
    : DataAs<Path, Method, Init, 'application/json'>
  : never

type Method<Name extends Verb> = <Path extends PathsWithMethod<paths, Name>, Init extends MaybeOptionalInit<paths[Path], Name>>(
  path: Path,
  ...init: InitArguments<Init>
) => Promise<{ readonly data: Data<Path, Name, Init>; readonly response: Response }>

type InitOf<Path extends keyof paths, Name extends Verb> = NonNullable<MaybeOptionalInit<paths[Path], Name>>
type Body<Path extends keyof paths, Name extends Verb> = Data<Path, Name, object>

const queryPath = '/v1/analytics/query'
const exportPath = '/v1/check-results/{id}/export'

export type Question = InitOf<typeof queryPath, 'post'>['body']
export type Answer = Body<typeof queryPath, 'post'>
export type ExportWindow = Omit<NonNullable<NonNullable<InitOf<typeof exportPath, 'get'>['params']>['query']>, 'format'>
export type ResultRow = Readonly<Record<string, unknown>>

/** A client for one account. Methods resolve with `data` and throw a `TidemarkError` for an error response. */
export type Client = {
  readonly GET: Method<'get'>
  readonly POST: Method<'post'>
  readonly DELETE: Method<'delete'>
  /** Yields all pages of an endpoint with `page`, `cursor` or `nextId`. The window of a report stays that of the first page. */
  pages<Path extends PagedPath>(path: Path, ...init: InitArguments<InitOf<Path, 'get'>>): AsyncGenerator<Body<Path, 'get'>, void, undefined>
  /** Yields all pages of a query about many checks. */
  queryPages(question: Question): AsyncGenerator<Answer, void, undefined>
  /** Streams all results of a check, oldest first. */
  results(checkId: string, window?: ExportWindow): AsyncGenerator<ResultRow, void, undefined>
}

export function createClient({ url, key, account, ...options }: ClientOptions): Client {
  const client = createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${key}`, 'x-service-account': account },
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: createTransport(options),
  })
  const GET = answering<'get'>(client.GET)
  const POST = answering<'post'>(client.POST)
  return {
    GET,
    POST,
    DELETE: answering<'delete'>(client.DELETE),
    pages(path, init?: { readonly params?: { readonly query?: Query } }) {
      const fetchPage = async (query: Query) => (await untyped(GET)(path, { ...init, params: { ...init?.params, query } })).data
      return pagesOf(fetchPage as (query: Query) => Promise<Body<typeof path, 'get'>>, init?.params?.query)
    },
    queryPages: (question) =>
      bodyPagesOf(async (cursor) => (await POST(queryPath, { body: cursor === null ? question : { ...question, cursor } })).data),
    async *results(checkId, window = {}) {
      const params = { path: { id: checkId }, query: { ...window, format: 'ndjson' as const } }
      const { data } = await GET(exportPath, { params, parseAs: 'stream' })
      if (data) yield* rowsOf<ResultRow>(data)
    },
  }
}

/** The transport throws for every error response, so a response always has data. */
function answering<Name extends Verb>(method: unknown): Method<Name> {
  return method as Method<Name>
}

/** The next pages differ only in their query. The types of path and query were checked at the call of `pages`. */
function untyped(method: unknown): (path: string, init: object) => Promise<{ readonly data: unknown }> {
  return method as ReturnType<typeof untyped>
}

/** Parses a stream of NDJSON row by row, so that its size does not matter. */
async function* rowsOf<Row>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Row, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = `${rest}${value}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
    if (rest !== '') yield JSON.parse(rest)
  } finally {
    await reader.cancel()
  }
}

import { basePath } from '../state/base-path.ts'
import type { Fault } from './answers.ts'

export type PageCredentials = { readonly key: string; readonly account: string }

/** One request to the API. With a body, the default method is POST. */
export type ApiRequest = {
  readonly path: string
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** The version to change. If the server has another version, it responds with 412. */
  readonly ifMatch?: string | undefined
}
export type ApiAnswer<T> = { readonly data: T; readonly headers: Headers }

/** Why a request failed, in words for users. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  /** The error code of the API; empty if the response does not come from the API. */
  readonly code: string
  /** Whether the server was unreachable, or only a proxy responded. */
  readonly isOffline: boolean
  /** Whether the API rejected the key or the account. A proxy's own login or filter has the same statuses, and says nothing about them. */
  readonly isRefusal: boolean
  /** Faults in the definition that was sent. */
  readonly faults: readonly Fault[]
  constructor(status: number, message: string, { code = '', isOffline = false, faults = [] }: Partial<ProblemDetails> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.isOffline = isOffline
    this.isRefusal = code !== '' && (status === 401 || status === 403)
    this.faults = faults
  }
}

type ProblemDetails = Pick<Problem, 'code' | 'isOffline' | 'faults'>

/** Called for every response, for every request without a response, and when the server does not know a time zone. */
type Observer = { onAnswer(): void; onNoAnswer(): void; onUnknownZone(zone: string): void }

const nobody: Observer = { onAnswer() {}, onNoAnswer() {}, onUnknownZone() {} }

export type Api = {
  readonly credentials: PageCredentials
  request<T>(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer<T>>
  file(path: string, mediaType: string, signal: AbortSignal): Promise<Blob>
  /** A table as CSV, with the cursor of the next page; null at the end. */
  table(path: string, signal: AbortSignal): Promise<{ readonly csv: Blob; readonly next: string | null }>
  stream(path: string, signal: AbortSignal): Promise<Response>
}

export function createApi(credentials: PageCredentials, { onAnswer, onNoAnswer, onUnknownZone }: Observer = nobody): Api {
  const observed = async <T>(answer: Promise<T>, zone = ''): Promise<T> => {
    try {
      const data = await answer
      onAnswer()
      return data
    } catch (fault) {
      if (fault instanceof Problem && fault.isOffline) onNoAnswer()
      if (fault instanceof Problem && fault.code === 'UNKNOWN_TIMEZONE') onUnknownZone(zone)
      throw fault
    }
  }
  const headers = { Authorization: `Bearer ${credentials.key}`, 'X-Service-Account': credentials.account }
  const load = (path: string, mediaType: string, signal: AbortSignal) =>
    observed(fetchOk(path, { headers: { ...headers, Accept: mediaType }, signal }), zoneIn(path))
  return {
    credentials,
    request<T>({ path, method, body, ifMatch }: ApiRequest, signal: AbortSignal) {
      const own = { ...headers, ...(ifMatch !== undefined && { 'If-Match': ifMatch }) }
      const post = { method: 'POST', headers: { ...own, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      const init = { ...(body === undefined ? { headers: own } : post), ...(method && { method }), signal }
      return observed(answerOf<T>(path, init), zoneIn(path, body))
    },
    file: async (path, mediaType, signal) => (await load(path, mediaType, signal)).blob(),
    async table(path, signal) {
      const response = await load(path, 'text/csv', signal)
      return { csv: await response.blob(), next: response.headers.get('x-next-cursor') }
    },
    stream: (path, signal) => fetchOk(path, { headers: { ...headers, Accept: 'text/event-stream' }, signal }),
  }
}

/** The time zone in the parameters or the body of a request. */
function zoneIn(path: string, body?: unknown): string {
  const zone = (body as { readonly timezone?: unknown } | undefined)?.timezone
  return typeof zone === 'string' ? zone : (new URLSearchParams(path.split('?')[1]).get('timezone') ?? '')
}

async function answerOf<T>(path: string, init: RequestInit): Promise<ApiAnswer<T>> {
  const response = await fetchOk(path, init)
  // Losing the connection within the body is a TypeError, too.
  const data = response.status === 204 ? null : await response.json().catch((fault: unknown) => unreached(fault, init))
  return { data: data as T, headers: response.headers }
}

function unreached(fault: unknown, { signal }: RequestInit): never {
  if (signal?.aborted || !(fault instanceof TypeError)) throw fault
  throw new Problem(0, 'Cannot reach Tidemark. Is it running, and is this computer online?', { isOffline: true })
}

/** Returns the response of a successful request; throws a `Problem` otherwise. */
export async function fetchOk(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(basePath() + path, { ...init, credentials: 'omit', redirect: 'error' }).catch((fault: unknown) =>
    unreached(fault, init),
  )
  if (!response.ok) throw await problem(response)
  return response
}

/** Proxies respond with these while the server is down. The server's own error responses have a message. */
const badGateways = [502, 503, 504]

async function problem(response: Response): Promise<Problem> {
  const {
    message,
    code = '',
    faults = [],
  } = (await response.json().catch(() => ({}))) as {
    message?: string
    code?: string
    faults?: readonly Fault[]
  }
  const isOffline = message === undefined && badGateways.includes(response.status)
  return new Problem(response.status, message ?? `Tidemark returned ${response.status}.`, { code, isOffline, faults })
}

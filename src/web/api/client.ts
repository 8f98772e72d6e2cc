import { basePath } from '../state/base-path.ts'

export type Credentials = { readonly key: string; readonly account: string }

/** One request to the API; with a body it is a POST, unless it says otherwise. */
export type ApiRequest = { readonly path: string; readonly method?: 'POST' | 'DELETE'; readonly body?: unknown }
export type ApiAnswer<T> = { readonly data: T; readonly headers: Headers }

/** Why a request failed, in words for users. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Api = {
  readonly credentials: Credentials
  request<T>(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer<T>>
  file(path: string, mediaType: string, signal: AbortSignal): Promise<Blob>
  stream(path: string, signal: AbortSignal): Promise<Response>
}

export function createApi(credentials: Credentials): Api {
  const headers = { Authorization: `Bearer ${credentials.key}`, 'X-Service-Account': credentials.account }
  return {
    credentials,
    async request<T>({ path, method, body }: ApiRequest, signal: AbortSignal) {
      const post = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetchOk(path, { ...(body === undefined ? { headers } : post), ...(method && { method }), signal })
      const data = response.status === 204 ? null : await response.json()
      return { data: data as T, headers: response.headers }
    },
    async file(path, mediaType, signal) {
      const response = await fetchOk(path, { headers: { ...headers, Accept: mediaType }, signal })
      return response.blob()
    },
    stream: (path, signal) => fetchOk(path, { headers: { ...headers, Accept: 'text/event-stream' }, signal }),
  }
}

/** The response of a successful request; throws a `Problem` otherwise. */
export async function fetchOk(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(basePath() + path, { ...init, credentials: 'omit', redirect: 'error' }).catch((fault: unknown) => {
    if (init.signal?.aborted) throw fault
    throw new Problem(0, 'Tidemark does not answer. Is it running, and is this computer online?')
  })
  if (!response.ok) throw await problem(response)
  return response
}

async function problem(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as { message?: string }
  return new Problem(response.status, body.message ?? `Tidemark answered ${response.status}.`)
}

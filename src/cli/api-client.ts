import { CommandFailure } from './context.ts'
import { callServer, errorReply, type Remote } from './remote.ts'

export type ServerResponse = { readonly status: number; readonly body: string }

/** GET request to a running server; fails the command where it cannot be reached. */
export function get(remote: Remote, path: string, parameters: URLSearchParams): Promise<ServerResponse> {
  return call(remote, `${path}?${parameters}`)
}

/** As `get`, but posts a JSON body. */
export function post(remote: Remote, path: string, body: object): Promise<ServerResponse> {
  return call(remote, path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function call(remote: Remote, path: string, init: RequestInit = {}): Promise<ServerResponse> {
  try {
    const response = await callServer(remote, path, { ...init, signal: AbortSignal.timeout(120_000) })
    return { status: response.status, body: await response.text() }
  } catch (error) {
    throw new CommandFailure(
      `No Tidemark server responds at ${remote.url.href} (${reason(error)}). Set its address with --url or TIDEMARK_URL.`,
    )
  }
}

/** The body of a 200 response; any other fails the command with the server's message. */
export function okBody({ status, body }: ServerResponse): string {
  if (status === 200) return body
  throw errorReply(status, body)
}

function reason(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return name === 'TimeoutError' ? 'no answer within 120 s' : (cause?.code ?? cause?.message ?? message)
}

import { CommandFailure } from './context.ts'
import { callServer, errorReply, type Remote } from './remote.ts'

export type ServerResponse = { readonly status: number; readonly body: string }

/** GET request to a running server; fails the command where it cannot be reached. */
export async function get(remote: Remote, path: string, parameters: URLSearchParams): Promise<ServerResponse> {
  try {
    const response = await callServer(remote, `${path}?${parameters}`, { signal: AbortSignal.timeout(120_000) })
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

import { CommandFailure } from './context.ts'
import { callServer, type Remote, refusal } from './remote.ts'

export type Answer = { readonly status: number; readonly body: string }

/** Asks a running server; what cannot be reached at all ends the command, any other answer is the caller's. */
export async function ask(remote: Remote, path: string, parameters: URLSearchParams): Promise<Answer> {
  try {
    const answer = await callServer(remote, `${path}?${parameters}`, { signal: AbortSignal.timeout(120_000) })
    return { status: answer.status, body: await answer.text() }
  } catch (error) {
    throw new CommandFailure(`No Tidemark answers at ${remote.url.href} (${reason(error)}). Say where one is with --url or TIDEMARK_URL.`)
  }
}

/** The body of a good answer; the words of any other end the command. */
export function goodBody({ status, body }: Answer): string {
  if (status === 200) return body
  throw refusal(status, body)
}

function reason(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return name === 'TimeoutError' ? 'no answer within 120 s' : (cause?.code ?? cause?.message ?? message)
}

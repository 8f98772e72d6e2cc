import type { ServerAnswer } from './server-connection.ts'

/** The server has refused a request; the message is the server's. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string | null
  readonly retryAfterMs: number | null

  constructor({ status, body, headers }: ServerAnswer) {
    const { code, message } = fieldsOf(body)
    const hint = code === 'AGENT_KEY' ? ` ${wrongPath}` : ''
    super(`The server answered ${status}: ${typeof message === 'string' ? message : notTidemark}${hint}`)
    this.status = status
    this.code = typeof code === 'string' ? code : null
    const seconds = headers.get('retry-after') ?? ''
    this.retryAfterMs = /^[0-9]{1,4}$/.test(seconds) ? Number(seconds) * 1000 : null
  }

  /** Whether it stays so until someone changes the key, the location or the version of one side. */
  get isLasting(): boolean {
    return this.status === 401 || this.status === 403 || this.code === 'UNSUPPORTED_PROTOCOL' || this.status === 404
  }
}

/** A key always allows the requests of its agent, unless the address is of another server. */
const wrongPath = 'Check the path in the address of the server.'
const notTidemark = 'this is no answer of Tidemark. Check the address of the server, with its base path, and proxies on the way.'

/** An error as a log shows it: without a stack, since it is expected. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function fieldsOf(body: string): { readonly code?: unknown; readonly message?: unknown } {
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

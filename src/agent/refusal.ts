import { errorFields, retryAfterOf } from '../client/error.ts'
import type { ServerAnswer } from './server-connection.ts'

/** A longer wait is ignored. */
const maxRetryAfterSeconds = 9999

/** A result that the server rejected permanently. */
export type Rejected = { readonly index: number; readonly code: string; readonly message: string }

/** The server has refused a request; the message is the server's. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string | null
  readonly retryAfterMs: number | null
  /** The checks whose results it refuses for now, where it has stored those of all others in the request; else empty. */
  readonly refusedChecks: ReadonlySet<unknown>
  readonly rejected: readonly Rejected[]

  constructor(answer: ServerAnswer) {
    const { status, body } = answer
    const { code, message, refusedChecks, rejected } = errorFields(body)
    const hint = code === 'AGENT_KEY' ? ` ${wrongPath}` : ''
    super(`The server answered ${status}: ${typeof message === 'string' ? message : notTidemark}${hint}`)
    this.status = status
    this.code = typeof code === 'string' ? code : null
    this.refusedChecks = new Set(status === 503 && Array.isArray(refusedChecks) ? refusedChecks : [])
    this.rejected = Array.isArray(rejected) ? rejected : []
    const seconds = retryAfterOf(answer)
    this.retryAfterMs = seconds === null || seconds > maxRetryAfterSeconds ? null : seconds * 1000
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

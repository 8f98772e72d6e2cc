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
  /** Checks whose results the server refuses for now, if it has stored the rest of the request; else empty. */
  readonly refusedChecks: ReadonlySet<unknown>
  readonly rejected: readonly Rejected[]

  constructor(answer: ServerAnswer) {
    const { status, body } = answer
    const { code, message, refusedChecks, rejected } = errorFields(body)
    const hint = code === 'AGENT_KEY' ? ` ${wrongPath}` : ''
    super(`The server returned ${status}: ${typeof message === 'string' ? message : notTidemark}${hint}`)
    this.status = status
    this.code = typeof code === 'string' ? code : null
    this.refusedChecks = new Set(status === 503 && Array.isArray(refusedChecks) ? refusedChecks : [])
    this.rejected = Array.isArray(rejected) ? rejected : []
    const seconds = retryAfterOf(answer)
    this.retryAfterMs = seconds === null || seconds > maxRetryAfterSeconds ? null : seconds * 1000
  }

  /** Whether retries are pointless until someone changes the key, the location or the version of one side. */
  get isLasting(): boolean {
    return this.status === 401 || this.status === 403 || this.code === 'UNSUPPORTED_PROTOCOL' || this.status === 404
  }
}

/** The server accepts a valid key for every request of an agent, so this error means that the address is wrong. */
const wrongPath = 'Check the path in the address of the server.'
const notTidemark = 'not a Tidemark response. Check the server address with its base path, and proxies.'

/** The text of an error for the log: without a stack, since the error is expected. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

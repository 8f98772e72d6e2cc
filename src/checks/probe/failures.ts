import { asExhaustion, MachineExhausted } from './exhaustion.ts'
import { AddressDenied } from './net/addresses.ts'
import { redactor } from './redact.ts'
import type { RunContext } from './run.ts'

/** A failure of a run whose message is shown as it is. */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault'
}

type FailureContext = Pick<RunContext, 'signal' | 'timeoutMs' | 'secrets'>

/** Why a run could not be done, in one sentence; `at` is the current step. Throws `MachineExhausted` if this machine is the cause. */
export function failureMessage(error: unknown, at: string, { signal, timeoutMs, secrets }: FailureContext): string {
  const exhaustion = asExhaustion(error, at)
  if (exhaustion instanceof MachineExhausted) throw exhaustion
  if (error instanceof ProbeFault || error instanceof AddressDenied) return error.message
  if (signal.aborted) return `no answer within ${timeoutMs.toLocaleString('en-US')} ms at ${at}`
  const code = codeOf(error)
  if (code === 'ERR_INVALID_CHAR') return 'a request header has an invalid character'
  if (code === 'ERR_INVALID_HTTP_TOKEN') return 'a request header has an invalid name'
  if (code in systemMessages) return `${systemMessages[code]} at ${at}`
  if (code.startsWith('HPE_')) return `the response is not valid HTTP (${code})`
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `no TLS connection (${tlsReason(error, code)}) at ${at}`
  return `${code || textOf(error, secrets)} at ${at}`
}

/** Settles like the promise, or rejects as soon as the signal is aborted: for work that cannot be cancelled. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {})
  signal.throwIfAborted()
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}

const systemMessages: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the other side',
  ECONNABORTED: 'connection closed by the other side',
  EPIPE: 'connection closed by the other side',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'no local address to connect from',
  EACCES: 'not permitted by the system',
  EPERM: 'not permitted by the system',
  ETIMEDOUT: 'no answer',
  HPE_HEADER_OVERFLOW: 'the response headers are too long',
  HPE_INVALID_EOF_STATE: 'the response ended too early',
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function tlsReason(error: unknown, code: string): string {
  const reason = error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : ''
  return reason || code
}

function textOf(error: unknown, secrets: readonly string[]): string {
  const text = error instanceof Error ? error.message : String(error)
  return redactor(secrets)(text).split('\n', 1)[0]?.slice(0, 200) ?? ''
}

import { errorOf, retryAfterOf, TidemarkError, UnreachableError } from './error.ts'
import { foreignAnswer, redirectOf } from './foreign-answer.ts'

export type TransportOptions = {
  /** How often a request is retried after 429 or 503; 3 by default. */
  readonly retries?: number
  /** The longest `Retry-After` to wait for; a longer one fails immediately. 60 by default. */
  readonly maxRetryAfterSeconds?: number
  /** How long the server may take to start its response; 120,000 by default. */
  readonly timeoutMs?: number
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: (request: Request) => Promise<Response>
}

type Transport = (request: Request) => Promise<Response>

const refusals = [429, 503]

/** Sends requests. Retries temporary rejections when the server allows it; throws for any other error response. */
export function createTransport(options: TransportOptions): Transport {
  const { retries = 3, maxRetryAfterSeconds = 60, timeoutMs = 120_000, fetch: send = fetch } = options
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const response = await reach(send, request.clone(), timeoutMs)
      const foreign = foreignAnswer(response, request.url)
      if (foreign !== null) throw await foreignError(response, foreign)
      if (response.ok) return response
      const waitSeconds = retryAfterOf(response) ?? 2 ** attempt
      if (!refusals.includes(response.status) || attempt >= retries || waitSeconds > maxRetryAfterSeconds) throw await errorOf(response)
      await response.body?.cancel()
      await sleep(waitSeconds * 1000, request.signal)
    }
  }
}

/** Aborts by the caller pass unchanged. The timeout covers only the headers, so a body may take longer. */
async function reach(send: Transport, request: Request, timeoutMs: number): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  try {
    const signal = AbortSignal.any([request.signal, timeout.signal])
    return await send(new Request(request, { signal, redirect: redirectOf(request.method) }))
  } catch (error) {
    if (request.signal.aborted) throw error
    throw new UnreachableError(new URL('/', request.url).href, error)
  } finally {
    clearTimeout(timer)
  }
}

async function foreignError(response: Response, message: string): Promise<TidemarkError> {
  await response.body?.cancel()
  return new TidemarkError(response.status, { code: null, message, retryAfterSeconds: null })
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

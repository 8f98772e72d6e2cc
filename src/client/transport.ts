import { errorOf, retryAfterOf, UnreachableError } from './error.ts'

export type TransportOptions = {
  /** How often a request is sent again after 429 or 503; 3 by default. */
  readonly retries?: number
  /** The longest wait that `Retry-After` may ask for; a longer one fails at once. 60 by default. */
  readonly maxRetryAfterSeconds?: number
  /** In place of the global `fetch`, such as one with a proxy. */
  readonly fetch?: (request: Request) => Promise<Response>
}

export type Transport = (request: Request) => Promise<Response>

const refusals = [429, 503]

/** Sends requests. Refusals that pass are sent again when the server says; any other error response is thrown. */
export function createTransport({ retries = 3, maxRetryAfterSeconds = 60, fetch: send = fetch }: TransportOptions): Transport {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const response = await reach(send, request.clone())
      if (response.ok) return response
      const waitSeconds = retryAfterOf(response) ?? 2 ** attempt
      if (!refusals.includes(response.status) || attempt >= retries || waitSeconds > maxRetryAfterSeconds) throw await errorOf(response)
      await response.body?.cancel()
      await sleep(waitSeconds * 1000, request.signal)
    }
  }
}

/** Aborts are the caller's own and pass unchanged. */
async function reach(send: Transport, request: Request): Promise<Response> {
  try {
    return await send(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    throw new UnreachableError(new URL('/', request.url).href, error)
  }
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

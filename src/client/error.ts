/** An error response of the server: its status, and the code and message of its body. */
export class TidemarkError extends Error {
  override readonly name = 'TidemarkError'
  readonly status: number
  /** Such as `UNKNOWN_METRIC`; null if the response comes from a proxy and not from Tidemark. */
  readonly code: string | null
  /** From the `Retry-After` header. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, { code, message, retryAfterSeconds }: ErrorDetails) {
    super(message ?? `The server returned ${status} without a message.`)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type ErrorDetails = { readonly code: string | null; readonly message: string | null; readonly retryAfterSeconds: number | null }

/** No response: the server is unreachable, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'

  constructor(url: string, cause: unknown) {
    super(`No Tidemark server responds at ${url} (${reasonOf(cause)}).`, { cause })
  }
}

export async function errorOf(response: Response): Promise<TidemarkError> {
  const { code, message } = errorFields(await response.text())
  return new TidemarkError(response.status, {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : null,
    retryAfterSeconds: retryAfterOf(response),
  })
}

type Headed = { readonly headers: { get(name: string): string | null } }

/** `Retry-After` in seconds, the only form that Tidemark sends. */
export function retryAfterOf({ headers }: Headed): number | null {
  const text = headers.get('retry-after') ?? ''
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : null
}

/** The fields of an error response's body; none if the response is not from Tidemark. */
export function errorFields(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { readonly cause?: { readonly code?: string; readonly message?: string } }
  return cause?.code ?? cause?.message ?? message
}

import { redactedStart, withoutIssuedSecrets } from './redact.ts'

/** A redacted response, for evidence. */
export type Received = {
  /** The status of an HTTP response. */
  readonly status: number | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** The beginning of the body; null if it is not text. */
  readonly body: string | null
  readonly truncated: boolean
}

/** Characters of a body that are kept. */
export const keptBody = 8000

/** The redacted beginning of a body; `complete` if `text` is all of it. */
export function receivedBody(text: string, complete: boolean, secrets: readonly string[]): Pick<Received, 'body' | 'truncated'> {
  if (text.includes('\0')) return { body: null, truncated: !complete }
  const start = redactedStart(text, { complete, maxLength: keptBody }, secrets)
  return { body: withoutIssuedSecrets(start), truncated: !complete || text.length > keptBody }
}

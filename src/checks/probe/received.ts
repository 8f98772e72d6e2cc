import { redactedStart, withoutIssuedSecrets } from './redact.ts'

/** A response for evidence; without secrets. */
export type Received = {
  /** The status of an HTTP response. */
  readonly status: number | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Its beginning; null where it is not text. */
  readonly body: string | null
  readonly truncated: boolean
}

/** Characters of a body that are kept. */
export const keptBody = 8000

/** The beginning of a body; `complete` where the text is all of it. */
export function receivedBody(text: string, complete: boolean, secrets: readonly string[]): Pick<Received, 'body' | 'truncated'> {
  if (text.includes('\0')) return { body: null, truncated: !complete }
  const start = redactedStart(text, { complete, maxLength: keptBody }, secrets)
  return { body: withoutIssuedSecrets(start), truncated: !complete || text.length > keptBody }
}

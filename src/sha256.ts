import { createHash } from 'node:crypto'

/** `sha256:` and 64 hex digits: the form in which keys and tokens are kept. */
export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

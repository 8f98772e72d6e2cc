import { hash } from 'node:crypto'

/** `sha256:` and 64 hex digits: the form in which keys and tokens are stored. */
export function sha256(text: string): string {
  return `sha256:${hash('sha256', text)}`
}

import { hash } from 'node:crypto'

/** `sha256:` and 64 hex digits: the form in which keys and tokens are stored. */
export function sha256(text: string): string {
  return `sha256:${hash('sha256', text)}`
}

/** The hash of a token from a config file, which may already be hashed. */
export const hashedToken = (token: string) => (token.startsWith('sha256:') ? token : sha256(token))

import { createRequire } from 'node:module'
import { memoize } from '../../../cache/cache.ts'

const require = createRequire(import.meta.url)
const maxCharacters = 1024 * 1024

/** Whether the pattern matches within the first million characters: RE2 syntax, in time linear in the text. */
export function matches(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text.slice(0, maxCharacters)).find()
}

/** Null if the pattern is valid. Cached, since definitions are validated again with each of their changes. */
export function patternFault(pattern: string): string | null {
  return faultOf(pattern, () => compileFault(pattern))
}

const faultOf = memoize<string | null>(1000)

function compileFault(pattern: string): string | null {
  try {
    compile(pattern)
    return null
  } catch (error) {
    return `${JSON.stringify(pattern)} is not a regular expression in RE2 syntax: ${descriptionOf(error)}`
  }
}

/** The reason without the quoted fragment of the pattern: redaction only finds whole secrets, so a fragment of one would leak. */
function descriptionOf(error: unknown): string {
  const { RE2JSSyntaxException } = require('re2js') as typeof import('re2js')
  return error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled'
}

function compile(pattern: string) {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  return RE2JS.compile(pattern)
}

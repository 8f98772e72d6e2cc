import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const maxCharacters = 1024 * 1024

/** Whether the pattern matches within the first million characters: RE2 syntax, in time linear in the text. */
export function matches(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text.slice(0, maxCharacters)).find()
}

/** Why a pattern is invalid; null where it is valid. */
export function patternFault(pattern: string): string | null {
  try {
    compile(pattern)
    return null
  } catch (error) {
    return `${JSON.stringify(pattern)} is no regular expression of RE2's syntax: ${descriptionOf(error)}`
  }
}

/** The reason without the piece of the pattern that the message quotes: a piece of a secret would escape redaction, which knows whole secrets. */
function descriptionOf(error: unknown): string {
  const { RE2JSSyntaxException } = require('re2js') as typeof import('re2js')
  return error instanceof RE2JSSyntaxException ? error.getDescription() : 'it cannot be compiled'
}

function compile(pattern: string) {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  return RE2JS.compile(pattern)
}

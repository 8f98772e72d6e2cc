import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const mostCharacters = 1024 * 1024

/** Whether the pattern is found in the first million characters: RE2's syntax, in time that grows with the text alone. */
export function finds(pattern: string, text: string): boolean {
  return compile(pattern).matcher(text.slice(0, mostCharacters)).find()
}

/** What is wrong with a pattern, in words; null where nothing is. */
export function patternFault(pattern: string): string | null {
  try {
    compile(pattern)
    return null
  } catch (error) {
    return `${JSON.stringify(pattern)} is no regular expression of RE2's syntax: ${error instanceof Error ? error.message : error}`
  }
}

function compile(pattern: string) {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  return RE2JS.compile(pattern)
}

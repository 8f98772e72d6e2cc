import { createRequire } from 'node:module'
import type { JSONPathEnvironment, JSONValue } from 'json-p3'

const require = createRequire(import.meta.url)
let environment: JSONPathEnvironment | undefined

/**
 * The matches of a JSONPath (RFC 9535): null for none, the value itself for one, a list for several. Also supports `.length` of a list or
 * text.
 */
export function jsonPathValue(path: string, document: JSONValue): unknown {
  const matches = query(path, document)
  if (matches.length > 0) return matches.length === 1 ? matches[0] : matches
  const [one] = path.endsWith('.length') ? query(path.slice(0, -'.length'.length), document) : []
  return Array.isArray(one) || typeof one === 'string' ? one.length : null
}

/** Null if the path is valid. */
export function jsonPathFault(path: string): string | null {
  try {
    jsonPaths().compile(path)
    return null
  } catch (error) {
    return `${JSON.stringify(path)} is not a JSONPath: ${withoutFragments(error instanceof Error ? error.message : String(error))}`
  }
}

/** Removes quoted fragments of the path from the parser's message: redaction only finds whole secrets, so a fragment of one would leak. */
function withoutFragments(message: string): string {
  return message
    .replace(/ \('.*':([0-9]+)\)$/s, ' at position $1')
    .replace(/'([^']*)'/g, (quoted, text: string) => (/^[$.]+$/.test(text) ? quoted : "'…'"))
}

function query(path: string, document: JSONValue): readonly unknown[] {
  return jsonPaths().query(path, document).values()
}

/** Without `match` and `search`: their regular expressions can take exponential time. */
function jsonPaths(): JSONPathEnvironment {
  if (environment) return environment
  const { JSONPathEnvironment } = require('json-p3') as typeof import('json-p3')
  environment = new JSONPathEnvironment()
  environment.functionRegister.delete('match')
  environment.functionRegister.delete('search')
  return environment
}

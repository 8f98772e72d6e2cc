import { createRequire } from 'node:module'
import type { JSONPathEnvironment, JSONValue } from 'json-p3'

const require = createRequire(import.meta.url)
let environment: JSONPathEnvironment | undefined

/** What a JSONPath (RFC 9535) finds: null for nothing, the value itself for one, a list for several. `.length` of a list is known too. */
export function jsonPathValue(path: string, document: JSONValue): unknown {
  const found = query(path, document)
  if (found.length > 0) return found.length === 1 ? found[0] : found
  const [list] = path.endsWith('.length') ? query(path.slice(0, -'.length'.length), document) : []
  return Array.isArray(list) ? list.length : null
}

/** What is wrong with a path, in words; null where nothing is. */
export function jsonPathFault(path: string): string | null {
  try {
    jsonPaths().compile(path)
    return null
  } catch (error) {
    return `${JSON.stringify(path)} is no JSONPath: ${error instanceof Error ? error.message : error}`
  }
}

function query(path: string, document: JSONValue): readonly unknown[] {
  return jsonPaths().query(path, document).values()
}

/** Without the functions that run a pattern over the answer: theirs can take forever. */
function jsonPaths(): JSONPathEnvironment {
  if (environment) return environment
  const { JSONPathEnvironment } = require('json-p3') as typeof import('json-p3')
  environment = new JSONPathEnvironment()
  environment.functionRegister.delete('match')
  environment.functionRegister.delete('search')
  return environment
}

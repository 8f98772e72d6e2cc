import { isMapping } from '../../../collections/mapping.ts'
import type { ConversionDraft } from '../draft.ts'
import { plainText } from '../fields.ts'

type Body = Readonly<Record<string, unknown>>

/** Values by name. The API does not return values of secret variables. */
export function namedVariables(bodies: readonly unknown[]): ReadonlyMap<string, string> {
  return new Map(
    bodies
      .filter(isMapping)
      .flatMap(({ key, value }) => (typeof value === 'string' && value !== '' ? [[plainText(key), value] as const] : [])),
  )
}

const braced = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g
const maxDepth = 20

/** Renames variables in the body to their names in the env file. Variables of the check take precedence over those of the account. */
export function withVariables(body: Body, ofAccount: ReadonlyMap<string, string>, draft: ConversionDraft): Body {
  const own = Array.isArray(body.environmentVariables) ? body.environmentVariables : []
  const values = new Map([...ofAccount, ...namedVariables(own)])
  const renamed = (text: string) =>
    text.replace(braced, (whole, name: string) => {
      const value = values.get(name)
      return value === undefined ? whole : `{{${draft.secret(name, value).slice(2, -1)}}}`
    })
  const convert = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return renamed(value)
    if (depth > maxDepth || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, convert(item, depth + 1)]))
  }
  const { script, environmentVariables, ...rest } = body
  const converted = convert(rest, 0) as Body
  const isScripted = typeof script === 'string' && script !== ''
  return { ...converted, ...(script !== undefined && { script }), ...(isScripted && own.length > 0 && { environmentVariables }) }
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Names of the variables that a definition refers to. */
export function variablesIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, name = ''] of (JSON.stringify(value) ?? '').matchAll(reference)) found.add(name)
  return found
}

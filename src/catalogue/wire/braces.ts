import type { Mapping } from '../../collections/mapping.ts'
import { variableReferences } from '../../text/variable-references.ts'
import type { CheckEntry } from '../config-file/config-schema.ts'

/** Whether the client that wrote the definition uses `{{NAME}}` for variables. */
export function hasBraces(definition: Mapping): boolean {
  return (definition as Pick<CheckEntry, 'clientFields'>).clientFields?.variables === 'braces'
}

/** Code may contain `${NAME}` that is not a variable. */
const literal = ['script', 'scriptPath', 'dependencies']

/** Converts `${NAME}` to `{{NAME}}` in the fields of a body, so that clients read the syntax that they wrote. */
export function withBraces(fields: Mapping): Mapping {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, literal.includes(name) ? value : braced(value)]))
}

function braced(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(variableReferences, (whole, doubled: string, name?: string, otherwise?: string) =>
      doubled || name === undefined || otherwise !== undefined ? whole : `{{${name}}}`,
    )
  if (Array.isArray(value)) return value.map(braced)
  return typeof value === 'object' && value !== null ? withBraces(value as Mapping) : value
}

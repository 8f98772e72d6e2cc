import type { TSchema } from './typebox.ts'

export type SchemaNode = TSchema & {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: SchemaNode
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly maxProperties?: number
  readonly anyOf?: readonly SchemaNode[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
}

/** Describes the values of a schema, for a message about an invalid one. */
export function expectation(schema: SchemaNode): string {
  if (schema.description) return schema.description
  if (schema.enum) return oneOf(schema.enum)
  if (schema.anyOf)
    return schema.anyOf.every(({ const: only }) => only !== undefined) ? oneOf(schema.anyOf.map((s) => s.const)) : either(schema)
  if (schema.properties) return `a mapping with ${Object.keys(schema.properties).join(', ')}`
  if (schema.patternProperties) return 'a mapping of names to text'
  if (schema.items) return 'a list'
  return simple(schema)
}

function simple({ type, minimum, maximum, minLength }: SchemaNode): string {
  const range = minimum === undefined ? '' : maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
  if (type === 'integer') return `a whole number${range}`
  if (type === 'number') return `a number${range}`
  if (type === 'boolean') return 'true or false'
  return minLength ? `text of at least ${minLength} character${minLength === 1 ? '' : 's'}` : 'text'
}

const oneOf = (values: readonly unknown[]) => `one of ${values.join(', ')}`
const either = (schema: SchemaNode) => (schema.anyOf ?? []).map(expectation).join(' or ')

import type { Schema } from '../route.ts'

/** The columns of a table whose rows have this schema: `outer.inner` for nested objects, nothing for lists of objects. */
export function schemaColumns(schema: Schema): readonly string[] {
  const names = Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    if (isListOfObjects(inner)) return []
    const nested = [inner, ...variantsOf(inner)].flatMap(schemaColumns)
    return nested.length > 0 ? nested.map((column) => `${name}.${column}`) : [name]
  })
  return [...new Set(names)]
}

type Schemas = Readonly<Record<string, Schema>>

const propertiesOf = ({ properties = {} }: Schema) => properties as Schemas
const variantsOf = ({ oneOf = [] }: Schema) => oneOf as readonly Schema[]
const isListOfObjects = ({ items }: Schema) => (items as Schema | undefined)?.type === 'object'

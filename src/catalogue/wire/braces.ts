import type { Mapping } from '../../collections/mapping.ts'
import { variableReferences } from '../../text/variable-references.ts'
import type { CheckEntry, ClientFields } from '../config-file/config-schema.ts'

type Braces = NonNullable<ClientFields['variables']>

const spellings: Readonly<Record<Braces, string>> = {
  braces: '{{NAME}}',
  spacedBraces: '{{ NAME }}',
  tripleBraces: '{{{NAME}}}',
  spacedTripleBraces: '{{{ NAME }}}',
}

/** How a client writes variables. If it writes them in several ways, it reads the first one. */
export function bracesOf(written: ReadonlySet<string>): Braces {
  const names = Object.keys(spellings) as readonly Braces[]
  return names.find((name) => written.size === 1 && written.has(spellings[name])) ?? 'braces'
}

/** Code may contain `${NAME}` that is not a variable. */
const literal = ['script', 'scriptPath', 'dependencies']

/** Converts `${NAME}` in the fields of a body to the braces of a definition, so that clients read the syntax that they wrote. */
export function withBracesOf(definition: Mapping, fields: Mapping): Mapping {
  const { variables } = (definition as Pick<CheckEntry, 'clientFields'>).clientFields ?? {}
  return variables !== undefined && Object.hasOwn(spellings, variables) ? withBraces(fields, spellings[variables]) : fields
}

function withBraces(fields: Mapping, spelling: string): Mapping {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, literal.includes(name) ? value : braced(value, spelling)]))
}

function braced(value: unknown, spelling: string): unknown {
  if (typeof value === 'string')
    return value.replace(variableReferences, (whole: string, doubled: string, ...groups) => {
      const [name, otherwise, , offset] = groups as [string | undefined, string | undefined, string | undefined, number]
      // Two braces between others would be read as three.
      const isBetween = value[offset - 1] === '{' && value[offset + whole.length] === '}'
      return doubled || name === undefined || otherwise !== undefined || isBetween ? whole : spelling.replace('NAME', name)
    })
  if (Array.isArray(value)) return value.map((item) => braced(item, spelling))
  return typeof value === 'object' && value !== null ? withBraces(value as Mapping, spelling) : value
}

/** SQL that contains no parameters and is copied as it is: strings, quoted names and comments. */
const quoted = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\//.source
const parameter = /(?:\b(?<before>IN|LIMIT|OFFSET)\s*)?\{(?<name>\w+)\s*:\s*(?<type>[^{}]+?)\s*\}/.source
const pattern = new RegExp(`${quoted}|${parameter}`, 'gi')

/** Replaces bound parameters `{name:Type}` by literals, for servers without parameters. */
export function expandParameters(sql: string, values: ReadonlyMap<string, string>): string {
  return sql.replaceAll(pattern, (text: string, ...rest: unknown[]) => {
    const { before = '', name, type } = rest.at(-1) as Record<'before' | 'name' | 'type', string | undefined>
    if (name === undefined || type === undefined) return text
    const value = values.get(name)
    if (value === undefined) throw new Error(`Substitution {${name}:${type}} is not set`)
    if (before === '') return literalOf(value, type)
    return `${before} ${before.toUpperCase() === 'IN' ? listOf(value, type) : integer(value)}`
  })
}

/** The right side of `IN`, where old servers do not accept an array. */
function listOf(value: string, type: string): string {
  const of = innerType('Array', type)
  if (of === null) return `(${literalOf(value, type)})`
  const elements = elementsOf(value)
  if (elements.length === 0) return `(SELECT CAST('0' AS ${of}) FROM system.one WHERE 0)`
  return `(${elements.map((element) => elementLiteral(element, of)).join(', ')})`
}

function literalOf(value: string, type: string): string {
  const ofArray = innerType('Array', type)
  if (ofArray !== null)
    return `CAST([${elementsOf(value)
      .map((element) => elementLiteral(element, ofArray))
      .join(', ')}] AS ${type})`
  const ofNullable = innerType('Nullable', type)
  if (ofNullable !== null) return value === '\\N' ? `CAST(NULL AS ${type})` : `CAST(${literalOf(value, ofNullable)} AS ${type})`
  if (/^U?Int\d+$/.test(type)) return `CAST(${integer(value)} AS ${type})`
  if (/^Float\d+$/.test(type)) return float(value)
  if (type === 'Identifier') return `\`${unescaped(value).replaceAll(/[\\`]/g, '\\$&')}\``
  if (type === 'String' || /^(LowCardinality|FixedString)\(/.test(type)) return quote(unescaped(value))
  return `CAST(${quote(unescaped(value))} AS ${type})`
}

/** Elements of an array are written as SQL, so strings have quotes. */
function elementLiteral(element: string, type: string): string {
  if (element === 'NULL') return element
  return literalOf(element.startsWith("'") ? element.slice(1, -1) : element, type)
}

function elementsOf(array: string): readonly string[] {
  if (!/^\[.*\]$/s.test(array)) throw new Error(`${array} is no array`)
  return array.slice(1, -1).match(/'(?:[^'\\]|\\.)*'|[^\s,]+/gs) ?? []
}

function innerType(outer: string, type: string): string | null {
  return type.startsWith(`${outer}(`) && type.endsWith(')') ? type.slice(outer.length + 1, -1) : null
}

function integer(value: string): string {
  if (!/^[+-]?\d+$/.test(value)) throw new Error(`Value ${value} cannot be parsed as an integer`)
  return value
}

/** In parentheses, since `--` would begin a comment. */
function float(value: string): string {
  if (/^[+-]?(nan|inf)$/i.test(value)) return `(${value})`
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) throw new Error(`Value ${value} cannot be parsed as a float`)
  return `(${/[.e]/i.test(value) ? value : `${value}.0`})`
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', '0': '\0' }

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => escapes[character] ?? character)
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`
}

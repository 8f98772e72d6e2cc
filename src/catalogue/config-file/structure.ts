import { isMapping } from '../../collections/mapping.ts'
import { expectation, type SchemaNode } from '../../schema/expectation.ts'
import { Check, Compile, IsRefine, type TSchema } from '../../schema/typebox.ts'
import { similar } from '../../text/nearest.ts'
import { type Finding, must, type Path, pathText } from './faults.ts'

/** All violations of a schema and of its refinements, each with a specific message. */
export function structureFindings(schema: TSchema, value: unknown, path: Path): readonly Finding[] {
  if (!hasLargeList(schema, value) && compiled(schema).Check(value)) return []
  const findings = findingsAt(schema, value, path)
  return findings.length > 0 ? findings : [must(path, expectation(schema))]
}

/** Compiled code validates the items of a list before its length. */
function hasLargeList(schema: SchemaNode, value: unknown): boolean {
  if (schema.items) return Array.isArray(value) && largeListFindings(schema, value, []).length > 0
  const { properties } = schema
  if (!properties || !isMapping(value)) return false
  return Object.keys(value).some((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return property !== undefined && hasLargeList(property, value[name])
  })
}

/** Refinements of a list bound the cost of its items, so they are evaluated before these, and must not rely on them. */
function largeListFindings(schema: SchemaNode, list: readonly unknown[], path: Path): readonly Finding[] {
  if (list.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) return [must(path, `a list with at most ${schema.maxItems} in it`)]
  return refinementFindings(schema, list, path)
}

const compiledSchemas = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Most values are valid, and compiled code verifies that in a fraction of the time. */
function compiled(schema: TSchema): ReturnType<typeof Compile> {
  const known = compiledSchemas.get(schema) ?? Compile(schema)
  compiledSchemas.set(schema, known)
  return known
}

/** A mapping without the entries that have findings. */
export function withoutFaults(
  value: Readonly<Record<string, unknown>>,
  found: readonly Finding[],
  depth: number,
): Readonly<Record<string, unknown>> {
  if (found.length === 0) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !found.some(({ path }) => path[depth] === name)))
}

/** Refinements are evaluated only on values that match the rest of their schema, which they rely on. */
function findingsAt(schema: SchemaNode, value: unknown, path: Path): readonly Finding[] {
  if (schema.properties) {
    if (!isMapping(value)) return [must(path, expectation(schema))]
    const findings = mappingFindings(schema, schema.properties, value, path)
    return findings.length > 0 ? findings : refinementFindings(schema, value, path)
  }
  const [entry] = Object.values(schema.patternProperties ?? {})
  if (entry) {
    if (!isMapping(value)) return [must(path, expectation(schema))]
    if (Object.keys(value).length > (schema.maxProperties ?? Number.POSITIVE_INFINITY))
      return [must(path, `a mapping with at most ${schema.maxProperties} in it`)]
    const findings = Object.entries(value).flatMap(([name, item]) => findingsAt(entry, item, [...path, name]))
    return findings.length > 0 || Check(schema, value) ? findings : [must(path, expectation(schema))]
  }
  if (schema.items) return Array.isArray(value) ? listFindings(schema, schema.items, value, path) : [must(path, expectation(schema))]
  return Check(schema, value) ? [] : [must(path, `${expectation(schema)}${quotesMissing(schema, value)}`)]
}

/** Violated refinements, with the messages that the schema defines. */
function refinementFindings(schema: SchemaNode, value: unknown, path: Path): readonly Finding[] {
  const refinements = IsRefine(schema) ? schema['~refine'] : []
  return refinements
    .filter(({ check }) => !check(value))
    .map(({ error }) => ({ path, at: 'value', text: `${pathText(path)}: ${error(value)}` }))
}

function mappingFindings(
  schema: SchemaNode,
  properties: Readonly<Record<string, SchemaNode>>,
  value: Readonly<Record<string, unknown>>,
  path: Path,
): readonly Finding[] {
  const missing = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => missingFinding([...path, name], properties[name] ?? schema))
  const present = Object.entries(value).flatMap(([name, item]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property) return findingsAt(property, item, [...path, name])
    return schema.additionalProperties === false ? [unknownName([...path, name], name, Object.keys(properties))] : []
  })
  return [...missing, ...present]
}

function listFindings(schema: SchemaNode, items: SchemaNode, list: readonly unknown[], path: Path): readonly Finding[] {
  if (list.length < (schema.minItems ?? 0)) return [must(path, `a list with at least ${schema.minItems} in it`)]
  const large = largeListFindings(schema, list, path)
  if (large.length > 0) return large
  const known = new Set<unknown>()
  return list.flatMap((item, index) => {
    const itemPath = [...path, index]
    if (schema.uniqueItems && known.has(item)) return [{ path: itemPath, at: 'value', text: `${pathText(itemPath)} is listed twice` }]
    known.add(item)
    return findingsAt(items, item, itemPath)
  })
}

function missingFinding(path: Path, schema: SchemaNode): Finding {
  return { path, at: 'value', text: `${pathText(path)} is missing: it must be ${expectation(schema)}` }
}

function unknownName(path: Path, name: string, known: readonly string[]): Finding {
  const [best] = similar(name, known, 1)
  return { path, at: 'name', text: `${pathText(path)} is not a known setting here${best ? `; did you mean ${best}?` : ''}` }
}

function quotesMissing(schema: SchemaNode, value: unknown): string {
  const plain = typeof value === 'number' || typeof value === 'boolean'
  return plain && schema.type === 'string' && Check(schema, String(value)) ? ' (put it in quotes)' : ''
}

import { numberOrText, wordsIn } from './field-text.ts'
import type { FormField } from './form-model.ts'

export type AssertionRow = {
  readonly source: string
  readonly comparison: string
  readonly property?: string
  readonly target?: string | number
}

/** A part of a response to assert. */
export type Picked =
  | { readonly of: 'status'; readonly status: number }
  | { readonly of: 'header'; readonly name: string; readonly value: string }
  | { readonly of: 'json'; readonly path: readonly (string | number)[]; readonly value: unknown }
  | { readonly of: 'text'; readonly text: string }

/** The placeholder of secrets. Hidden values cannot be asserted. */
const mask = '•••'
const maxTarget = 1000

/** Asserts that the picked value stays as it is. Undefined if the check type has no such assertion. */
export function assertionOf(pick: Picked, sources: readonly string[]): AssertionRow | undefined {
  const row = rowOf(pick, sources)
  return row !== undefined && sources.includes(row.source) && !isHidden(row) ? row : undefined
}

function rowOf(pick: Picked, sources: readonly string[]): AssertionRow | undefined {
  switch (pick.of) {
    case 'status':
      return { source: 'statusCode', comparison: 'equals', target: pick.status }
    case 'header':
      return { source: 'headers', property: pick.name, comparison: 'equals', target: pick.value }
    case 'json':
      return { source: 'jsonBody', property: jsonPath(pick.path), ...comparedWith(pick.value) }
    case 'text': {
      const source = ['textBody', 'responseData'].find((one) => sources.includes(one))
      return source === undefined || pick.text === '' ? undefined : { source, comparison: 'contains', target: pick.text }
    }
  }
}

function isHidden({ target = '', property = '' }: AssertionRow): boolean {
  return `${target}${property}`.includes(mask) || String(target).length > maxTarget
}

function comparedWith(value: unknown): Omit<AssertionRow, 'source'> {
  if (value === null) return { comparison: 'isNull' }
  if (typeof value === 'number') return { comparison: 'equals', target: value }
  if (typeof value === 'object') return { comparison: Object.keys(value).length === 0 ? 'isEmpty' : 'notEmpty' }
  return value === '' ? { comparison: 'isEmpty' } : { comparison: 'equals', target: String(value) }
}

/** The JSONPath (RFC 9535) of a path. */
export function jsonPath(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) && step !== 'length' ? `.${step}` : `[${quoted(step)}]`
  })
  return `$${steps.join('')}`
}

const quoted = (name: string) => `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const takesList = (comparison: unknown) => comparison === 'oneOf' || comparison === 'notOneOf'

/** Converts the target to a list or a single value, as the comparison requires. */
export function withFittingTarget(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { comparison, target } = row
  if (target === undefined || takesList(comparison) === Array.isArray(target)) return row
  if (Array.isArray(target)) return { ...row, target: target.join(', ') }
  // A pasted list is a single text until its comparison is known to take several values.
  const words = typeof target === 'string' ? wordsIn(target)?.map((word) => numberOrText(word) ?? word) : [target]
  return { ...row, target: words ?? [target] }
}

type JsonPlace = Extract<Picked, { of: 'json' }>

/** The values of a JSON text that can be picked, in order; none if the text is not JSON. */
export function jsonPlaces(text: string, limit: number): readonly JsonPlace[] {
  const places: JsonPlace[] = []
  const visit = (value: unknown, path: JsonPlace['path']) => {
    if (places.length >= limit) return
    places.push({ of: 'json', path, value })
    if (Array.isArray(value)) value.forEach((item, index) => void visit(item, [...path, index]))
    else if (typeof value === 'object' && value !== null) for (const [name, item] of Object.entries(value)) visit(item, [...path, name])
  }
  try {
    visit(JSON.parse(text), [])
  } catch {
    return []
  }
  return places
}

export const sourcesOf = ({ fields }: FormField) => fields.find(({ name }) => name === 'source')?.choices ?? []

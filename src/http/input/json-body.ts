import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { nearest } from '../../text/nearest.ts'
import { quoted } from '../../text/shortened.ts'

/** One property of a JSON body: how it is validated, and its JSON schema for the reference. `parse` gets undefined where it is absent. */
export type Field<T> = {
  readonly schema: Readonly<Record<string, unknown>>
  readonly parse: (path: string, value: unknown) => T
}
type Fields = Readonly<Record<string, Field<unknown>>>
export type Body<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

/** Reads the declared properties of an object; an unknown one is refused, so that no typo gives a wrong answer. */
export function readObject<F extends Fields>(fields: F, value: unknown, path = 'The body'): Body<F> {
  if (!isMapping(value)) throw invalid(path, 'an object')
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue
    throw apiError('UNKNOWN_PROPERTY', { name: quoted(name), nearest: nearest(name, Object.keys(fields), 1).join() })
  }
  const prefix = path === 'The body' ? '' : `${path}.`
  return Object.fromEntries(Object.entries(fields).map(([name, { parse }]) => [name, parse(`${prefix}${name}`, value[name])])) as Body<F>
}

export function object<F extends Fields>(fields: F): Field<Body<F> | null> {
  return { schema: objectSchema(fields), parse: (path, value) => (value === undefined ? null : readObject(fields, value, path)) }
}

export function objectSchema(fields: Fields): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))
  return { type: 'object', properties, additionalProperties: false }
}

type ListOptions = { readonly min?: number; readonly max?: number }

/** A list; duplicates collapse, order is kept. An absent one is null. */
export function array<T>(item: Field<T>, { min = 0, max = 1000 }: ListOptions = {}): Field<readonly T[] | null> {
  return {
    schema: { type: 'array', items: item.schema, ...(min > 0 && { minItems: min }), maxItems: max },
    parse: (path, value) => {
      if (value === undefined) return null
      if (!Array.isArray(value) || value.length < min || value.length > max) throw invalid(path, `a list of ${min} to ${max} items`)
      return [...new Set(value.map((each, index) => item.parse(`${path}[${index}]`, each)))]
    },
  }
}

const maxStringLength = 200

export function string(expected = 'text', maxLength = maxStringLength): Field<string> {
  return {
    schema: { type: 'string', minLength: 1, maxLength },
    parse: (path, value) => {
      if (typeof value !== 'string' || value === '' || value.length > maxLength)
        throw invalid(path, `${expected}, of at most ${maxLength} characters`)
      return value
    },
  }
}

export function number({ min, max, whole = false }: { readonly min: number; readonly max: number; readonly whole?: boolean }) {
  const expected = `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
  return {
    schema: { type: whole ? 'integer' : 'number', minimum: min, maximum: max },
    parse: (path: string, value: unknown) => {
      if (typeof value !== 'number' || value < min || value > max || (whole && !Number.isInteger(value))) throw invalid(path, expected)
      return value
    },
  } satisfies Field<number>
}

export function boolean(): Field<boolean> {
  return {
    schema: { type: 'boolean' },
    parse: (path, value) => {
      if (typeof value !== 'boolean') throw invalid(path, 'true or false')
      return value
    },
  }
}

export function choice<const Choice extends string>(choices: readonly Choice[]): Field<Choice> {
  return {
    schema: { type: 'string', enum: choices },
    parse: (path, value) => {
      const match = choices.find((candidate) => candidate === value)
      if (match === undefined) throw invalid(path, withNearest(value, choices))
      return match
    },
  }
}

export function optional<T, const O>(field: Field<T>, otherwise: O): Field<T | O> {
  return {
    schema: otherwise === null ? field.schema : { ...field.schema, default: otherwise },
    parse: (path, value) => (value === undefined ? otherwise : field.parse(path, value)),
  }
}

/** The expected value, with the nearest choice for a misspelt one. */
function withNearest(value: unknown, choices: readonly string[]): string {
  const all = choices.length > 1 ? `one of ${choices.join(', ')}` : choices.join()
  return typeof value === 'string' && choices.length > 3 ? `${all}. Nearest: ${nearest(value, choices, 1).join()}` : all
}

export function invalid(name: string, expected: string) {
  return apiError('INVALID_PARAMETER', { name, expected })
}

import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { expectation } from '../../schema/expectation.ts'
import { Compile, type Static, type TSchema, Type } from '../../schema/typebox.ts'
import { nearest } from '../../text/nearest.ts'
import { quoted } from '../../text/shortened.ts'

/** A body property or query parameter: its validation, and its JSON schema for the reference. `parse` gets undefined if it is absent. */
export type Field<T> = {
  readonly schema: Readonly<Record<string, unknown>>
  readonly parse: (path: string, value: unknown) => T
}
type Fields = Readonly<Record<string, Field<unknown>>>
export type Body<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

/** Parses the declared properties. An unknown property is an error, so that a typo does not give a wrong answer. */
export function readObject<F extends Fields>(fields: F, value: unknown, path = 'The body'): Body<F> {
  if (!isMapping(value)) throw invalid(path, 'an object')
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue
    throw apiError('UNKNOWN_PROPERTY', { name: quoted(name), nearest: nearest(name, Object.keys(fields), 1).join() })
  }
  const prefix = path === 'The body' ? '' : `${path}.`
  return Object.fromEntries(Object.entries(fields).map(([name, { parse }]) => [name, parse(`${prefix}${name}`, value[name])])) as Body<F>
}

export function object<F extends Fields>(fields: F): Field<Body<F>> {
  return { schema: objectSchema(fields), parse: (path, value) => readObject(fields, value, path) }
}

export function objectSchema(fields: Fields): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))
  return { type: 'object', properties, additionalProperties: false }
}

type ListOptions = { readonly min?: number; readonly max?: number }

/** Removes duplicates and keeps the order. */
export function array<T>(item: Field<T>, { min = 0, max = 1000 }: ListOptions = {}): Field<readonly T[]> {
  return {
    schema: { type: 'array', items: item.schema, ...(min > 0 && { minItems: min }), maxItems: max },
    parse: (path, value) => {
      if (!Array.isArray(value) || value.length < min || value.length > max) throw invalid(path, `a list of ${min} to ${max} items`)
      return [...new Set(value.map((each, index) => item.parse(`${path}[${index}]`, each)))]
    },
  }
}

/** A value that matches a schema. `expected` describes it in errors if the schema does not do so well. */
export function fieldOf<S extends TSchema>(
  schema: S,
  expected: string | ((value: unknown) => string) = expectation(schema),
): Field<Static<S>> {
  let validator: ReturnType<typeof Compile> | undefined
  const isValid = (candidate: unknown): candidate is Static<S> => {
    validator ??= Compile(schema)
    return validator.Check(candidate)
  }
  return {
    schema: { ...(schema as TSchema) },
    parse: (path, value) => {
      if (!isValid(value)) throw invalid(path, typeof expected === 'string' ? expected : expected(value))
      return value
    },
  }
}

export function string(expected = 'text', maxLength = 200): Field<string> {
  return fieldOf(Type.String({ minLength: 1, maxLength }), `${expected}, of at most ${maxLength} characters`)
}

export function choice<const Choice extends string>(choices: readonly Choice[]): Field<Choice> {
  return fieldOf(Type.Unsafe<Choice>({ type: 'string', enum: choices }), (value) => withNearest(value, choices))
}

/** Converts a valid value with `read`, which returns undefined to reject it. */
export function decoded<T, U>(field: Field<T>, read: (value: T) => U | undefined, expected = ''): Field<U> {
  return {
    schema: field.schema,
    parse: (path, value) => {
      const result = read(field.parse(path, value))
      if (result === undefined) throw invalid(path, expected)
      return result
    },
  }
}

/** Null if absent. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return withDefault(field, null)
}

export function withDefault<T, const O>(field: Field<T>, otherwise: O): Field<T | O> {
  return {
    schema: otherwise === null ? field.schema : { ...field.schema, default: otherwise },
    parse: (path, value) => (value === undefined ? otherwise : field.parse(path, value)),
  }
}

export function required<T>(field: Field<T>, expected: string): Field<T> {
  return {
    schema: field.schema,
    parse: (name, value) => {
      if (value === undefined) throw apiError('MISSING_PARAMETER', { name, expected })
      return field.parse(name, value)
    },
  }
}

export function among(choices: readonly string[]): string {
  return choices.length > 1 ? `one of ${choices.join(', ')}` : choices.join()
}

/** The expected value, with the nearest choice for a misspelt one. */
function withNearest(value: unknown, choices: readonly string[]): string {
  const all = among(choices)
  return typeof value === 'string' && value !== '' && choices.length > 3 ? `${all}. Nearest: ${nearest(value, choices, 1).join()}` : all
}

export function invalid(name: string, expected: string) {
  return apiError('INVALID_PARAMETER', { name, expected })
}

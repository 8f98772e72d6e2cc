import fc from 'fast-check'
import type { Schema } from '../../src/http/route.ts'
import { hostileText, wordsByName } from './words.ts'

type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Values that a schema allows, with a bias to its limits. The name determines the kind of text. */
export function allowedValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { enum: choices, oneOf, type, ...rest } = schema as JsonSchema
  if ('const' in rest) return fc.constant(rest.const)
  if (choices) return fc.constantFrom(...choices)
  if (oneOf) return fc.oneof(...oneOf.map((one) => allowedValue(one, name)))
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => allowedValue({ ...rest, type: one }, name)))
  switch (type) {
    case 'integer':
      return wordsByName[name] ? wordsByName[name].map(Number) : wholeNumber(rest)
    case 'number':
      return fc.oneof(wholeNumber(rest), fc.constantFrom(0.5, 99.99, rest.minimum ?? 0))
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(allowedValue(rest.items ?? {}, name), { minLength: rest.minItems ?? 0, maxLength: Math.min(rest.maxItems ?? 6, 6) })
    case 'object':
      return allowedObject(rest)
    case 'null':
      return fc.constant(null)
    default:
      return textOf(rest, name)
  }
}

function wholeNumber({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, minimum + 1, maximum),
    fc.integer({ min: Math.ceil(minimum), max: Math.floor(Math.min(maximum, minimum + 100)) }),
  )
}

function textOf({ maxLength }: JsonSchema, name: string): fc.Arbitrary<string> {
  const words = wordsByName[name] ?? fc.string({ maxLength: 20 })
  return maxLength === undefined
    ? words
    : fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) })
}

/** At most four of them. */
export function fewOf<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.subarray([...items], { maxLength: Math.min(4, items.length) })
}

/** Required properties, and a few optional ones: with all of them, nearly every object would be rejected for one of them. */
function allowedObject({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const some = fewOf(optional).map((names) => [...required, ...names])
  return some.chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, allowedValue(properties[name] ?? {}, name)])), { noNullPrototype: true }),
  )
}

/** Values beyond the limits of a schema, of other types, or hostile. */
export function refusedValue(schema: Schema): fc.Arbitrary<unknown> {
  const { minimum, maximum } = schema as JsonSchema
  const beyond = [minimum === undefined ? -1 : minimum - 1, maximum === undefined ? 2 ** 53 : maximum + 1]
  return fc.oneof(
    fc.constantFrom<unknown>(...beyond, 0.5, 1e300, null, true, [], {}, [[]], { a: 1 }, [null], ['', ''], '', 'x'),
    hostileText,
    fc.constantFrom(1, 10, 1001).map((length) => Array.from({ length }, (_, i) => i)),
  )
}

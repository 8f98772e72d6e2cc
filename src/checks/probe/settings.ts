import { Type } from 'typebox'

export const IpFamily = Type.Union([Type.Literal('IPv4'), Type.Literal('IPv6')])
export const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
export const Url = Type.String({ pattern: '^https?://.+', description: 'an address that starts with http:// or https://' })
export const Environment = Type.Record(Type.String(), Type.String())
export const strict = { additionalProperties: false } as const

const comparisons = [
  'equals',
  'notEquals',
  'hasKey',
  'notHasKey',
  'hasValue',
  'notHasValue',
  'isEmpty',
  'notEmpty',
  'greaterThan',
  'lessThan',
  'contains',
  'notContains',
  'isNull',
  'notNull',
  'matches',
] as const
export type Comparison = (typeof comparisons)[number]

/** One thing that must hold of an answer; `property` is a header's name or a JSONPath, `target` what it is held against. */
export type Assertion = {
  readonly source: string
  readonly comparison: Comparison
  readonly property?: string
  readonly target?: string | number
}

/** Assertions about the given parts of an answer. */
export function Assertions<const Source extends string>(...sources: readonly Source[]) {
  return Type.Array(
    Type.Object(
      {
        source: Type.Enum(sources),
        comparison: Type.Enum(comparisons),
        property: Type.Optional(Type.String()),
        target: Type.Optional(Type.Union([Type.String(), Type.Number()])),
      },
      strict,
    ),
  )
}

import { type Static, Type } from '../../schema/typebox.ts'
import { jsonPathFault } from './assert/json-path.ts'
import { patternFault } from './assert/pattern.ts'

export const IpFamily = Type.Union([Type.Literal('IPv4'), Type.Literal('IPv6')])
export type IpFamily = Static<typeof IpFamily>
export const Hostname = Type.String({
  pattern: '^[^-\\s/?#@][^\\s/?#@]{0,252}$',
  description: 'a host name or address such as db.example.com',
})
export const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
export const Url = Type.Refine(
  Type.String({ pattern: '^https?://.+', description: 'an address that starts with http:// or https://' }),
  (text) => URL.canParse(text),
  () => 'must be an address that starts with http:// or https://',
)
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

/**
 * A condition on a response: `property` is a header's name or a JSONPath, `target` the value to compare with. The target of `matches`
 * is a regular expression in RE2 syntax (no look-around, no back-references).
 */
export type Assertion = {
  readonly source: string
  readonly comparison: Comparison
  readonly property?: string
  readonly target?: string | number
}

/** The schema of assertions about the given parts of a response. */
export function Assertions<const Source extends string>(...sources: readonly Source[]) {
  const assertion = Type.Object(
    {
      source: Type.Enum(sources),
      comparison: Type.Enum(comparisons),
      property: Type.Optional(Type.String()),
      target: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    },
    strict,
  )
  return Type.Array(
    Type.Refine(
      assertion,
      (value) => assertionFault(value) === null,
      (value) => assertionFault(value) ?? '',
    ),
  )
}

const withoutTarget: readonly Comparison[] = ['isEmpty', 'notEmpty', 'isNull', 'notNull']
const ofNumbers: readonly Comparison[] = ['greaterThan', 'lessThan']
/** Comparisons that make sense for all headers together. */
const ofAllHeaders: readonly Comparison[] = ['hasKey', 'notHasKey', 'hasValue', 'notHasValue']
const withJsonPath: readonly string[] = ['jsonBody', 'answer']

/** Of a JSONPath or a regular expression, in characters: compiling takes time and memory that grow with it. */
const maxExpressionLength = 1000

/** Why an assertion that matches the schema is invalid, as a sentence. */
function assertionFault({ source, comparison, property, target }: Assertion): string | null {
  if (target === undefined && !withoutTarget.includes(comparison)) return `${comparison} needs a target`
  if (source === 'headers' && !property && !ofAllHeaders.includes(comparison)) return 'headers needs a property: the name of a header'
  if (ofNumbers.includes(comparison) && !isNumber(target)) return `${comparison} needs a number as its target`
  const path = property !== undefined && withJsonPath.includes(source) ? property : null
  const pattern = comparison === 'matches' ? String(target) : null
  if (path !== null && path.length > maxExpressionLength) return `a JSONPath has at most ${maxExpressionLength} characters`
  if (pattern !== null && pattern.length > maxExpressionLength) return `a regular expression has at most ${maxExpressionLength} characters`
  return (path === null ? null : jsonPathFault(path)) ?? (pattern === null ? null : patternFault(pattern))
}

function isNumber(target: Assertion['target']): boolean {
  return target !== undefined && String(target).trim() !== '' && Number.isFinite(Number(target))
}

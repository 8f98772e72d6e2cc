import { type Edge, parseEdge } from '../../analytics/resolve-window.ts'
import type { BucketWidth } from '../../analytics/window.ts'
import { memoize } from '../../cache/cache.ts'
import type { Zone } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import { Type } from '../../schema/typebox.ts'
import { nearest } from '../../text/nearest.ts'
import { quoted } from '../../text/shortened.ts'
import { parseEpoch } from '../../time.ts'
import { among, choice, decoded, type Field, fieldOf, invalid, optional, withDefault } from './fields.ts'
import { edgeExpected, intervalField, readZone } from './time-fields.ts'

/** All values by name; a trailing `[]` of a name is removed. */
type RawParams = Readonly<Record<string, readonly string[]>>

/** A query parameter. The schema of its field determines which JSON value its text is converted to. */
export type Param<T> = Field<T> & {
  readonly description: string
  readonly required: boolean
  /** For the error if a required parameter is missing. */
  readonly expected?: string
  /** Undocumented: declared only for a better error than `UNKNOWN_PARAMETER`. */
  readonly hidden?: true
  /** Whether `parse` gets the raw texts instead of a JSON value. */
  readonly raw?: true
}
export type Params = Readonly<Record<string, Param<unknown>>>
export type Parsed<P extends Params> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

const cached = memoize<RawParams>(500)

/** Memoized, since clients repeat their queries. */
export function parseQueryString(text: string): RawParams {
  return cached(text, () => readQueryString(text))
}

function readQueryString(text: string): RawParams {
  const values: Record<string, string[]> = Object.create(null)
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const spelled = decode(equals < 0 ? part : part.slice(0, equals))
    const name = spelled.endsWith('[]') ? spelled.slice(0, -2) : spelled
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    const earlier = values[name]
    if (earlier) earlier.push(value)
    else values[name] = [value]
  }
  return values
}

/** Parses declared parameters. An undeclared name is an error, so that a typo does not give a wrong answer. */
export function readParams<P extends Params>(declared: P, query: unknown): Parsed<P> {
  for (const name in query as RawParams) {
    if (Object.hasOwn(declared, name)) continue
    const suggestion = nearest(name, Object.keys(declared), 1)
    const words = { name: quoted(name), nearest: suggestion.join() || 'none, it takes no parameters' }
    throw apiError('UNKNOWN_PARAMETER', words)
  }
  return readKnownParams(declared, query)
}

/** Parses declared parameters and ignores all others. */
export function readKnownParams<P extends Params>(declared: P, query: unknown): Parsed<P> {
  const given = query as RawParams
  const parsed: Record<string, unknown> = {}
  for (const name in declared) {
    const { schema, parse, raw, required, description, expected = description } = declared[name] as P[typeof name]
    const values = given[name] ?? []
    if (required && !values.some((value) => value !== '')) throw apiError('MISSING_PARAMETER', { name, expected })
    parsed[name] = parse(name, raw ? values : schema.type === 'array' ? items(name, values) : scalar(name, values, schema))
  }
  return parsed as Parsed<P>
}

function items(name: string, values: readonly string[]): readonly string[] {
  const all = [...new Set(values.flatMap((value) => value.split(',')).filter((item) => item !== ''))]
  if (all.length > maxItems) throw invalid(name, `a list of at most ${maxItems} values`)
  return all
}

function scalar(name: string, values: readonly string[], schema: Field<unknown>['schema']): unknown {
  const text = only(name, values)
  return text === undefined ? undefined : jsonValue(text, schema)
}

function only(name: string, values: readonly string[]): string | undefined {
  if (values.length > 1) throw apiError('REPEATED_PARAMETER', { name })
  return values[0]
}

/** Accepts decimal digits only: no plus sign, no exponent. Other texts are returned unchanged, for the schema to reject. */
function jsonValue(text: string, { type, oneOf }: Field<unknown>['schema']): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type === 'number' && /^[0-9]{1,15}(\.[0-9]{1,10})?$/.test(text)) return Number(text)
  if ((type === 'integer' || oneOf) && /^([0-9]{1,16}|-[1-9][0-9]{0,14})$/.test(text) && Number.isSafeInteger(Number(text)))
    return Number(text)
  return text
}

export function param<T>(description: string, field: Field<T>): Param<T> {
  return { ...field, description, required: false }
}

type About = { readonly description: string }

export function integer<T extends number | null>({
  description,
  min,
  max,
  otherwise,
}: About & { readonly min: number; readonly max?: number; readonly otherwise: T }): Param<number | T> {
  return param(description, withDefault(fieldOf(Type.Integer({ minimum: min, ...(max !== undefined && { maximum: max }) })), otherwise))
}

export function decimalParam({ description, max }: About & { readonly max?: number }): Param<number | null> {
  const expected = max === undefined ? 'a number such as 99.9' : `a number from 0 to ${max}`
  return param(description, optional(fieldOf(Type.Number({ minimum: 0, ...(max !== undefined && { maximum: max }) }), expected)))
}

export function oneOf<const Choice extends string, T extends Choice | null>({
  description,
  choices,
  otherwise,
}: About & { readonly choices: readonly Choice[]; readonly otherwise: T }): Param<Choice | T> {
  return param(description, withDefault(choice(choices), otherwise))
}

export function requiredOneOf<const Choice extends string>({
  description,
  choices,
}: About & { readonly choices: readonly Choice[] }): Param<Choice> {
  return { ...param(description, choice(choices)), required: true, expected: among(choices) }
}

export function booleanParam<T extends boolean | null>({ description, otherwise }: About & { readonly otherwise: T }): Param<boolean | T> {
  return param(description, withDefault(fieldOf(Type.Boolean()), otherwise))
}

type Length = { readonly maxLength?: number }

export function text({ description, maxLength = 200 }: About & Length): Param<string | null> {
  return param(description, optional(fieldOf(Type.String({ minLength: 1, maxLength }), `1 to ${maxLength} characters`)))
}

/** A text for which empty is a value of its own. */
export function possiblyEmptyText({ description, maxLength = 200 }: About & Length): Param<string | null> {
  return param(description, optional(fieldOf(Type.String({ maxLength }), `at most ${maxLength} characters`)))
}

/** One end of a window in any supported format; a date is a day in the requested time zone. */
export function instant({ description }: About): Param<Edge | null> {
  return param(description, optional(decoded(fieldOf(Type.String()), parseEdge, `${edgeExpected}, between the years 1970 and 9999`)))
}

/** May have a fraction; its milliseconds are parsed from the text. */
export function unixSeconds({ description }: About): Param<number | null> {
  const parse = (name: string, values: unknown) => {
    const text = only(name, values as readonly string[])
    if (text === undefined) return null
    const instant = /^[0-9]{1,11}(\.[0-9]+)?$/.test(text) ? parseEpoch(text) : undefined
    if (instant === undefined) throw invalid(name, 'unix seconds')
    return instant
  }
  return { ...param(description, { schema: { type: 'number', minimum: 0 }, parse }), raw: true }
}

export function timezone(): Param<Zone | null> {
  const description = 'The IANA time zone of calendar presets, dates and buckets, such as Europe/Berlin; default: UTC.'
  return param(description, optional(decoded(fieldOf(Type.String()), readZone)))
}

export function interval({ description }: About): Param<BucketWidth | null> {
  return param(description, optional(intervalField))
}

const maxItems = 1000

/** Several values, repeated or separated by commas. Removes duplicates and keeps the order. */
export function list({ description }: About): Param<readonly string[]> {
  return param(description, fieldOf(Type.Array(Type.String(), { maxItems })))
}

export function listOf<const Choice extends string>({
  description,
  choices,
}: About & { readonly choices: readonly Choice[] }): Param<readonly Choice[]> {
  const schema = Type.Array(Type.Unsafe<Choice>({ type: 'string', enum: choices }))
  return param(description, fieldOf(schema, `a list of ${choices.join(', ')}`))
}

/** A parameter that other endpoints have, but this one rejects. */
export function refused(expected: string): Param<null> {
  const parse = (name: string, values: unknown) => {
    if ((values as readonly string[]).length > 0) throw invalid(name, expected)
    return null
  }
  return { ...param('', { schema: {}, parse }), hidden: true, raw: true }
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

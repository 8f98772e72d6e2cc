import { type Edge, parseEdge } from '../../analytics/resolve-window.ts'
import { type BucketWidth, calendarUnits } from '../../analytics/window.ts'
import { memoize } from '../../cache/cache.ts'
import { findZone, nearestZones, type Zone } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import { nearest } from '../../text/nearest.ts'
import { quoted } from '../../text/shortened.ts'
import { parseEpoch } from '../../time.ts'

/** A parsed query string: every value of every name, without a trailing `[]` of the name. */
type RawParams = Readonly<Record<string, readonly string[]>>

/** One query parameter: how it is parsed and documented. `parse` gets an empty list where it is absent. */
export type Param<T> = {
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** For the error where a required parameter is missing. */
  readonly expected?: string
  /** Undocumented: declared only for a better error than `UNKNOWN_PARAMETER`. */
  readonly hidden?: true
  readonly parse: (name: string, values: readonly string[]) => T
}
export type Params = Readonly<Record<string, Param<unknown>>>
export type Parsed<P extends Params> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

const cached = memoize<RawParams>(500)

/** Clients repeat their queries, so each is parsed once. */
export function parseQueryString(text: string): RawParams {
  return cached(text, () => readQueryString(text))
}

function readQueryString(text: string): RawParams {
  const values: Record<string, string[]> = Object.create(null)
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const decoded = decode(equals < 0 ? part : part.slice(0, equals))
    const name = decoded.endsWith('[]') ? decoded.slice(0, -2) : decoded
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    const earlier = values[name]
    if (earlier) earlier.push(value)
    else values[name] = [value]
  }
  return values
}

/** Parses declared parameters; an undeclared name is an error, so that a typo does not give a wrong answer. */
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
    const { parse, required, description, expected = description } = declared[name] as P[typeof name]
    const values = given[name] ?? []
    if (required && !values.some((value) => value !== '')) throw apiError('MISSING_PARAMETER', { name, expected })
    parsed[name] = parse(name, values)
  }
  return parsed as Parsed<P>
}

type About = { readonly description: string }

/** Decimal digits only: no sign, no exponent. */
export function integer<T extends number | null>({
  description,
  min,
  max = Number.MAX_SAFE_INTEGER,
  otherwise,
}: About & { readonly min: number; readonly max?: number; readonly otherwise: T }): Param<number | T> {
  const expected = max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`
  return {
    ...scalar(description, expected, otherwise, (text) => {
      const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    }),
    schema: { type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }), ...defaultOf(otherwise) },
  }
}

/** Decimal digits with or without a fraction: no sign, no exponent. */
export function decimalParam({ description, max = Number.MAX_VALUE }: About & { readonly max?: number }): Param<number | null> {
  const expected = max === Number.MAX_VALUE ? 'a number such as 99.9' : `a number from 0 to ${max}`
  return {
    ...scalar(description, expected, null, (text) => {
      const value = /^[0-9]{1,15}(\.[0-9]{1,10})?$/.test(text) ? Number(text) : Number.NaN
      return value <= max ? value : undefined
    }),
    schema: { type: 'number', minimum: 0, ...(max < Number.MAX_VALUE && { maximum: max }) },
  }
}

export function oneOf<const Choice extends string, T extends Choice | null>({
  description,
  choices,
  otherwise,
}: About & { readonly choices: readonly Choice[]; readonly otherwise: T }): Param<Choice | T> {
  return {
    ...scalar(description, among(choices), otherwise, (text) => choices.find((choice) => choice === text)),
    schema: { type: 'string', enum: choices, ...defaultOf(otherwise) },
  }
}

export function requiredOneOf<const Choice extends string>(about: About & { readonly choices: readonly Choice[] }): Param<Choice> {
  const { parse, ...rest } = oneOf({ ...about, otherwise: about.choices[0] as Choice })
  return { ...rest, schema: { type: 'string', enum: about.choices }, required: true, expected: among(about.choices), parse }
}

export function booleanParam<T extends boolean | null>({ description, otherwise }: About & { readonly otherwise: T }): Param<boolean | T> {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false }
  return {
    ...scalar(description, 'true or false', otherwise, (text) => (Object.hasOwn(words, text) ? words[text] : undefined)),
    schema: { type: 'boolean', ...defaultOf(otherwise) },
  }
}

export function text({ description, maxLength = 200 }: About & { readonly maxLength?: number }): Param<string | null> {
  const fits = (value: string) => (value.length <= maxLength ? value : undefined)
  return { ...scalar(description, `at most ${maxLength} characters`, null, fits), schema: { type: 'string', maxLength } }
}

/** An end of a window in any supported format; a date is a day of the zone that is asked for. */
export function instant({ description }: About): Param<Edge | null> {
  const expected =
    'unix seconds, unix milliseconds, an ISO 8601 timestamp with Z or an offset, or a date YYYY-MM-DD, between the years 1970 and 9999'
  return { ...scalar(description, expected, null, parseEdge), schema: { type: 'string' } }
}

export function unixSeconds({ description }: About): Param<number | null> {
  const parse = (value: string) => (/^[0-9]{1,11}(\.[0-9]+)?$/.test(value) ? parseEpoch(value) : undefined)
  return { ...scalar(description, 'unix seconds', null, parse), schema: { type: 'number', minimum: 0 } }
}

/** A time zone by its IANA name; null where none is given. */
export function timezone(): Param<Zone | null> {
  const description = 'The IANA name of a time zone, such as Europe/Berlin, for calendar presets, dates and buckets. Without it: UTC.'
  return { ...scalar(description, '', null, readZone), schema: { type: 'string' } }
}

export function readZone(name: string): Zone {
  const zone = findZone(name)
  if (!zone) throw apiError('UNKNOWN_TIMEZONE', { name: quoted(name), nearest: nearestZones(name).join(', ') })
  return zone
}

const maxIntervalMinutes = 43_200
export const intervalExpected = `a whole number of minutes from 1 to ${maxIntervalMinutes}, or day, week or month`

/** The width of buckets. */
export function interval({ description }: About): Param<BucketWidth | null> {
  const parse = (text: string) => readInterval(/^[0-9]{1,16}$/.test(text) ? Number(text) : text)
  return {
    ...scalar(description, intervalExpected, null, parse),
    schema: {
      oneOf: [
        { type: 'integer', minimum: 1, maximum: maxIntervalMinutes },
        { type: 'string', enum: calendarUnits },
      ],
    },
  }
}

export function readInterval(value: unknown): BucketWidth | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 1 && value <= maxIntervalMinutes ? value : undefined
  return calendarUnits.find((unit) => unit === value)
}

const maxItems = 1000

/** Several values, repeated or separated by commas; duplicates are removed, order stays. */
export function list({ description }: About): Param<readonly string[]> {
  return {
    description,
    schema: { type: 'array', items: { type: 'string' }, maxItems },
    required: false,
    parse: items,
  }
}

export function listOf<const Choice extends string>({
  description,
  choices,
}: About & { readonly choices: readonly Choice[] }): Param<readonly Choice[]> {
  const find = (name: string, item: string) => {
    const choice = choices.find((candidate) => candidate === item)
    if (choice === undefined) throw apiError('INVALID_PARAMETER', { name, expected: `a list of ${choices.join(', ')}` })
    return choice
  }
  return {
    description,
    schema: { type: 'array', items: { type: 'string', enum: choices } },
    required: false,
    parse: (name, values) => items(name, values).map((item) => find(name, item)),
  }
}

/** A parameter that other endpoints have, but this one rejects. */
export function refused(expected: string): Param<null> {
  const parse = (name: string, values: readonly string[]) => {
    if (values.length > 0) throw apiError('INVALID_PARAMETER', { name, expected })
    return null
  }
  return { description: '', schema: {}, required: false, hidden: true, parse }
}

/** The items of a list parameter without duplicates. */
export function items(name: string, values: readonly string[]): readonly string[] {
  const all = [...new Set(values.flatMap((value) => value.split(',')).filter((item) => item !== ''))]
  if (all.length > maxItems) throw apiError('INVALID_PARAMETER', { name, expected: `a list of at most ${maxItems} values` })
  return all
}

export function scalar<T, O>(description: string, expected: string, otherwise: O, read: (text: string) => T | undefined): Param<T | O> {
  return {
    description,
    schema: {},
    required: false,
    parse: (name, values) => {
      if (values.length > 1) throw apiError('REPEATED_PARAMETER', { name })
      const [given] = values
      if (given === undefined) return otherwise
      const value = read(given)
      if (value === undefined) throw apiError('INVALID_PARAMETER', { name, expected })
      return value
    },
  }
}

function among(choices: readonly string[]): string {
  return choices.length > 1 ? `one of ${choices.join(', ')}` : choices.join()
}

function defaultOf(otherwise: unknown): Readonly<Record<string, unknown>> {
  return otherwise === null ? {} : { default: otherwise }
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

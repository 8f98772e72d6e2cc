import type { Assertion, Comparison } from '../../../checks/probe/settings.ts'
import { atLeast, atMost, escapedPattern, maxTargets } from '../assertions-of.ts'
import { parseDuration } from '../durations.ts'

export type EndpointKind = 'http' | 'tcp' | 'dns' | 'icmp'

/** The conversion of one condition. `note` is a sentence about a small difference. */
export type ConditionOutcome =
  | { readonly assertion: Assertion; readonly note?: string }
  | { readonly maxResponseTimeMs: number }
  | { readonly shouldFail: true }
  /** The condition is always true if the check passes. */
  | { readonly implied: true }
  | { readonly lost: string }

const operators = ['==', '!=', '<=', '>=', '>', '<'] as const
type Operator = (typeof operators)[number]
const mirrored: Readonly<Record<Operator, Operator>> = { '==': '==', '!=': '!=', '<=': '>=', '>=': '<=', '>': '<', '<': '>' }
const maxLength = 10_000

/** `write` converts text of the condition to text of the config file, including variables. */
export function convertCondition(condition: string, kind: EndpointKind, write: (text: string) => string): ConditionOutcome {
  if (condition.length > maxLength) return { lost: 'It is longer than 10,000 characters.' }
  const operator = operators.find((one) => condition.includes(` ${one} `))
  if (operator === undefined) return { lost: 'It has no comparison.' }
  const [left = '', right = ''] = condition.split(` ${operator} `).map((side) => side.trim())
  const [ofLeft, ofRight] = [subjectOf(left), subjectOf(right)]
  if (ofLeft && ofRight) return { lost: 'Two parts of a response cannot be compared with each other.' }
  const subject = ofLeft ?? ofRight
  if (!subject) return { lost: 'It does not refer to a part of a response.' }
  return compared(subject, { operator: ofLeft ? operator : mirrored[operator], value: ofLeft ? right : left, kind, write })
}

type Subject = { readonly wrapper: 'len' | 'has' | null; readonly placeholder: string; readonly path: string }

/** Parses `[STATUS]`, `[BODY].a[0]`, `len([BODY].a)` or `has([BODY].a)`. Null for a plain value. */
function subjectOf(text: string): Subject | null {
  const [, wrapper = null, inner = text] = /^(len|has)\((.*)\)$/s.exec(text) ?? []
  const [, placeholder, path = ''] = /^\[([A-Z_]+)\](.*)$/is.exec(inner) ?? []
  if (placeholder === undefined) return null
  return { wrapper: wrapper as Subject['wrapper'], placeholder: placeholder.toUpperCase(), path }
}

type ConditionParts = {
  readonly operator: Operator
  readonly value: string
  readonly kind: EndpointKind
  readonly write: (text: string) => string
}

function compared(subject: Subject, given: ConditionParts): ConditionOutcome {
  const convert = Object.hasOwn(placeholders, subject.placeholder) ? placeholders[subject.placeholder] : undefined
  return convert ? convert(subject, given) : { lost: `[${subject.placeholder}] has no equivalent.` }
}

type Convert = (subject: Subject, given: ConditionParts) => ConditionOutcome

const placeholders: Readonly<Record<string, Convert>> = {
  STATUS: (_, given) => (given.kind === 'http' ? whole('statusCode', given) : { lost: 'Only HTTP checks have a status.' }),
  RESPONSE_TIME: (_, given) => responseTime(given),
  CONNECTED: (_, { operator, value, kind }) => {
    const isConnected = (operator === '==') === (value === 'true')
    if (isConnected) return { implied: true }
    return kind === 'tcp' ? { shouldFail: true } : { lost: 'Only TCP checks can expect a closed port.' }
  },
  BODY: bodyCondition,
  CERTIFICATE_EXPIRATION: (_, given) => certificateDays(given),
  DNS_RCODE: (_, given) => (given.kind === 'dns' ? text('responseCode', given) : { lost: 'Only DNS checks have this code.' }),
  IP: () => ({ lost: 'The called address is not checked.' }),
  DOMAIN_EXPIRATION: () => ({ lost: 'Domain expiration is not checked.' }),
  CONTEXT: () => ({ lost: 'Only suites have a context.' }),
}

/** Compares a whole number of a response. */
function whole(source: string, { operator, value, write }: ConditionParts, property?: string): ConditionOutcome {
  const about = { source, ...(property !== undefined && { property }) }
  const number = numberOf(value)
  if (operator === '==' || operator === '!=') return text(source, { operator, value, write }, property)
  if (number === null) return { lost: 'It is compared with a value that is not a number.' }
  if (operator === '<') return { assertion: { ...about, comparison: 'lessThan', target: number } }
  if (operator === '>') return { assertion: { ...about, comparison: 'greaterThan', target: number } }
  return {
    assertion: {
      ...about,
      comparison: operator === '<=' ? 'lessThan' : 'greaterThan',
      target: operator === '<=' ? number + 1 : number - 1,
    },
  }
}

/** Parses a number, or a duration as milliseconds; null if the value is neither. */
function numberOf(value: string): number | null {
  const duration = /[a-zµ]/i.test(value) && !/^0x/i.test(value) ? parseDuration(value) : null
  if (duration !== null) return Math.trunc(duration)
  const number = value === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}

/** Converts `==` and `!=`, including the functions `pat` and `any`. */
function text(
  source: string,
  { operator, value, write }: Pick<ConditionParts, 'operator' | 'value' | 'write'>,
  property?: string,
): ConditionOutcome {
  const isNot = operator === '!='
  const written = (one: string) => (source === 'statusCode' && /^[0-9]{1,9}$/.test(one) ? Number(one) : write(one))
  const about = { source, ...(property !== undefined && { property }) }
  const assertion = (yes: Comparison, no: Comparison, target: NonNullable<Assertion['target']>): ConditionOutcome => ({
    assertion: { ...about, comparison: isNot ? no : yes, target },
  })
  const pattern = /^pat\((.*)\)$/s.exec(value)?.[1]
  if (pattern !== undefined) return patternCondition(pattern, assertion, write)
  const options = /^any\((.*)\)$/s.exec(value)?.[1]
  if (options === undefined) return assertion('equals', 'notEquals', written(value))
  const targets = options.split(',').map((option) => written(option.trim()))
  return targets.length > maxTargets ? { lost: `A list has at most ${maxTargets} values.` } : assertion('oneOf', 'notOneOf', targets)
}

type Make = (yes: Comparison, no: Comparison, target: string) => ConditionOutcome

function patternCondition(pattern: string, make: Make, write: (text: string) => string): ConditionOutcome {
  const inner = /^\*([^*?[\]\\]+)\*$/s.exec(pattern)?.[1]
  if (inner !== undefined) return make('contains', 'notContains', write(inner))
  const expression = globPattern(pattern)
  if (expression === null) return { lost: 'Its pattern cannot be read.' }
  return make('matches', 'notMatches', write(expression))
}

/** Converts a glob to a regular expression. Null if a character class is not closed. */
function globPattern(glob: string): string | null {
  let expression = '(?s)^'
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] ?? ''
    if (character === '*') expression += '.*'
    else if (character === '?') expression += '.'
    else if (character === '\\') expression += escapedPattern(glob[++at] ?? '\\')
    else if (character === '[') {
      const end = glob.indexOf(']', at + 2)
      if (end === -1) return null
      expression += glob.slice(at, end + 1)
      at = end
    } else expression += escapedPattern(character)
  }
  return `${expression}$`
}

function responseTime({ operator, value, kind }: ConditionParts): ConditionOutcome {
  const number = numberOf(value)
  if (number === null) return { lost: 'It is compared with a value that is not a number.' }
  if (operator === '<' || operator === '<=') return { maxResponseTimeMs: Math.max(0, number) }
  if (kind === 'icmp') return { lost: 'ICMP checks support only a maximum response time.' }
  const about = { source: 'responseTime' }
  if (operator === '>') return { assertion: { ...about, comparison: 'greaterThan', target: number } }
  if (operator === '>=') return { assertion: { ...about, ...atLeast(number) } }
  return { lost: 'Response times are fractional, so they never equal a value.' }
}

const hoursOfDay = 24

/** Certificate validity is measured in whole days, so `> 48h` means at least two days. */
function certificateDays({ operator, value, kind }: ConditionParts): ConditionOutcome {
  const ms = numberOf(value)
  if (kind !== 'http') return { lost: 'Only HTTP checks verify certificates.' }
  if (ms === null || (operator !== '>' && operator !== '>='))
    return { lost: 'Only the minimum remaining validity of a certificate is converted.' }
  const days = Math.ceil(ms / (hoursOfDay * 3_600_000))
  return { assertion: { source: 'certificateDays', comparison: 'greaterThan', target: days - 1 } }
}

function bodyCondition(subject: Subject, given: ConditionParts): ConditionOutcome {
  const { kind } = given
  if (kind === 'icmp') return { lost: 'ICMP checks have no body.' }
  if (kind !== 'http') return plainBody(kind === 'dns' ? 'answer' : 'responseData', subject, given)
  const property = jsonPathOf(subject.path)
  if (property === null) return { lost: 'Its path cannot be read.' }
  if (subject.wrapper === 'has') return presence(property, given)
  if (subject.wrapper === 'len') return whole('jsonBody', given, property === '$' ? '$.length' : `${property}.length`)
  if (subject.path === '') return plainBody('textBody', subject, given)
  return jsonCondition(property, given)
}

function plainBody(source: string, { wrapper, path }: Subject, given: ConditionParts): ConditionOutcome {
  if (wrapper !== null || path !== '') return { lost: 'Only the whole of this response is compared.' }
  if (given.operator !== '==' && given.operator !== '!=') return { lost: 'A whole response is compared only as text.' }
  return text(source, given)
}

function presence(property: string, { operator, value }: ConditionParts): ConditionOutcome {
  if ((operator !== '==' && operator !== '!=') || (value !== 'true' && value !== 'false')) return { lost: 'has() is true or false.' }
  const isThere = (value === 'true') === (operator === '==')
  return {
    assertion: { source: 'jsonBody', property, comparison: isThere ? 'notNull' : 'isNull' },
    note: 'null counts as absent here.',
  }
}

function jsonCondition(property: string, given: ConditionParts): ConditionOutcome {
  const { operator, value } = given
  if (operator === '==' || operator === '!=') return text('jsonBody', given, property)
  const number = numberOf(value)
  if (number === null) return { lost: 'It is compared with a value that is not a number.' }
  const about = { source: 'jsonBody', property }
  if (operator === '<') return { assertion: { ...about, comparison: 'lessThan', target: number } }
  if (operator === '>') return { assertion: { ...about, comparison: 'greaterThan', target: number } }
  return { assertion: { ...about, ...(operator === '<=' ? atMost(number) : atLeast(number)) } }
}

const maxPathLength = 900

/** Converts `.a.b[0]` or `[0].a` to a JSONPath. Null for any other syntax. */
function jsonPathOf(path: string): string | null {
  if (path.length > maxPathLength) return null
  const step = /\.([^.[\]\s'"\\]+)|\.?\[([0-9]{1,9})\]/y
  let steps = '$'
  while (step.lastIndex < path.length) {
    const [, name, index] = step.exec(path) ?? []
    if (name === undefined && index === undefined) return null
    steps += name === undefined ? `[${index}]` : /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`
  }
  return steps
}

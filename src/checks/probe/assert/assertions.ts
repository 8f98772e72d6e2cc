import { ProbeFault } from '../failures.ts'
import type { AssertionOutcome } from '../judge/judge.ts'
import type { Assertion, AssertionTarget, Comparison } from '../settings.ts'
import { holds } from './compare.ts'

/** A part of a response that assertions refer to: its display name and its value. */
type Observation = { readonly subject: string; readonly value: () => unknown; readonly unit?: string }
export type Observe = (property: string | undefined) => Observation

type Asserted = {
  readonly outcomes: readonly AssertionOutcome[]
  /** The first failed assertion, as a sentence: `status 503, expected 200`. */
  readonly failure: string | null
}

/** Evaluates every assertion against the parts of a response. */
export function assertAll(
  assertions: readonly Assertion[],
  sources: Readonly<Record<string, Observe>>,
  redact: (text: string) => string = (text) => text,
): Asserted {
  const asserted = assertions.map((assertion) => assertOne(assertion, sources, redact))
  return {
    outcomes: asserted.map(({ outcome }) => outcome),
    failure: asserted.find(({ outcome }) => !outcome.passed)?.failure ?? null,
  }
}

type Evaluated = { readonly outcome: AssertionOutcome; readonly failure: string }

function assertOne(assertion: Assertion, sources: Readonly<Record<string, Observe>>, redact: (text: string) => string): Evaluated {
  const { source, comparison, property, target } = assertion
  const { subject, value, unit = '' } = observe(sources[source], source, property)
  const [verb, expected] = phrases[comparison]
  const goal =
    target === undefined || comparison in targetless
      ? ''
      : ` ${[target]
          .flat()
          .map((one) => display(asWritten(one, redact), redact))
          .join(', ')}${unit}`
  const text = `${subject} ${verb}${goal}`
  try {
    const actual = value()
    const shown = `${display(actual, redact)}${typeof actual === 'number' ? unit : ''}`
    const passed = holds(comparison, actual, target)
    return { outcome: { text, passed, actual: shown }, failure: `${subject} ${shown}, expected${expected && ` ${expected}`}${goal}` }
  } catch (error) {
    const why = redact(error instanceof Error ? error.message : String(error)).slice(0, maxLength)
    return { outcome: { text, passed: false, actual: why }, failure: `${subject}: ${why}` }
  }
}

function observe(source: Observe | undefined, name: string, property: string | undefined): Observation {
  if (!source) return { subject: name, value: () => raise(`there is no ${name} in this answer`) }
  return source(property)
}

function raise(sentence: string): never {
  throw new ProbeFault(sentence)
}

const maxLength = 200

function display(value: unknown, redact: (text: string) => string): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(truncate(redact(value)))
  return truncate(redact(typeof value === 'object' ? JSON.stringify(value) : String(value)))
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** A quoted number is displayed as a number, unless it is a secret, which redaction must find as it was written. */
function asWritten(target: AssertionTarget, redact: (text: string) => string): string | number {
  if (redact(String(target)) !== String(target)) return target
  return typeof target === 'string' && /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/.test(target) ? Number(target) : target
}

const targetless = { isEmpty: true, notEmpty: true, isNull: true, notNull: true }

/** The text after the subject, and the text after "expected". */
const phrases: Readonly<Record<Comparison, readonly [string, string]>> = {
  equals: ['equals', ''],
  notEquals: ['does not equal', 'anything but'],
  hasKey: ['has the key', 'to have the key'],
  notHasKey: ['does not have the key', 'not to have the key'],
  hasValue: ['has the value', 'to have the value'],
  notHasValue: ['does not have the value', 'not to have the value'],
  isEmpty: ['is empty', 'to be empty'],
  notEmpty: ['is not empty', 'not to be empty'],
  greaterThan: ['is greater than', 'more than'],
  lessThan: ['is less than', 'less than'],
  contains: ['contains', 'to contain'],
  notContains: ['does not contain', 'not to contain'],
  isNull: ['is null', 'to be null'],
  notNull: ['is not null', 'not to be null'],
  matches: ['matches', 'to match'],
  notMatches: ['does not match', 'not to match'],
  oneOf: ['is one of', 'one of'],
  notOneOf: ['is not one of', 'none of'],
}

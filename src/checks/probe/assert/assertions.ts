import { ProbeFault } from '../failures.ts'
import type { AssertionOutcome } from '../run.ts'
import type { Assertion, Comparison } from '../settings.ts'
import { holds } from './compare.ts'

/** A part of an answer that assertions speak of: what people call it, and its value. */
export type Observation = { readonly subject: string; readonly value: () => unknown; readonly unit?: string }
export type Observe = (property: string | undefined) => Observation

export type Asserted = {
  readonly outcomes: readonly AssertionOutcome[]
  /** The first that did not hold, as a sentence: `status 503, expected 200`. */
  readonly failure: string | null
}

/** Holds every assertion against the sources of an answer; `hide` makes secrets unreadable. */
export function assertAll(
  assertions: readonly Assertion[],
  sources: Readonly<Record<string, Observe>>,
  hide: (text: string) => string = (text) => text,
): Asserted {
  const asserted = assertions.map((assertion) => assertOne(assertion, sources, hide))
  return {
    outcomes: asserted.map(({ outcome }) => outcome),
    failure: asserted.find(({ outcome }) => !outcome.passed)?.failure ?? null,
  }
}

type One = { readonly outcome: AssertionOutcome; readonly failure: string }

function assertOne(assertion: Assertion, sources: Readonly<Record<string, Observe>>, hide: (text: string) => string): One {
  const { source, comparison, property, target } = assertion
  const { subject, value, unit = '' } = observe(sources[source], source, property)
  const [verb, expected] = words[comparison]
  const goal = target === undefined || comparison in targetless ? '' : ` ${shown(asWritten(target, hide), hide)}${unit}`
  const text = `${subject} ${verb}${goal}`
  try {
    const actual = value()
    const found = `${shown(actual, hide)}${typeof actual === 'number' ? unit : ''}`
    const passed = holds(comparison, actual, target)
    return { outcome: { text, passed, actual: found }, failure: `${subject} ${found}, expected${expected && ` ${expected}`}${goal}` }
  } catch (error) {
    const why = hide(error instanceof Error ? error.message : String(error)).slice(0, longest)
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

const longest = 200

/** A value as people read it, cut where it is long. */
function shown(value: unknown, hide: (text: string) => string): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(cut(hide(value)))
  return cut(hide(typeof value === 'object' ? JSON.stringify(value) : String(value)))
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** A number that the file has in quotes is shown as one, unless it is a secret, which must be found as it was written. */
function asWritten(target: string | number, hide: (text: string) => string): string | number {
  if (hide(String(target)) !== String(target)) return target
  return typeof target === 'string' && /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/.test(target) ? Number(target) : target
}

const targetless = { isEmpty: true, notEmpty: true, isNull: true, notNull: true }

/** What follows the subject, and what follows "expected". */
const words: Readonly<Record<Comparison, readonly [string, string]>> = {
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
}

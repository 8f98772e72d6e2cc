import { isDeepStrictEqual } from 'node:util'
import { parsedJson } from '../../../text/parsed-json.ts'
import type { Assertion, Comparison, AssertionTarget as Target } from '../settings.ts'
import { matches } from './pattern.ts'

/** Whether a comparison holds for a value; a missing value is null. A target is text or a number, as in the config file. */
export function holds(comparison: Comparison, actual: unknown, target: Assertion['target'] = ''): boolean {
  const [value, targets] = [actual ?? null, [target].flat()]
  if (comparison === 'oneOf') return isOneOf(value, targets)
  if (comparison === 'notOneOf') return !isOneOf(value, targets)
  return comparisons[comparison](value, targets[0] ?? '')
}

type Single = Exclude<Comparison, 'oneOf' | 'notOneOf'>

const comparisons: Readonly<Record<Single, (actual: unknown, target: Target) => boolean>> = {
  equals,
  notEquals: (actual, target) => !equals(actual, target),
  hasKey,
  notHasKey: (actual, target) => !hasKey(actual, target),
  hasValue,
  notHasValue: (actual, target) => !hasValue(actual, target),
  isEmpty,
  notEmpty: (actual) => !isEmpty(actual),
  greaterThan: (actual, target) => numberOf(actual) > numberOf(target),
  lessThan: (actual, target) => numberOf(actual) < numberOf(target),
  contains,
  notContains: (actual, target) => !contains(actual, target),
  isNull: (actual) => actual === null,
  notNull: (actual) => actual !== null,
  matches: matchesPattern,
  notMatches: (actual, target) => !matchesPattern(actual, target),
}

function matchesPattern(actual: unknown, target: Target): boolean {
  return actual !== null && matches(String(target), textOf(actual))
}

/** For a number, a target such as `200-299` is a range, both ends included. */
function isOneOf(actual: unknown, targets: readonly Target[]): boolean {
  return targets.some((target) => equals(actual, target) || (typeof actual === 'number' && isWithin(actual, target)))
}

function isWithin(actual: number, target: Target): boolean {
  const [, from, to] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(String(target)) ?? []
  return from !== undefined && actual >= Number(from) && actual <= Number(to)
}

function equals(actual: unknown, target: Target): boolean {
  if (typeof actual === 'number') return actual === numberOf(target)
  if (typeof actual === 'object' && actual !== null) return isDeepStrictEqual(actual, parsedJson(String(target)))
  return String(actual) === String(target)
}

function hasKey(actual: unknown, target: Target): boolean {
  return typeof actual === 'object' && actual !== null && Object.hasOwn(actual, target)
}

function hasValue(actual: unknown, target: Target): boolean {
  return typeof actual === 'object' && actual !== null && Object.values(actual).some((value) => equals(value, target))
}

function isEmpty(actual: unknown): boolean {
  if (actual === null || actual === '') return true
  return typeof actual === 'object' && Object.keys(actual).length === 0
}

function contains(actual: unknown, target: Target): boolean {
  if (actual === null) return false
  if (Array.isArray(actual)) return actual.some((item) => equals(item, target) || (typeof item === 'string' && contains(item, target)))
  return textOf(actual).includes(String(target))
}

function textOf(actual: unknown): string {
  return typeof actual === 'object' ? JSON.stringify(actual) : String(actual)
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^[+-]?[0-9.]/.test(value.trim()) ? Number(value) : Number.NaN
}

import { isDeepStrictEqual } from 'node:util'
import type { Comparison } from '../settings.ts'
import { matches } from './pattern.ts'

type Target = string | number

/** Whether a comparison holds for a value; a missing value is null. A target is text or a number, as in the config file. */
export function holds(comparison: Comparison, actual: unknown, target: Target = ''): boolean {
  return comparisons[comparison](actual ?? null, target)
}

const comparisons: Readonly<Record<Comparison, (actual: unknown, target: Target) => boolean>> = {
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
  matches: (actual, target) => actual !== null && matches(String(target), textOf(actual)),
}

function equals(actual: unknown, target: Target): boolean {
  if (typeof actual === 'number') return actual === numberOf(target)
  if (typeof actual === 'object' && actual !== null) return isDeepStrictEqual(actual, parsed(String(target)))
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

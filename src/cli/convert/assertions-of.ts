import type { Assertion } from '../../checks/probe/settings.ts'

/** An assertion that the status is one of these codes and ranges such as `200-299`; null where one of them is neither. */
export function statusAssertion(codes: readonly unknown[]): Assertion | null {
  const texts = codes.map(String)
  if (texts.length === 0 || texts.length > maxTargets || !texts.every((text) => /^[0-9]{3}(-[0-9]{3})?$/.test(text))) return null
  return { source: 'statusCode', comparison: 'oneOf', target: texts.map((text) => (text.includes('-') ? text : Number(text))) }
}

export const maxTargets = 100

/** What a value that is not whole may fall short of a number and still be less than it. */
const margin = 1e-6

/** At least, and at most: there are only the strict comparisons. */
export const atLeast = (number: number): Pick<Assertion, 'comparison' | 'target'> => ({ comparison: 'greaterThan', target: below(number) })
export const atMost = (number: number): Pick<Assertion, 'comparison' | 'target'> => ({ comparison: 'lessThan', target: above(number) })

const below = (number: number) => rounded(number - margin)
const above = (number: number) => rounded(number + margin)
const rounded = (number: number) => Number(number.toFixed(6))

/** A regular expression of RE2 that matches the text as it is. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

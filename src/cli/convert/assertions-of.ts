import type { Assertion } from '../../checks/probe/settings.ts'

/** Asserts that the status is in a list of codes and ranges such as `200-299`. Null if an item is neither. */
export function statusAssertion(codes: readonly unknown[]): Assertion | null {
  const texts = codes.map(String)
  if (texts.length === 0 || texts.length > maxTargets || !texts.every((text) => /^[0-9]{3}(-[0-9]{3})?$/.test(text))) return null
  return { source: 'statusCode', comparison: 'oneOf', target: texts.map((text) => (text.includes('-') ? text : Number(text))) }
}

export const maxTargets = 100

/** Offset that turns strict comparisons into inclusive ones. Values within this distance of the limit pass. */
const margin = 1e-6

/** Inclusive comparisons, approximated because the config file only has strict ones. */
export const atLeast = (number: number): Pick<Assertion, 'comparison' | 'target'> => ({ comparison: 'greaterThan', target: below(number) })
export const atMost = (number: number): Pick<Assertion, 'comparison' | 'target'> => ({ comparison: 'lessThan', target: above(number) })

const below = (number: number) => rounded(number - margin)
const above = (number: number) => rounded(number + margin)
const rounded = (number: number) => Number(number.toFixed(6))

/** Escapes a literal text for RE2. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

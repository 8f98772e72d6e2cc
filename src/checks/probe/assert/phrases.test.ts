import { expect, test } from 'vitest'
import type { Comparison } from '../settings.ts'
import { assertAll } from './assertions.ts'

const sources = { status: () => ({ subject: 'status', value: () => 7 }) }

test.each<[Comparison, string, string]>([
  ['equals', 'equals 1', '1'],
  ['notEquals', 'does not equal 1', 'anything but 1'],
  ['hasKey', 'has the key 1', 'to have the key 1'],
  ['notHasKey', 'does not have the key 1', 'not to have the key 1'],
  ['hasValue', 'has the value 1', 'to have the value 1'],
  ['notHasValue', 'does not have the value 1', 'not to have the value 1'],
  ['isEmpty', 'is empty', 'to be empty'],
  ['notEmpty', 'is not empty', 'not to be empty'],
  ['greaterThan', 'is greater than 1', 'more than 1'],
  ['lessThan', 'is less than 1', 'less than 1'],
  ['contains', 'contains 1', 'to contain 1'],
  ['notContains', 'does not contain 1', 'not to contain 1'],
  ['isNull', 'is null', 'to be null'],
  ['notNull', 'is not null', 'not to be null'],
  ['matches', 'matches 1', 'to match 1'],
  ['notMatches', 'does not match 1', 'not to match 1'],
  ['oneOf', 'is one of 1', 'one of 1'],
  ['notOneOf', 'is not one of 1', 'none of 1'],
])('the text of %s', (comparison, text, expected) => {
  for (const value of [1, 7, null, '', {}, { 1: 1 }]) {
    const { outcomes, failure } = assertAll([{ source: 'status', comparison, target: 1 }], {
      status: () => ({ ...sources.status(), value: () => value }),
    })
    expect(outcomes[0]?.text).toBe(`status ${text}`)
    if (failure !== null) expect(failure).toMatch(new RegExp(`^status .*, expected ${expected}$`))
    expect(failure === null).toBe(outcomes[0]?.passed)
  }
})

import { expect, test } from 'vitest'
import { fieldsOf, unreadLines } from './fields.ts'

const unreadOf = (value: unknown, defaults = {}) => fieldsOf(value, defaults).unread()

test.each([null, '', false, 0, [], {}])('a field that is %j says nothing, and is not missed', (value) => {
  expect(unreadOf({ field: value })).toEqual([])
})

test.each([true, 1, 'x', [0], { a: 0 }])('a field that is %j is reported unless it is read', (value) => {
  expect(unreadOf({ field: value })).toEqual(['field'])
})

test('what a tool assumes anyway is not missed, and anything else is, also what would say nothing without that', () => {
  expect(unreadOf({ verify: 1, codes: ['200-299'] }, { verify: true, codes: ['200-299'] })).toEqual([])
  expect(unreadOf({ verify: false, codes: [] }, { verify: true, codes: ['200-299'] })).toEqual(['verify', 'codes'])
})

test('a reason is given for the fields that have one, and no other', () => {
  const why = (field: string) => unreadLines(fieldsOf({ [field]: 'x' }), 'monitor', { packetSize: 'Pings have one size.' })[0]?.why
  expect([why('packetSize'), why('constructor')]).toEqual(['Pings have one size.', 'Tidemark has no equivalent.'])
})

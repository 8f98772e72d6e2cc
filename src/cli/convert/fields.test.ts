import { expect, test } from 'vitest'
import { fieldsOf, unreadLines } from './fields.ts'

const unreadOf = (value: unknown, defaults = {}) => fieldsOf(value, defaults).unread()

test.each([null, '', false, 0, [], {}])('a field of %j counts as empty, and is not reported', (value) => {
  expect(unreadOf({ field: value })).toEqual([])
})

test.each([true, 1, 'x', [0], { a: 0 }])('a field of %j is reported unless it is read', (value) => {
  expect(unreadOf({ field: value })).toEqual(['field'])
})

test('default values of a tool are not reported, but all others are, even empty ones', () => {
  expect(unreadOf({ verify: 1, codes: ['200-299'] }, { verify: true, codes: ['200-299'] })).toEqual([])
  expect(unreadOf({ verify: false, codes: [] }, { verify: true, codes: ['200-299'] })).toEqual(['verify', 'codes'])
})

test('fields with a known reason are reported with it', () => {
  const why = (field: string) => unreadLines(fieldsOf({ [field]: 'x' }), 'monitor', { packetSize: 'Pings have one size.' })[0]?.why
  expect([why('packetSize'), why('constructor')]).toEqual(['Pings have one size.', 'Tidemark has no equivalent.'])
})

import { expect, test } from 'vitest'
import { helpers, lengthOf, property, textOf } from './helpers.ts'

const environment = { uuid: 'the-uuid', maxLength: 10, root: { TAGS: ['env:prod', 'team:shop', 'team:other'] } }
const call = (name: string, ...params: readonly unknown[]) => helpers[name]?.(params, environment)

test.each([
  ['lookup', [{ a: 1 }, 'a'], 1],
  ['lookup', [{ a: 1 }, 'toString'], undefined],
  ['$UUID', [], 'the-uuid'],
  ['startsWith', ['shop', 'sh'], true],
  ['startsWith', ['shop', 'op'], false],
  ['split', ['a-b', '-'], ['a', 'b']],
  ['json', [{ a: 'x' }], '{"a":"x"}'],
  ['json', [undefined], 'null'],
  ['replace', ['a-b-c', '-', '+'], 'a+b+c'],
  ['replace', ['abc', '', '+'], 'abc'],
  ['tagValue', ['team'], 'shop'],
  ['tagValue', ['tea'], undefined],
])('%s %j', (name, params, value) => {
  expect(call(name, ...params)).toEqual(value)
})

test('tagValue works without tags, and no helpers are inherited', () => {
  expect(helpers.tagValue?.(['team'], { ...environment, root: {} })).toBeUndefined()
  expect('toString' in helpers).toBe(false)
})

test('the result of a replacement is limited in length', () => {
  expect(call('replace', 'a-b-', '-', '123')).toHaveLength(8)
  expect(() => call('replace', 'a-b-c', '-', '123')).toThrow('the template has too many replacements')
})

test('values are converted to text', () => {
  expect([null, undefined, 0, false, [1, [null, 'a']], {}].map(textOf)).toEqual(['', '', '0', 'false', '1,,a', '[object Object]'])
  expect([null, 7, 'abc', ['ab', ['c'], 1]].map(lengthOf)).toEqual([0, 0, 3, 7])
  expect([property(null, 'a'), property('abc', 'length'), property([7], '0')]).toEqual([undefined, 3, 7])
})

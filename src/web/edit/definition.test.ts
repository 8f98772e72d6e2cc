import { expect, test } from 'vitest'
import { cleaned, differences, isSame, pointerOf, withValue } from './definition.ts'
import type { FormField } from './form-model.ts'

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  kind: 'text',
  label: name,
  help: '',
  isNeeded: false,
  choices: [],
  fields: [],
  minLength: 0,
  takesNumbers: false,
  ...more,
})

test('special characters in JSON pointers are escaped', () => {
  expect(pointerOf(['request', 'headers', 'a/b~c', 0])).toBe('/request/headers/a~1b~0c/0')
})

test('a value is replaced in place, and others keep their order', () => {
  expect(JSON.stringify(withValue({ a: 1, b: 2 }, ['a'], 3))).toBe('{"a":3,"b":2}')
  expect(withValue({}, ['request', 'url'], 'x')).toEqual({ request: { url: 'x' } })
  expect(withValue({ list: ['a', 'b'] }, ['list', 1], 'c')).toEqual({ list: ['a', 'c'] })
})

test('undefined removes a value, and closes the gap in a list', () => {
  expect(withValue({ a: 1, b: 2 }, ['a'], undefined)).toEqual({ b: 2 })
  expect(withValue({ list: ['a', 'b'] }, ['list', 0], undefined)).toEqual({ list: ['b'] })
})

test('a definition is sent without empty groups, except required ones', () => {
  const fields = [
    field('retry', { kind: 'group', fields: [field('strategy')] }),
    field('request', { kind: 'group', isNeeded: true, fields: [field('headers', { kind: 'pairs' })] }),
  ]
  expect(cleaned({ retry: {}, request: { headers: {} }, other: {} }, fields)).toEqual({ request: {}, other: {} })
  expect(cleaned({}, fields)).toEqual({ request: {} })
})

test('definitions are equal in any order of properties, but not of list items', () => {
  expect(isSame({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true)
  expect(isSame({ b: [1, 2] }, { b: [2, 1] })).toBe(false)
  expect(isSame(undefined, undefined)).toBe(true)
})

test('differences are listed by pointer, with lists as a whole', () => {
  expect(differences({ a: 1, r: { u: 'x', v: 1 }, t: ['a'] }, { r: { u: 'y', v: 1 }, t: ['a', 'b'], n: 2 })).toEqual([
    { pointer: '/a', before: 1, after: undefined },
    { pointer: '/r/u', before: 'x', after: 'y' },
    { pointer: '/t', before: ['a'], after: ['a', 'b'] },
    { pointer: '/n', before: undefined, after: 2 },
  ])
})

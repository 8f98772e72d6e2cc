import { expect, test } from 'vitest'
import { annotationsOf, measuredNumber, total } from './script-annotation.ts'

const ran = (...annotations: readonly { readonly type: string; readonly description?: string }[]) => ({
  title: '',
  state: 'passed' as const,
  durationMs: 0,
  error: null,
  annotations,
  printed: '',
  steps: [],
  screenshots: [],
})

test('annotations that are not JSON objects are skipped', () => {
  const texts = ['{"a":1}', 'null', '7', 'no JSON', '{"a":2}'].map((description) => ({ type: 'x', description }))
  const tests = [ran({ type: 'y', description: '{}' }, ...texts), ran({ type: 'x' }, { type: 'x', description: '{"a":3}' })]
  expect(annotationsOf({ durationMs: 0, errors: [], tests }, 'x')).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
  expect(annotationsOf(null, 'x')).toEqual([])
})

test('a measured number is finite and not negative', () => {
  expect([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', null].map(measuredNumber)).toEqual([0, 1.5, null, null, null, null, null])
})

test('a total is null unless one has the number', () => {
  expect(total([{ a: 1 }, { b: 9 }, { a: 2 }, { a: -1 }], 'a')).toBe(3)
  expect([total([{ a: 0 }], 'a'), total([{ b: 1 }], 'a'), total([], 'a')]).toEqual([0, null, null])
})

import { expect, test } from 'vitest'
import { jsonPathValue } from '../../checks/probe/assert/json-path.ts'
import { assertionOf, jsonPath, jsonPlaces, withFittingTarget } from './assertion.ts'

const sources = ['statusCode', 'headers', 'textBody', 'jsonBody']

test('a picked value becomes an assertion that it does not change', () => {
  expect(assertionOf({ of: 'status', status: 201 }, sources)).toEqual({ source: 'statusCode', comparison: 'equals', target: 201 })
  expect(assertionOf({ of: 'header', name: 'content-type', value: 'text/html' }, sources)).toEqual({
    source: 'headers',
    property: 'content-type',
    comparison: 'equals',
    target: 'text/html',
  })
  expect(assertionOf({ of: 'json', path: ['items', 0, 'id'], value: 7 }, sources)).toEqual({
    source: 'jsonBody',
    property: '$.items[0].id',
    comparison: 'equals',
    target: 7,
  })
  expect(assertionOf({ of: 'text', text: 'hello' }, sources)).toEqual({ source: 'textBody', comparison: 'contains', target: 'hello' })
})

test('values without a target are compared without one', () => {
  const comparisonOf = (value: unknown) => assertionOf({ of: 'json', path: ['a'], value }, sources)
  expect([null, [], [1], {}, '', true].map((value) => comparisonOf(value)?.comparison)).toEqual([
    'isNull',
    'isEmpty',
    'notEmpty',
    'isEmpty',
    'isEmpty',
    'equals',
  ])
  expect(comparisonOf(true)?.target).toBe('true')
  expect(comparisonOf(null)).not.toHaveProperty('target')
})

test('assertions that the type does not support, or on redacted values, are not offered', () => {
  expect(assertionOf({ of: 'json', path: [], value: 1 }, ['statusCode'])).toBeUndefined()
  expect(assertionOf({ of: 'header', name: 'set-cookie', value: '•••' }, sources)).toBeUndefined()
  expect(assertionOf({ of: 'text', text: '' }, sources)).toBeUndefined()
  expect(assertionOf({ of: 'text', text: 'pong' }, ['responseData'])?.source).toBe('responseData')
})

test('every place of a body is found by its path', () => {
  const body = { a: [{ 'b.c': 1, "it's": { '"': [true] } }], length: 3, ü: null, back: { '\\n': 'x' } }
  const places = jsonPlaces(JSON.stringify(body), 100)
  expect(places).toHaveLength(11)
  for (const { path, value } of places) expect(jsonPathValue(jsonPath(path), body), jsonPath(path)).toEqual(value)
})

test('the places of a body are limited, and there are none if it is not JSON', () => {
  expect(jsonPlaces(JSON.stringify(Array.from({ length: 500 }, (_, index) => index)), 200)).toHaveLength(200)
  expect(jsonPlaces('<html>', 200)).toEqual([])
})

test('a target becomes a list if its comparison takes one', () => {
  expect(withFittingTarget({ comparison: 'oneOf', target: 200 })).toEqual({ comparison: 'oneOf', target: [200] })
  expect(withFittingTarget({ comparison: 'oneOf', target: '200-204, 301' })).toEqual({ comparison: 'oneOf', target: ['200-204', 301] })
  expect(withFittingTarget({ comparison: 'equals', target: [200, 204] })).toEqual({ comparison: 'equals', target: '200, 204' })
  expect(withFittingTarget({ comparison: 'isNull' })).toEqual({ comparison: 'isNull' })
})

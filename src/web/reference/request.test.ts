import { expect, test } from 'vitest'
import { exampleOf, idSource, readable, type TriedCall, urlOf } from './request.ts'

const call: TriedCall = {
  method: 'GET',
  path: '/v1/analytics/things/{id}',
  parameters: [
    { name: 'id', in: 'path', required: true },
    { name: 'metrics', in: 'query', required: true },
    { name: 'limit', in: 'query', required: false },
  ],
}

test('values are encoded into the URL, and empty ones are omitted', () => {
  const values = new Map([
    ['id', ' a/b '],
    ['metrics', 'availability,total_p95'],
    ['limit', ''],
  ])
  expect(urlOf(call, values)).toBe('/v1/analytics/things/a%2Fb?metrics=availability%2Ctotal_p95')
  expect(urlOf(call, new Map())).toBe('/v1/analytics/things/')
  expect(urlOf({ ...call, parameters: [] }, values)).toBe('/v1/analytics/things/{id}')
})

test('JSON is indented, and other text is unchanged', () => {
  expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(readable('a,b\r\n1,2')).toBe('a,b\r\n1,2')
})

test('required parameters are filled in: a real id, and a metric that every check has', () => {
  const [id, metrics, limit] = call.parameters
  if (!id || !metrics || !limit) throw new Error('The call has three parameters.')
  expect(exampleOf(id, [{ id: 'shop' }, { id: 'blog' }])).toBe('shop')
  expect(exampleOf(id, [])).toBe('')
  expect(exampleOf({ ...metrics, choices: ['CLS_p90', 'availability'], list: true }, [])).toBe('availability')
  expect(exampleOf({ ...limit, choices: ['1'] }, [])).toBe('')
})

test('ids come from the list that the operation is about', () => {
  expect(idSource({ path: '/v1/checks' })).toBeNull()
  expect(idSource({ path: '/v1/analytics/things/{id}' })).toBe('/v1/checks?limit=100')
  expect(idSource({ path: '/v1/check-results/{id}/{resultId}' })).toBe('/v1/checks?limit=100')
  expect(idSource({ path: '/v1/slos/{id}' })).toBe('/v1/slos')
  expect(idSource({ path: '/v1/alerts/{id}/acknowledge' })).toBe('/v1/alerts')
})

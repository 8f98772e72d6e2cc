import { expect, test } from 'vitest'
import { readable, type TriedCall, urlOf } from './request.ts'

const call: TriedCall = {
  method: 'GET',
  path: '/v1/analytics/things/{id}',
  parameters: [
    { name: 'id', in: 'path', required: true },
    { name: 'metrics', in: 'query', required: true },
    { name: 'limit', in: 'query', required: false },
  ],
}

test('values go to their places in the address, encoded, and empty ones are left out', () => {
  const values = new Map([
    ['id', ' a/b '],
    ['metrics', 'availability,total_p95'],
    ['limit', ''],
  ])
  expect(urlOf(call, values)).toBe('/v1/analytics/things/a%2Fb?metrics=availability%2Ctotal_p95')
  expect(urlOf({ ...call, parameters: [] }, values)).toBe('/v1/analytics/things/{id}')
})

test('JSON is indented, and other text is left alone', () => {
  expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(readable('a,b\r\n1,2')).toBe('a,b\r\n1,2')
})

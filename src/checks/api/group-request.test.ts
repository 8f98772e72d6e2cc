import { describe, expect, test } from 'vitest'
import { wireReading } from '../../../test/support/wire-reading.ts'
import { groupRequest } from './group-request.ts'

const status = { source: 'statusCode', comparison: 'equals', target: 200 } as const
const auth = { username: 'u', password: 'secret-p' }

test('the request of a group is read and written', () => {
  const empty = { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: { username: '', password: '' } }
  const body = {
    url: 'http://{{HOST}}',
    headers: [{ key: 'A', value: '1', locked: false }],
    queryParameters: [{ key: 'q', value: '2', locked: false }],
    basicAuth: auth,
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', property: '', regex: null }],
  }
  const settings = { url: `http://\${HOST}`, headers: { A: '1' }, query: { q: '2' }, basicAuth: auth, assertions: [status] }
  expect(wireReading(body, groupRequest.read)).toMatchObject({ value: settings, faults: [] })
  expect(wireReading(empty, groupRequest.read).value).toEqual({})
  expect(groupRequest.write(settings)).toEqual({ ...body, url: `http://\${HOST}` })
  expect(groupRequest.write({})).toEqual(empty)
  expect([groupRequest.field, groupRequest.parts]).toEqual(['apiCheckDefaults', ['url', 'headers', 'query', 'basicAuth', 'assertions']])
})

describe('the request of a check in a group', () => {
  const merged = (request: unknown, ofGroup: Readonly<Record<string, unknown>>) => groupRequest.merge({ request }, ofGroup).request

  test.each([
    ['nothing', { url: 'x' }, {}, { url: 'x' }],
    ['not the address', { url: 'x' }, { url: 'y' }, { url: 'x' }],
    ['headers, whose names have no case', { headers: { a: '1' } }, { headers: { A: '2', B: '3' } }, { headers: { B: '3', a: '1' } }],
    ['headers alone', {}, { headers: { A: '2' } }, { headers: { A: '2' } }],
    ['no headers', { headers: { a: '1' } }, {}, { headers: { a: '1' } }],
    ['parameters, whose names have a case', { query: { a: '1' } }, { query: { A: '2', a: '3' } }, { query: { A: '2', a: '1' } }],
    ['credentials', {}, { basicAuth: auth }, { basicAuth: auth }],
    [
      'no other credentials',
      { basicAuth: { username: 'x', password: '' } },
      { basicAuth: auth },
      { basicAuth: { username: 'x', password: '' } },
    ],
    ['assertions, first', { assertions: ['own'] }, { assertions: [status] }, { assertions: [status, 'own'] }],
    ['assertions alone', {}, { assertions: [status] }, { assertions: [status] }],
    ['nothing to what is no list', { assertions: 'x' }, { assertions: [status] }, { assertions: 'x' }],
    ['nothing to what is no mapping', { headers: [1] }, { headers: { A: '2' } }, { headers: [1] }],
    ['nothing that is no mapping', { headers: { a: '1' } }, { headers: ['x'] }, { headers: { a: '1' } }],
    ['nothing to null', { headers: null }, { headers: { A: '2' } }, { headers: null }],
  ])('inherits %s', (_, request, ofGroup, expected) => {
    expect(merged(request, ofGroup)).toEqual(expected)
  })

  test('is unchanged if its shape is invalid', () => {
    for (const request of ['x', [], null]) {
      const settings = { request }
      expect(groupRequest.merge(settings, { headers: { A: '1' } })).toBe(settings)
    }
    expect(groupRequest.merge({ shouldFail: true }, { headers: { A: '1' } })).toEqual({
      shouldFail: true,
      request: { headers: { A: '1' } },
    })
  })

  test('is compared with a destination by origin', () => {
    const at = (address: string) => groupRequest.isAt({ request: { url: 'http://a.test/x' } }, address)
    expect(['http://a.test', 'http://a.test:80/y', 'https://a.test', 'http://b.test', ''].map(at)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

test('the secrets of a group are listed by part', () => {
  const none = { url: [], headers: [], query: [], basicAuth: [] }
  expect(groupRequest.secrets({})).toEqual(none)
  expect(groupRequest.secrets({ url: `\${HOST}/x` })).toEqual(none)
  const secrets = groupRequest.secrets({
    url: 'http://u:url-secret@a.test',
    headers: { 'X-Key': 'header-secret' },
    query: { token: 'query-secret', page: '1' },
    basicAuth: auth,
  })
  expect(secrets.url).toContain('url-secret')
  expect(secrets.headers).toContain('header-secret')
  expect(secrets.query).toContain('query-secret')
  expect(secrets.query).not.toContain('1')
  expect(secrets.basicAuth).toContain('secret-p')
  expect(groupRequest.secrets({ basicAuth: { username: 'only-user', password: '' } }).basicAuth).toContain('only-user')
  expect(groupRequest.secrets({ basicAuth: { username: 'u', password: `\${PASSWORD}` } })).toEqual(none)
})

import { expect, test } from 'vitest'
import { asEchoCheck, asHttpCheck, asJobCheck, asNameCheck, asPageCheck, asPortCheck } from './converted.ts'

const url = 'http://a.test'
const about = (source: string) => [{ source, comparison: 'equals', target: 1 }] as const

test.each([
  [{}, 'URL', {}],
  [{ method: 'GET' }, 'URL', {}],
  [
    { followRedirects: false, skipTls: true, ipFamily: 'IPv4' } as const,
    'URL',
    { followRedirects: false, skipTls: true, ipFamily: 'IPv4' },
  ],
  [{ assertions: [] }, 'URL', {}],
  [{ assertions: about('statusCode') }, 'URL', { assertions: about('statusCode') }],
  [{ assertions: about('certificateDays') }, 'URL', { assertions: about('certificateDays') }],
  [{ assertions: about('textBody') }, 'API', { assertions: about('textBody') }],
  [{ assertions: [...about('statusCode'), ...about('headers')] }, 'API', { assertions: [...about('statusCode'), ...about('headers')] }],
  [{ method: 'HEAD' }, 'API', { method: 'HEAD' }],
  [{ headers: { A: '1' } }, 'API', { headers: { A: '1' } }],
  [{ body: '' }, 'API', { body: '' }],
])('a request with %j becomes a %s check', (more, type, request) => {
  expect(asHttpCheck({ url, ...more })).toEqual({ type, request: { url, ...request } })
})

test('shouldFail is kept', () => {
  const port = { hostname: 'a', port: 1 }
  expect(asHttpCheck({ url }, { shouldFail: true })).toEqual({ type: 'URL', request: { url }, shouldFail: true })
  expect(asHttpCheck({ url }, { shouldFail: false })).toEqual({ type: 'URL', request: { url } })
  expect(asPortCheck(port, { shouldFail: true })).toEqual({ type: 'TCP', request: port, shouldFail: true })
  expect(asPortCheck({ ...port, assertions: [] }, {})).toEqual({ type: 'TCP', request: port })
})

test('other types of checks get the given settings', () => {
  expect(asNameCheck({ query: 'a', port: 53, assertions: [] })).toEqual({ type: 'DNS', request: { query: 'a', port: 53 } })
  expect(asEchoCheck({ hostname: 'a', pingCount: 3 })).toEqual({ type: 'ICMP', request: { hostname: 'a', pingCount: 3 } })
  expect(asPageCheck(url)).toEqual({ type: 'BROWSER', url })
  expect(asJobCheck({ token: 't', period: '1h' })).toEqual({ type: 'HEARTBEAT', heartbeat: { token: 't', period: '1h' } })
})

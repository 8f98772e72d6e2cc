// @slow
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { receivedResponse } from './received-response.ts'

const response = (body: string | Uint8Array, headers: Readonly<Record<string, string | string[]>> = {}) => ({
  status: 200,
  headers,
  body: typeof body === 'string' ? Buffer.from(body) : body,
  truncated: false,
})

test('status, headers and a short body are kept unchanged', async () => {
  expect(await receivedResponse(response('hällo', { 'content-type': 'text/plain' }), [])).toEqual({
    status: 200,
    headers: [{ name: 'content-type', value: 'text/plain' }],
    body: 'hällo',
    truncated: false,
  })
})

test('a long body is truncated', async () => {
  const { body, truncated } = await receivedResponse(response('ä'.repeat(100_000)), [])
  expect(body).toBe('ä'.repeat(8000))
  expect(truncated).toBe(true)
})

/** Not at the default quality, which takes seconds. */
const brotli = (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotli],
] as const)('a body in %s is decompressed up to the limit', async (encoding, compress) => {
  const short = await receivedResponse(response(compress('hello'), { 'content-encoding': encoding }), [])
  expect(short).toMatchObject({ body: 'hello', truncated: false })
  const bomb = await receivedResponse(response(compress('0'.repeat(50_000_000)), { 'content-encoding': encoding }), [])
  expect(bomb).toMatchObject({ body: '0'.repeat(8000), truncated: true })
})

test('a body that cannot be decompressed is kept as received', async () => {
  expect(await receivedResponse(response('no gzip', { 'content-encoding': 'gzip' }), [])).toMatchObject({ body: 'no gzip' })
})

test('a body that is not text is omitted', async () => {
  expect(await receivedResponse(response(Uint8Array.of(137, 80, 78, 71, 0, 0)), [])).toMatchObject({ body: null, truncated: false })
})

test('a long header is redacted and truncated', async () => {
  const headers = { 'x-plain': 'x'.repeat(100_000), 'x-echo': 'hunter2 '.repeat(10_000), [`x-${'y'.repeat(10_000)}`]: 'yes' }
  const received = await receivedResponse(response('', headers), ['hunter2'])
  expect(received.headers.map(({ name, value }) => [name.length, value.slice(0, 8), value.length <= 500])).toEqual([
    [7, 'xxxxxxxx', true],
    [6, '••• ••• ', true],
    [500, 'yes', true],
  ])
  expect(received.headers[1]?.value.length).toBeLessThan(300)
})

test('secrets of the check and issued credentials are redacted, even if truncated', async () => {
  const secret = 'open-sesame'
  const body = `${'.'.repeat(7995)}${secret} {"token": "abc"}`
  const headers = { 'set-cookie': ['sid=1', 'b=2'], 'x-echo': secret, [`x-${secret}`]: 'yes' }
  const received = await receivedResponse(response(body, headers), [secret])
  expect(received.headers).toEqual([
    { name: 'set-cookie', value: '•••' },
    { name: 'x-echo', value: '•••' },
    { name: 'x-•••', value: 'yes' },
  ])
  expect(received.body?.length).toBeGreaterThan(7900)
  expect(received.body).not.toMatch(/\w/)
  const issued = await receivedResponse(response('{"access_token":"abc","a":1}'), [secret])
  expect(issued.body).toBe('{"access_token":"•••","a":1}')
})

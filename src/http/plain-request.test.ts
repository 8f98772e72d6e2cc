import { describe, expect, test } from 'vitest'
import { plainRequestReader } from './plain-request.ts'

const line = Buffer.from('POST /in HTTP/1.1\r\n')
const read = (text: string) => plainRequestReader(line)(Buffer.from(text, 'latin1'))
const request = (fields: readonly string[], body = 'hello') => `${line}${['Host: x', ...fields].join('\r\n')}\r\n\r\n${body}`
const plain = request(['Content-Length: 5', 'X-Other:  spaced out '])

describe('a plain request', () => {
  test('is read whole: its fields by their names in lower case, and its body', () => {
    expect(read(plain)).toEqual({
      headers: { host: 'x', 'content-length': '5', 'x-other': 'spaced out' },
      body: Buffer.from('hello'),
      length: plain.length,
    })
  })

  test('ends where its length says, whatever follows', () => {
    expect(read(`${plain}${plain}`)).toEqual(read(plain))
  })

  test('is partial wherever it is cut off', () => {
    for (let cut = 0; cut < plain.length; cut++) expect(read(plain.slice(0, cut)), `cut at ${cut}`).toBe('partial')
  })

  test('is read anew where its head is another than the one before', () => {
    const reader = plainRequestReader(line)
    const first = Buffer.from(request(['content-length: 5']))
    const answers = [first, first, Buffer.from(request(['content-length: 2'])), first.subarray(0, -1), first.subarray(0, 20), first].map(
      reader,
    )
    expect(answers).toMatchObject([
      { body: Buffer.from('hello') },
      { body: Buffer.from('hello') },
      { body: Buffer.from('he') },
      {},
      {},
      { length: first.length },
    ])
    expect(answers.slice(3, 5)).toEqual(['partial', 'partial'])
    expect(reader(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBeNull()
  })

  test('may say that the connection stays', () => {
    expect(read(request(['content-length: 5', 'Connection: Keep-Alive']))).toMatchObject({ body: Buffer.from('hello') })
  })
})

test.each([
  ['another method', plain.replace('POST', 'PUT')],
  ['another path', plain.replace('/in', '/out')],
  ['a query', plain.replace('/in', '/in?x=1')],
  ['a longer path', plain.replace('/in', '/inn')],
  ['an older HTTP', plain.replace('1.1', '1.0')],
  ['line ends without a return', plain.replaceAll('\r\n', '\n')],
  ['no field at all', `${line}\r\nhello`],
  ['no host', `${line}content-length: 5\r\n\r\nhello`],
  ['no length', request([])],
  ['two lengths', request(['content-length: 5', 'Content-Length: 6'])],
  ['any field twice', request(['content-length: 5', 'x-a: 1', 'X-A: 1'])],
  ['a length with a sign', request(['content-length: +5'])],
  ['a length in hex', request(['content-length: 0x5'])],
  ['a list of lengths', request(['content-length: 5, 5'])],
  ['a length and chunks', request(['content-length: 5', 'transfer-encoding: chunked'])],
  ['chunks', request(['transfer-encoding: chunked'])],
  ['a packed body', request(['content-length: 5', 'content-encoding: gzip'])],
  ['an expectation', request(['content-length: 5', 'expect: 100-continue'])],
  ['an upgrade', request(['content-length: 5', 'connection: upgrade', 'upgrade: h2c'])],
  ['a connection that closes', request(['content-length: 5', 'connection: close'])],
  ['a connection that closes, in the words of old proxies', request(['content-length: 5', 'proxy-connection: close'])],
  ['fields of the connection', request(['content-length: 5', 'connection: keep-alive, x-a'])],
  ['a folded field', request(['content-length: 5', 'x-a: 1', ' 2'])],
  ['a space before the colon', request(['content-length : 5'])],
  ['a field without a colon', request(['content-length: 5', 'x-a'])],
  ['a field without a value', request(['content-length: 5', 'x-a:'])],
  ['a field without a name', request(['content-length: 5', ': x'])],
  ['a tab in a value', request(['content-length: 5', 'x-a: 1\t2'])],
  ['a lone return in a value', request(['content-length: 5', 'x-a: 1\rx-b: 2'])],
  ['a lone line end in a value', request(['content-length: 5', 'x-a: 1\nx-b: 2'])],
  ['white space that HTTP does not know', request(['content-length: 5\x0b'])],
  ['a zero byte', request(['content-length: 5', 'x-a: \0'])],
  ['letters beyond ASCII', request(['content-length: 5', 'x-a: \xe9'])],
  ['a head that is too long', request(['content-length: 5', `x-a: ${'a'.repeat(5000)}`])],
  ['a head that does not end', `${line}${'x-a: a\r\n'.repeat(1000)}`],
  ['a body that is too long', request(['content-length: 65536'])],
  ['a body that is far too long', request(['content-length: 99999999999999999999'])],
])('is not plain: %s', (_, text) => {
  expect(read(text)).toBeNull()
})

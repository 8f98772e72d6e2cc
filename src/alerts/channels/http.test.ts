import { expect, test } from 'vitest'
import { addressOf, below, deliveryOutcome, jsonRequest, numberIn, urlSecrets } from './http.ts'

const now = Date.UTC(2026, 4, 4)
const day = 86_400_000
const outcome = (status: number, headers = {}, asked?: number) => deliveryOutcome({ status, headers, body: ' said ' }, now, asked)

test.each([
  [199, 'broken', '199 said'],
  [200, 'delivered', '200 said'],
  [299, 'delivered', '299 said'],
  [300, 'broken', '300 said (redirects are not followed)'],
  [399, 'broken', '399 said (redirects are not followed)'],
  [400, 'broken', '400 said'],
  [408, 'retry', '408 said'],
  [425, 'retry', '425 said'],
  [429, 'retry', '429 said'],
  [499, 'broken', '499 said'],
  [500, 'retry', '500 said'],
])('the status %d', (status, code, answer) => {
  expect(outcome(status)).toMatchObject({ outcome: code, answer })
})

test('a response without a body is described by its status', () => {
  expect(deliveryOutcome({ status: 204, headers: {}, body: ' \n' }, now)).toEqual({ outcome: 'delivered', answer: '204' })
})

test.each([
  [undefined, undefined, null],
  ['7', undefined, 7000],
  [' 1.5 ', undefined, 1500],
  ['-7', undefined, 0],
  ['soon', undefined, null],
  [new Date(now + 5000).toUTCString(), undefined, 5000],
  [new Date(now - 5000).toUTCString(), undefined, 0],
  ['999999999', undefined, day],
  ['7', 20.2, 21],
  ['7', Number.NaN, null],
])('with Retry-After %s and a delay of %s in the body', (header, asked, afterMs) => {
  expect(outcome(503, header === undefined ? {} : { 'retry-after': header }, asked)).toMatchObject({ outcome: 'retry', afterMs })
})

test.each([
  ['http://a.test', 'http://a.test/x'],
  ['http://a.test/', 'http://a.test/x'],
  ['https://a.test:8443/base//?q=1', 'https://a.test:8443/base/x'],
  ['http://u:p@a.test/base', 'http://u:p@a.test/base/x'],
  ['http://u@a.test', 'http://u:@a.test/x'],
  ['http://:p@a.test', 'http://:p@a.test/x'],
  ["http://u$&:$$p$'@a.test", "http://u$&:$$p$'@a.test/x"],
])('a path is appended to %s', (base, address) => {
  expect(below(base, '/x')).toBe(address)
})

test('a JSON request may have additional headers', () => {
  const request = { method: 'POST', url: 'http://a.test', body: '{"a":1}' }
  expect(jsonRequest('http://a.test', { a: 1 })).toEqual({ ...request, headers: { 'Content-Type': 'application/json' } })
  expect(jsonRequest('http://a.test', { a: 1 }, { 'Content-Type': 'x', A: '1' })).toEqual({
    ...request,
    headers: { 'Content-Type': 'x', A: '1' },
  })
})

test('reads a number in a JSON body', () => {
  expect(numberIn('{"a":{"b":7}}', 'a', 'b')).toBe(7)
  for (const body of ['{"a":{"b":"7"}}', '{"a":7}', '{"a":null}', 'null', 'no JSON']) expect(numberIn(body, 'a', 'b')).toBeNull()
})

test.each([
  ['abcdefg1', true],
  ['abcdef1', false],
  ['12345678', false],
  ['abcdefgh', false],
  ['a'.repeat(15), false],
  ['a'.repeat(16), false],
  [`${'a'.repeat(15)}B`, true],
  ['1'.repeat(15), false],
  ['1'.repeat(16), true],
  ['a'.repeat(23), false],
  ['a'.repeat(24), true],
])('whether %s in a path is a secret', (part, isSecret) => {
  expect(urlSecrets(`http://a.test/hooks/${part}`)).toEqual(isSecret ? [part] : [])
  expect(urlSecrets(`http://a.test/?page=${part}`)).toEqual(isSecret ? [part] : [])
  expect(addressOf(`http://a.test/hooks/${part}/`)).toBe(`http://a.test/hooks/${isSecret ? '•••' : part}`)
})

test('a URL of many slashes is parsed in linear time', () => {
  const slashes = '/'.repeat(300_000)
  expect(below(`https://a.test${slashes}b${slashes}`, '/x').length).toBe('https://a.test'.length + slashes.length + 'b/x'.length)
})

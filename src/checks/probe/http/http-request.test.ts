import { expect, test } from 'vitest'
import { api } from '../../api/index.ts'
import { browser } from '../../browser/index.ts'
import { url } from '../../url/index.ts'
import { publicUrl, urlParts } from './http-request.ts'

test('user and password of a URL become a header, and are removed from the URL', () => {
  const { url: address, headers, secrets } = urlParts('https://me:p%40ss@example.test/path?q=1')
  expect(address.href).toBe('https://example.test/path?q=1')
  expect(headers).toEqual({ Authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` })
  expect(secrets).toContain('p@ss')
})

test('a password with invalid percent-encoding is used literally', () => {
  expect(urlParts('https://me:100%@example.test/').secrets).toContain('100%')
})

test('a URL is shown without credentials, and unchanged if it has none', () => {
  expect(publicUrl('https://me:secret@example.test/')).toBe('https://example.test/')
  expect(publicUrl('https://example.test')).toBe('https://example.test')
  const address = 'https://me:secret@example.test/'
  for (const type of [api, url, browser])
    expect(type.target({ request: { url: address }, url: address })).toMatchObject({ url: 'https://example.test/' })
})

test('query parameters with secret names are redacted', () => {
  const text = 'https://example.test/search?q=lamps&api_key=se%20same&page=2#top'
  expect(publicUrl(text)).toBe('https://example.test/search?q=lamps&api_key=•••&page=2#top')
  expect(urlParts(text).url.href).toBe(text)
  expect(urlParts(text).secrets).toEqual(expect.arrayContaining(['se same', 'se%20same', 'se+same']))
})

test('a user is a secret only if there is no password', () => {
  expect(urlParts('https://sk_live_1:@example.test/').secrets).toContain('sk_live_1')
  expect(urlParts('https://user:pass@example.test/').secrets).not.toContain('user')
})

import { describe, expect, test } from 'vitest'
import { api } from './api/index.ts'
import { browser } from './browser/index.ts'
import type { CheckType } from './define.ts'
import { dns } from './dns/index.ts'
import { icmp } from './icmp/index.ts'
import { multistep } from './multistep/index.ts'
import { playwright } from './playwright/index.ts'
import { tcp } from './tcp/index.ts'
import { url } from './url/index.ts'

/** What a type derives from the settings of a check: target, needed files, settings with code, and secrets. */
function saidOf({ target, files, codeSettings, secrets }: CheckType, settings: object) {
  const given = settings as never
  return { target: target(given), files: files?.(given) ?? [], code: codeSettings?.(given) ?? [], secrets: secrets?.(given) ?? [] }
}

const nothing = { target: {}, files: [], code: [], secrets: [] }
const secretUrl = 'https://ann:pass-word@shop.example/a?token=query-secret'
const environment = { PASSWORD: 'hush-hush', SITE: 'https://ann:s3cret-url@shop.example/' }

describe.each([
  ['browser', browser],
  ['multistep', multistep],
])('scripts of the type %s', (_, type) => {
  test('are a file that its runs need, or code', () => {
    expect(saidOf(type, { script: 'a.ts' })).toEqual({
      ...nothing,
      target: { script: 'a.ts' },
      files: [{ setting: 'script', path: 'a.ts', kind: 'file' }],
    })
    expect(saidOf(type, { inlineScript: 'x()' })).toEqual({ ...nothing, code: ['inlineScript'] })
    expect(saidOf(type, {})).toEqual(nothing)
  })

  test('do not show variables', () => {
    expect(saidOf(type, { environment }).secrets).toEqual(expect.arrayContaining(['hush-hush', environment.SITE]))
  })
})

test('the URL of a page is shown without its secrets', () => {
  const { target, secrets } = saidOf(browser, { url: secretUrl })
  expect(String(target.url)).toMatch(/^https:\/\/(?:[^@]*@)?shop\.example\/a/)
  expect(String(target.url)).not.toMatch(/pass-word|query-secret/)
  expect(secrets).toEqual(expect.arrayContaining(['pass-word', 'query-secret']))
})

test('a suite is a folder or a bundle of code, optionally of one project', () => {
  expect(saidOf(playwright, { directory: 'e2e', project: 'chrome' })).toEqual({
    ...nothing,
    target: { directory: 'e2e', project: 'chrome' },
    files: [{ setting: 'directory', path: 'e2e', kind: 'folder' }],
  })
  expect(saidOf(playwright, { bundle: 'x' })).toEqual({ ...nothing, code: ['bundle'] })
  expect(saidOf(playwright, { environment }).secrets).toContain('hush-hush')
})

test('a request is shown by method and URL, without its secrets', () => {
  const request = {
    url: secretUrl,
    query: { api_key: 'hidden-query' },
    headers: { Authorization: 'Bearer hidden-bearer' },
    basicAuth: { username: 'ann', password: 'hidden-basic' },
  }
  const { target, secrets } = saidOf(api, { request: { ...request, method: 'POST' } })
  expect(target.method).toBe('POST')
  expect(String(target.url)).not.toMatch(/pass-word|query-secret/)
  for (const secret of ['pass-word', 'query-secret', 'hidden-query', 'hidden-basic']) expect(secrets).toContain(secret)
  expect(secrets.some((secret) => secret.includes('hidden-bearer'))).toBe(true)
  expect(saidOf(api, { request: { url: 'https://shop.example/' } })).toEqual({
    ...nothing,
    target: { url: 'https://shop.example/', method: 'GET' },
  })
})

test.each<[string, CheckType, object]>([
  ['url', url, { request: { url: secretUrl } }],
  ['tcp', tcp, { request: { hostname: 'shop.example', port: 443 } }],
  ['dns', dns, { request: { query: 'shop.example', recordType: 'A' } }],
  ['icmp', icmp, { request: { hostname: 'shop.example' } }],
])('checks of type %s need no files and have no code, and their target names the host', (_, type, settings) => {
  const { target, files, code } = saidOf(type, settings)
  expect([files, code]).toEqual([[], []])
  expect(Object.values(target).join(' ')).toContain('shop.example')
  expect(JSON.stringify(target)).not.toMatch(/pass-word|query-secret/)
})

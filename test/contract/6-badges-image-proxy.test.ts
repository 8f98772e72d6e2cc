import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { type BadgeApp, openBadgeApp } from '../support/badge-app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'

const start = Date.UTC(2026, 10, 14, 12)
const checks = checkTypes.map((checkType) => testCheck(checkType, { account: 'open', id: checkType.path }))
const catalogue = testCatalogue({ accounts: [{ id: 'open', name: 'Open Inc', publicBadges: true }], keys: [], checks })

let world: BadgeApp
let origin: string
beforeEach(async () => {
  world = await openBadgeApp(catalogue, start)
  origin = await world.app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => world.close())

test('an image proxy fetches again only after max-age, gets a 304 while nothing changes, and gets the new badge when it does', async () => {
  const [check] = checks
  if (!check) throw new Error('there are no check types')
  const proxy = imageProxy()
  const url = `${origin}/v1/badges/checks/${check.id}`
  await world.file(check, 0)

  const first = await proxy.get(url)
  expect(proxy.log).toEqual([200])

  world.time.now += 59_000
  expect(await proxy.get(url)).toBe(first)
  expect(proxy.log).toEqual([200])

  world.time.now += 2_000
  expect(await proxy.get(url)).toBe(first)
  expect(proxy.log).toEqual([200, 304])

  await world.file(check, 0, { hasFailures: true })
  world.time.now += 60_000
  expect(await proxy.get(url)).toContain('failing')
  expect(proxy.log).toEqual([200, 304, 200])
})

test('an image proxy never sees an error for a public badge of an existing check, and gets the last known one while the store is unavailable', async () => {
  const urls = checks.flatMap(({ id }) =>
    ['', '?responseTime=true', '?metric=availability&range=last30Days', '.json'].map((rest) => `${origin}/v1/badges/checks/${id}${rest}`),
  )
  for (const check of checks) await world.file(check, 0)
  // One after another, since a badge that takes too long is sent without its figures.
  const before: string[] = []
  for (const url of urls) before.push(await imageProxy().get(url))

  world.outage.isOn = true
  world.time.now += 24 * 3_600_000
  expect(await Promise.all(urls.map((url) => imageProxy().get(url)))).toEqual(before)

  world.outage.isOn = false
  expect(await imageProxy().get(urls[0] ?? '')).toContain('unknown')
})

test('an image proxy with an empty cache gets a badge even if the store has never been available', async () => {
  world.outage.isOn = true
  for (const { id } of checks) {
    expect(await imageProxy().get(`${origin}/v1/badges/checks/${id}?responseTime=true`)).toContain('unknown')
  }
})

/** An image proxy as READMEs use it: sends no credentials, obeys max-age and ETag, and accepts nothing but images. */
function imageProxy() {
  const cache = new Map<string, { readonly body: string; readonly etag: string; readonly until: number }>()
  const log: number[] = []
  const get = async (url: string): Promise<string> => {
    const cached = cache.get(url)
    if (cached && world.time.now < cached.until) return cached.body
    const response = await fetch(url, { headers: { accept: 'image/*', ...(cached && { 'if-none-match': cached.etag }) } })
    log.push(response.status)
    if (response.status !== 200 && !(cached && response.status === 304)) throw new Error(`${url} answered ${response.status}`)
    if (response.status === 200 && !url.endsWith('.json')) expect(response.headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    const body = cached && response.status === 304 ? cached.body : await response.text()
    cache.set(url, { body, etag: response.headers.get('etag') ?? '', until: world.time.now + maxAgeMs(response) })
    return body
  }
  return { get, log }
}

function maxAgeMs(response: Response): number {
  const shared = /s-maxage=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]
  return Number(shared ?? 0) * 1000
}

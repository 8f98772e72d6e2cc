// @slow
import { SaxesParser } from 'saxes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { badgeThemes, schemeOf, styles, type Tone } from '../../src/badges/themes.ts'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { type BadgeApp, openBadgeApp } from '../support/badge-app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'

const start = Date.UTC(2026, 10, 14, 12)
const minute = 60_000
const [anyType] = checkTypes
if (!anyType) throw new Error('there are no check types')

const home = testCheck(anyType, { id: 'home', name: 'Home page', tags: ['web', 'front end'] })
const shop = testCheck(anyType, { id: 'shop', name: 'Shop', tags: ['web'] })
const paused = testCheck(anyType, { id: 'paused', name: 'Old shop', activated: false })
const open = testCheck(anyType, { id: 'open', account: 'open', name: 'Public page', tags: ['web'] })
const hostile = testCheck(anyType, { id: 'hostile', tags: [], name: `\u0000]]><script>&"'\u202eשלום ${'x'.repeat(5000)}` })
const others = checkTypes.map((checkType) => testCheck(checkType, { id: checkType.path, name: checkType.label, tags: [] }))
const checks: readonly Check[] = [home, shop, paused, open, hostile, ...others]

const catalogue = testCatalogue({
  accounts: [
    { id: account, name: 'Acme Inc', publicBadges: false },
    { id: 'open', name: 'Open Inc', publicBadges: true },
  ],
  keys: [testKey(readKey, account, ['read'])],
  checks,
})

let world: BadgeApp
beforeEach(async () => {
  world = await openBadgeApp(catalogue, start)
})
afterEach(() => world.close())

const badge = '/v1/badges/checks'
const get = (url: string, headers: Readonly<Record<string, string>> = credentials) => world.app.inject({ url, headers })
const ariaLabel = (svg: string) => /aria-label="([^"]*)"/.exec(svg)?.[1]
const shown = async (url: string) => ariaLabel((await get(url)).body)

describe('GET /v1/badges/checks/{checkId}', () => {
  test.each(styles)('style: %s', async (style) => {
    const { statusCode, body } = await get(`${badge}/home?style=${style}`)
    expect(statusCode).toBe(200)
    expect(body).toMatch(/^<svg/)
  })

  test.each(badgeThemes)('theme: %s', async (theme) => {
    expect((await get(`${badge}/home?theme=${theme}`)).statusCode).toBe(200)
  })

  test('style: flat (default). theme: default. responseTime: false (default)', async () => {
    const plain = await get(`${badge}/home`)
    expect((await get(`${badge}/home?style=flat&theme=default&responseTime=false`)).body).toBe(plain.body)
  })

  test.each(['style=round', 'style=', 'style=FLAT', 'theme=blue', 'responseTime=1', 'responseTime=yes', 'style=flat&style=social'])(
    'Anything else for these three is 400: %s',
    async (query) => {
      const { statusCode, headers, json } = await get(`${badge}/home?${query}`)
      expect(statusCode).toBe(400)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(json()).toMatchObject({ statusCode: 400, error: 'Bad Request' })
    },
  )

  test('Badges ignore unknown parameters, since README authors add cache-busters', async () => {
    expect((await get(`${badge}/home?v=3&cacheSeconds=1&`)).statusCode).toBe(200)
  })

  test('HEAD answers the same without the body', async () => {
    const { statusCode, headers, body } = await world.app.inject({ method: 'HEAD', url: `${badge}/home`, headers: credentials })
    expect(statusCode).toBe(200)
    expect(body).toBe('')
    expect(headers.etag).toBe((await get(`${badge}/home`)).headers.etag)
  })

  test('A trailing slash is always accepted', async () => {
    expect((await get(`${badge}/home/`)).statusCode).toBe(200)
  })

  test.each([undefined, '*/*', 'image/*', 'image/svg+xml', 'text/html,application/json;q=0.9,*/*;q=0.8', 'application/json, image/png'])(
    '200, a body that starts with <svg, Content-Type: image/svg+xml; charset=utf-8, for Accept: %s',
    async (accept) => {
      const { statusCode, body, headers } = await get(`${badge}/home`, { ...credentials, ...(accept && { accept }) })
      expect(statusCode).toBe(200)
      expect(body).toMatch(/^<svg/)
      expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8')
    },
  )

  test.each(['application/json', 'Application/JSON;q=0.9', 'text/plain, application/json', 'application/json, */*;q=0'])(
    'application/json with the same body where Accept asks for JSON and not for images or */*: %s',
    async (accept) => {
      const { body, headers } = await get(`${badge}/home`, { ...credentials, accept })
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(body).toBe((await get(`${badge}/home`)).body)
    },
  )
})

describe("Left: the check's name. Right:", () => {
  test('passing', async () => {
    await world.file(home, minute)
    expect(await shown(`${badge}/home`)).toBe('Home page: passing')
  })

  test('degraded', async () => {
    await world.file(home, minute, { isDegraded: true })
    expect(await shown(`${badge}/home`)).toBe('Home page: degraded')
  })

  test('A check is failing when the latest result of any of its locations is failing', async () => {
    await world.file(home, minute, { runLocation: 'us-east-1', hasFailures: true })
    await world.file(home, 0, { runLocation: 'eu-west-1' })
    expect(await shown(`${badge}/home`)).toBe('Home page: failing')
    await world.file(home, 0, { runLocation: 'us-east-1' })
    expect(await shown(`${badge}/home`)).toBe('Home page: passing')
  })

  test('paused (not activated)', async () => {
    await world.file(paused, minute)
    expect(await shown(`${badge}/paused`)).toBe('Old shop: paused')
  })

  test('unknown (no result yet, or none for three periods)', async () => {
    expect(await shown(`${badge}/home`)).toBe('Home page: unknown')
    await world.file(home, 3 * minute)
    expect(await shown(`${badge}/home`)).toBe('Home page: passing')
    world.time.now += 1
    expect(await shown(`${badge}/home`)).toBe('Home page: unknown')
  })

  test.each(others)('With responseTime=true and a type that has one, the mean of the last 24 hours follows: $name', async (check) => {
    const { duration } = check.checkType
    const values = (ms: number) => ({ values: duration === null ? {} : { [duration]: ms } })
    await world.file(check, 0, values(200))
    await world.file(check, 24 * 60 * minute, values(262))
    await world.file(check, 24 * 60 * minute + 1, values(9000))
    const news = duration === null ? 'passing' : 'passing | 231 ms'
    expect(await shown(`${badge}/${check.id}?responseTime=true`)).toBe(`${check.name}: ${news}`)
  })
})

describe('Credentials as everywhere, or none where the account has publicBadges on', () => {
  test('Off and no credentials: 401', async () => {
    const { statusCode, json } = await get(`${badge}/home`, {})
    expect(statusCode).toBe(401)
    expect(json()).toMatchObject({ code: 'MISSING_KEY' })
    expect((await get(`${badge}/home?style=round`, {})).statusCode).toBe(401)
  })

  test('On and no credentials: 200', async () => {
    await world.file(open, minute)
    const { statusCode, body } = await get(`${badge}/open`, {})
    expect(statusCode).toBe(200)
    expect(ariaLabel(body)).toBe('Public page: passing')
  })

  test('Without credentials, a check that does not exist and one that is not public are the same 401, byte for byte', async () => {
    expect((await get(`${badge}/nothing`, {})).body).toBe((await get(`${badge}/home`, {})).body)
  })

  test('An unknown key is 401, another account 403, a check of another account the same 404 as one that does not exist', async () => {
    expect((await get(`${badge}/home`, { ...credentials, authorization: 'Bearer nonsense' })).statusCode).toBe(401)
    expect((await get(`${badge}/home`, { ...credentials, 'x-service-account': 'open' })).statusCode).toBe(403)
    const [foreign, absent] = [await get(`${badge}/open`), await get(`${badge}/nothing`)]
    expect(foreign.statusCode).toBe(404)
    expect(foreign.body).toBe(absent.body)
  })

  test.each(['a b', 'a%00', 'x'.repeat(129), '..%2Fhome'])(
    'Ids are opaque strings of 1 to 128 characters; anything else is 400: %s',
    async (id) => {
      expect((await get(`${badge}/${id}`)).statusCode).toBe(400)
    },
  )

  test('Requests for unknown ids cause no store query at all', async () => {
    world.queries.length = 0
    for (let n = 0; n < 500; n++) {
      await get(`${badge}/unknown-${n}?responseTime=true`)
      await get(`${badge}/unknown-${n}?metric=availability`, {})
    }
    expect(world.queries).toEqual([])
  })
})

describe('Right on GitHub', () => {
  test('ETag, Cache-Control: max-age=60, s-maxage=60, stale-if-error=86400', async () => {
    const { headers } = await get(`${badge}/open`, {})
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/)
    expect(headers['cache-control']).toBe('max-age=60, s-maxage=60, stale-if-error=86400')
  })

  test.each([`${badge}/home`, `${badge}/home.json`, '/v1/badges/tags/web', '/v1/badges/tags/web.json'])(
    'Shared caches may not store a badge that needs a key: %s',
    async (url) => {
      const { headers } = await get(url)
      expect(headers['cache-control']).toBe('private, max-age=60, stale-if-error=86400')
    },
  )

  test('304 on a match', async () => {
    const { headers } = await get(`${badge}/open`, {})
    const etag = String(headers.etag)
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(`${badge}/open`, { 'if-none-match': match })
      expect(again.statusCode).toBe(304)
      expect(again.body).toBe('')
      expect(again.headers).toMatchObject({ etag, 'cache-control': headers['cache-control'] })
    }
    expect((await get(`${badge}/open`, { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('When the badge changes, so does its ETag', async () => {
    const { headers } = await get(`${badge}/open`, {})
    await world.file(open, 0)
    expect((await get(`${badge}/open`, { 'if-none-match': String(headers.etag) })).statusCode).toBe(200)
  })

  test("Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline', and other sites may embed it", async () => {
    const { headers } = await get(`${badge}/open`, {})
    expect(headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('When the store is unavailable, the last known badge is served rather than an error', async () => {
    await world.file(open, 0)
    const url = `${badge}/open?responseTime=true`
    const before = await get(url, {})
    world.outage.isOn = true
    for (const minutes of [1, 10, 1000]) {
      world.time.now = start + minutes * minute
      const during = await get(url, {})
      expect(during.statusCode).toBe(200)
      expect(during.body).toBe(before.body)
    }
  })

  test('A badge without a last known state is unknown while the store is unavailable', async () => {
    world.outage.isOn = true
    expect(await shown(`${badge}/home?responseTime=true`)).toBe('Home page: unknown')
    expect(await shown(`${badge}/home?metric=availability`)).toBe('Home page: no data')
  })
})

describe('Whatever the name contains', () => {
  test.each(styles)('Readable by a screen reader, well-formed XML, name cut at 60 characters: %s', async (style) => {
    const { body } = await get(`${badge}/hostile?style=${style}`)
    const root = new SaxesParser({ xmlns: false })
    const labels: (string | undefined)[] = []
    root.on('error', (error) => expect.fail(error.message))
    root.on('opentag', ({ name, attributes }) => name === 'svg' && labels.push(attributes.role, attributes['aria-label']))
    root.write(body).close()
    const name = `]]><script>&"'שלום ${'x'.repeat(59)}`
    expect(labels).toEqual(['img', `${name.slice(0, 59)}…: unknown`])
    expect(body).toMatch(/<title>[^<]+<\/title>/)
  })
})

describe('Beyond the contract', () => {
  test('metric and range show a figure in place of the state', async () => {
    await world.file(home, 0)
    await world.file(home, minute, { hasFailures: true })
    await world.file(home, 2 * 24 * 60 * minute)
    const { duration } = home.checkType
    expect(await shown(`${badge}/home?metric=availability`)).toBe('Home page: 50 %')
    expect(await shown(`${badge}/home?metric=availability&range=last30Days`)).toBe('Home page: 66.67 %')
    expect(await shown(`${badge}/home?metric=retries`)).toBe('Home page: 0')
    expect(await shown(`${badge}/home?metric=${duration}_p95`)).toBe('Home page: 231 ms')
    expect(await shown(`${badge}/home?metric=${duration}`)).toBe('Home page: 231 ms')
    expect(await shown(`${badge}/shop?metric=availability`)).toBe('Shop: no data')
  })

  test('an unknown metric is 400 and suggests the nearest, an invalid range or threshold is 400', async () => {
    const { statusCode, json } = await get(`${badge}/home?metric=availabilty`)
    expect(statusCode).toBe(400)
    expect(json()).toMatchObject({ code: 'UNKNOWN_METRIC', message: expect.stringContaining('availability') })
    for (const query of ['range=yesterday', 'warn=high', 'warn=1e3', 'bad=-1', 'bad=Infinity']) {
      expect((await get(`${badge}/home?metric=availability&${query}`)).statusCode).toBe(400)
    }
  })

  test('a figure is coloured by the given thresholds: below them for availability, above them for everything else', async () => {
    await world.file(home, 0)
    await world.file(home, minute, { hasFailures: true })
    const fillOf = async (query: string) => (await get(`${badge}/home.json?${query}`)).json().color
    const colourOf = (tone: Tone) => schemeOf('flat', 'light', tone).day.messageBack
    const duration = `${home.checkType.duration}_avg`
    expect(await fillOf('metric=availability')).toBe(colourOf('plain'))
    expect(await fillOf('metric=availability&warn=50&bad=40')).toBe(colourOf('passing'))
    expect(await fillOf('metric=availability&warn=99&bad=50')).toBe(colourOf('degraded'))
    expect(await fillOf('metric=availability&warn=99.9&bad=99')).toBe(colourOf('failing'))
    expect(await fillOf(`metric=${duration}&warn=300&bad=800`)).toBe(colourOf('passing'))
    expect(await fillOf(`metric=${duration}&warn=100&bad=200`)).toBe(colourOf('failing'))
  })

  test('a figure is loaded from the store at most once a minute, however many badges show it', async () => {
    await world.file(home, 0)
    const aggregates = () => world.queries.filter((query) => query === 'aggregate').length
    await Promise.all(Array.from({ length: 50 }, () => get(`${badge}/home?responseTime=true`)))
    expect(aggregates()).toBe(1)
    world.time.now += minute - 1
    await get(`${badge}/home?responseTime=true&style=social`)
    expect(aggregates()).toBe(1)
    world.time.now += 1
    await get(`${badge}/home?responseTime=true`)
    expect(aggregates()).toBe(2)
  })

  test('label replaces the name and is sanitised like it', async () => {
    expect(await shown(`${badge}/home?label=Uptime%00%0A%202`)).toBe('Uptime 2: unknown')
    expect(await shown(`${badge}/home?label=${'x'.repeat(5000)}`)).toBe(`${'x'.repeat(59)}…: unknown`)
    expect(await shown(`${badge}/home?label=`)).toBe('Home page: unknown')
  })

  test('.json has the same content in the endpoint format of shields.io', async () => {
    await world.file(open, 0)
    const { headers, json } = await get(`${badge}/open.json?style=plastic&responseTime=true`, {})
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(json()).toEqual({
      schemaVersion: 1,
      label: 'Public page',
      message: 'passing | 231 ms',
      color: expect.stringMatching(/^#/),
      style: 'plastic',
    })
    expect((await get(`${badge}/home.json`, {})).statusCode).toBe(401)
    expect((await get(`${badge}/nothing.json`)).statusCode).toBe(404)
  })

  test('a tag has a badge for all its checks', async () => {
    await world.file(home, 0)
    expect(await shown('/v1/badges/tags/web')).toBe('web: 1/2 passing')
    await world.file(shop, 0)
    expect(await shown('/v1/badges/tags/web?style=social&label=Shop')).toBe('Shop: 2/2 passing')
    expect(await shown('/v1/badges/tags/front%20end')).toBe('front end: 1/1 passing')
    expect((await get('/v1/badges/tags/front%20end.json')).json()).toMatchObject({
      schemaVersion: 1,
      label: 'front end',
      message: '1/1 passing',
    })
    for (const path of ['nothing', 'nothing.json']) expect((await get(`/v1/badges/tags/${path}`)).statusCode).toBe(404)
  })

  test('a tag of an account with public badges needs no credentials', async () => {
    await world.file(open, 0)
    expect(ariaLabel((await get('/v1/badges/tags/web', {})).body)).toBe('web: 1/1 passing')
    expect(ariaLabel((await get('/v1/badges/tags/web?account=open', {})).body)).toBe('web: 1/1 passing')
    expect((await get(`/v1/badges/tags/web?account=${account}`, {})).statusCode).toBe(401)
  })
})

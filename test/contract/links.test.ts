import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Link } from '../../src/catalogue/links.ts'
import { openCatalogue } from '../../src/catalogue/open.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { parsePath } from '../../src/cli/commands/link.ts'
import { openTestApp } from '../support/app.ts'
import { credentials, service, testCatalogue, testCheck, testLink } from '../support/catalogue.ts'
import { configuredFolder, tidemark } from '../support/command.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const token = `tdl_Ab3dE9xQ_${'s'.repeat(32)}_000000`
const other = `tdl_Zz9yX8wV_${'t'.repeat(32)}_000000`
const path = '/v1/analytics/outages?format=csv&quickRange=last7Days'
const linked = `${path}&link=${token}`
const checks = checkTypes.map((checkType) => testCheck(checkType))

async function open({ links = [testLink(token, path)], requests = 1000, at = () => now, basePath = '' } = {}) {
  const limited = () => ({ ...service, rateLimit: { requests, perMs: 60_000 } })
  const app = await openTestApp({ catalogue: testCatalogue({ links, checks, service: limited }), now: at, basePath })
  onTestFinished(app.close)
  const ask = (url: string, method: 'GET' | 'HEAD' | 'POST' | 'DELETE' = 'GET') => app.call({ url, method })
  return { ...app, ask }
}

const refused = (status: number, code: string) => ({ status, body: expect.objectContaining({ code }) })

describe('a link', () => {
  test('returns the response to its query without a key, as with one', async () => {
    const { ask, get } = await open()
    const answer = await ask(linked)
    expect([answer.status, answer.text]).toEqual([200, (await get(path)).text])
    expect(answer.headers['content-type']).toContain('text/csv')
  })
  test('may have its token anywhere in the query string, also as the only parameter', async () => {
    const { ask } = await open({ links: [testLink(token, path), testLink(other, '/v1/slos')] })
    const answers = [`/v1/analytics/outages?link=${token}&format=csv&quickRange=last7Days`, `/v1/slos?link=${other}`].map((url) => ask(url))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  })
  test('works below a base path', async () => {
    const { ask } = await open({ basePath: '/tidemark' })
    expect((await ask(`/tidemark${linked}`)).status).toBe(200)
  })
  test('forbids caches to store its response, also that of an error or a badge', async () => {
    const badge = `/v1/badges/checks/${checks[0]?.id}`
    const { ask } = await open({ links: [testLink(token, path), testLink(other, badge)] })
    for (const url of [linked, `${path}&link=${token}x`, `${badge}?link=${other}`])
      expect((await ask(url)).headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
  })
  test('has its own rate limit', async () => {
    const { ask, get } = await open({ requests: 2, links: [testLink(token, path), testLink(other, '/v1/slos')] })
    const answers = [await ask(linked), await ask(linked), await ask(linked)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[1]?.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '0' })
    expect([(await ask(`/v1/slos?link=${other}`)).status, (await get(path)).status]).toEqual([200, 200])
  })
})

describe('a link to a stream', () => {
  test.each(['/v1/check-results/stream', '/v1/check-results/stream/', '/v1/check-results/%73tream', '/v1/check-results/stream?tag=web'])(
    '%s is rejected with a specific message, also one from the config file',
    async (stream) => {
      const { ask } = await open({ links: [testLink(token, stream)] })
      const answer = await ask(`${stream}${stream.includes('?') ? '&' : '?'}link=${token}`)
      expect(answer).toMatchObject(refused(403, 'LINK_TO_STREAM'))
      expect(() => parsePath(stream)).toThrow('a stream has no end')
    },
  )
})

describe('a link with a body', () => {
  const question = '/v1/analytics/query?format=csv'
  const body = JSON.stringify({ metrics: ['availability'], groupBy: ['check'] })
  const posted = testLink(token, question, { body })

  test('answers GET with the response of the POST', async () => {
    const { ask, call } = await open({ links: [posted] })
    const headers = { ...credentials, 'content-type': 'application/json' }
    const expected = await call({ method: 'POST', url: question, headers, payload: body })
    expect(expected).toMatchObject({ status: 200, text: expect.stringContaining('check,name,total,success,availability') })
    const answer = await ask(`${question}&link=${token}`)
    expect([answer.status, answer.text]).toEqual([200, expected.text])
    const named = await call({ method: 'GET', url: `${question}&link=${token}`, headers: { 'content-type': 'application/json' } })
    expect(named.text).toBe(expected.text)
  })
  test('can request the summary of its checks, too', async () => {
    const summary = testLink(token, '/v1/analytics/checks', { body: JSON.stringify({ checkIds: [checks[0]?.id] }) })
    const { ask } = await open({ links: [summary] })
    expect(await ask(`/v1/analytics/checks?link=${token}`)).toMatchObject({ status: 200, body: [{ checkId: checks[0]?.id }] })
  })
  test.each(['POST', 'HEAD', 'DELETE'] as const)('rejects %s', async (method) => {
    const { ask } = await open({ links: [posted] })
    expect((await ask(`${question}&link=${token}`, method)).status).toBe(405)
  })
  test('is invalid if its body was changed or removed', async () => {
    const { body: _, ...without } = posted
    for (const link of [{ ...posted, body: '{"metrics":["retries"]}' }, without]) {
      const { ask } = await open({ links: [link] })
      expect(await ask(`${question}&link=${token}`)).toMatchObject(refused(401, 'UNKNOWN_LINK'))
    }
  })
  test('rejects another path', async () => {
    const { ask } = await open({ links: [posted] })
    expect(await ask(`/v1/analytics/query?link=${token}`)).toMatchObject(refused(403, 'LINK_ELSEWHERE'))
  })
  test('is read-only: it stores no result', async () => {
    const row = { checkId: checks[0]?.id, startedAt: now - 1000, runLocation: 'here', hasFailures: false }
    const { ask } = await open({ links: [testLink(token, '/v1/check-results', { body: JSON.stringify([row]) })] })
    expect(await ask(`/v1/check-results?link=${token}`)).toMatchObject(refused(403, 'MISSING_SCOPE'))
  })
  test('that is not a valid query gets the error of the POST', async () => {
    const { ask } = await open({ links: [testLink(token, question, { body: '{"metrics":["nope"]}' })] })
    expect(await ask(`${question}&link=${token}`)).toMatchObject(refused(400, 'UNKNOWN_METRIC'))
  })
})

describe('a link is rejected', () => {
  test.each([
    ['another path', `/v1/slos?link=${token}`],
    ['a longer path', `/v1/analytics/outages/?format=csv&quickRange=last7Days&link=${token}`],
    ['another value', `/v1/analytics/outages?format=csv&quickRange=last30Days&link=${token}`],
    ['fewer parameters', `/v1/analytics/outages?format=csv&link=${token}`],
    ['more parameters', `${linked}&limit=5`],
    ['another spelling', `${path.replace('csv', '%63sv')}&link=${token}`],
    ['a second link', `${linked}&link=${token}`],
    ['an unknown path', `/v1/nothing?link=${token}`],
  ])('for %s', async (_, url) => {
    const { ask } = await open()
    expect(await ask(url)).toMatchObject(refused(403, 'LINK_ELSEWHERE'))
  })
  test.each(['HEAD', 'POST', 'DELETE'] as const)('for %s', async (method) => {
    const { ask } = await open()
    const { status, headers } = await ask(linked, method)
    expect([status, headers.allow]).toEqual([405, 'GET'])
  })
  test('from the instant of its expiry on', async () => {
    let time = now
    const { ask } = await open({ links: [testLink(token, path, { expiresAt: now })], at: () => time })
    expect(await ask(linked)).toMatchObject(refused(403, 'LINK_EXPIRED'))
    time = now - 1
    expect((await ask(linked)).status).toBe(200)
  })
  test.each([
    'tdl_',
    'tdl_Ab3dE9xQ_',
    token.replace('ss', 'sS'),
    token.slice(0, -1),
    `${token}0`,
    token.replace('Ab3d', 'Ab3e'),
    '%00tdl_',
    '',
  ])('with the token %j', async (given) => {
    const { ask } = await open()
    const { status, headers } = await ask(`${path}&link=${given}`)
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })
  test.each<Partial<Link>>([{ path: '/v1/slos' }, { expiresAt: now + 1 }, { account: 'other' }])(
    'if the file was changed to %j after it was signed',
    async (change) => {
      const { ask } = await open({ links: [{ ...testLink(token, path), ...change }] })
      expect(await ask(`${change.path ?? path}${change.path ? '?' : '&'}link=${token}`)).toMatchObject(refused(401, 'UNKNOWN_LINK'))
    },
  )
  test('for writing results', async () => {
    const { call } = await open({ links: [testLink(token, '/v1/check-results')] })
    const answer = await call({ method: 'POST', url: `/v1/check-results?link=${token}`, payload: {} })
    expect(answer.status).toBe(405)
  })
})

test('a link is created, listed and revoked in the file, and a running server follows', async () => {
  const folder = configuredFolder()
  const file = join(folder, 'tidemark.yaml')
  const before = JSON.parse(readFileSync(file, 'utf8'))
  const created = await tidemark(folder, 'link', 'create', '--path', '/v1/slos?format=csv', '--expires', '90d', '--name', 'sheet')
  const url = created.stdout.trimEnd()
  expect(url).toMatch(/^\/v1\/slos\?format=csv&link=tdl_\w{8}_\w{32}_\w{6}$/)
  expect(readFileSync(file, 'utf8')).not.toContain(url.slice(-39))

  const { catalogue, poll, close } = await openCatalogue({
    file,
    env: {},
    recordDefinitions: async (defined) => defined.map(() => ({ createdAt: 0, updatedAt: 0 })),
    now: Date.now,
    log: { info: () => undefined, error: () => undefined },
    pollMs: 1_000_000,
  })
  onTestFinished(close)
  const { call, close: closeApp } = await openTestApp({ catalogue, now: Date.now })
  onTestFinished(closeApp)
  expect((await call({ url })).status).toBe(200)

  const { stdout } = await tidemark(folder, 'link', 'list')
  expect(stdout).toMatch(/^account +name +link +created +expires +path\nacme +sheet +tdl_\w{8}_… +\S+ +\S+ +\/v1\/slos\?format=csv\n$/)
  const revoked = await tidemark(folder, 'link', 'revoke', '--name', 'sheet')
  expect(revoked).toMatchObject({ exitCode: 0, stderr: 'The link sheet of acme is revoked.\n' })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ accounts: [{ ...before.accounts[0], links: [] }] })
  await poll()
  expect(await call({ url })).toMatchObject(refused(401, 'UNKNOWN_LINK'))
})

test('a link needs no key, and a key sent with it does not widen its access', async () => {
  const { call } = await open()
  expect(await call({ url: `/v1/slos?link=${token}`, headers: credentials })).toMatchObject(refused(403, 'LINK_ELSEWHERE'))
})

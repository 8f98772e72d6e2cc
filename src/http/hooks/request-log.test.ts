import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { credentials } from '../../../test/support/catalogue.ts'

let api: TestApp
afterEach(() => api.close())

async function logged(level: string) {
  const time = { now: 0 }
  const lines: Record<string, unknown>[] = []
  const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  api = await openTestApp({ log, now: () => time.now })
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  return { lines, time, ask: (path: string, headers = {}) => fetch(`${url}${path}`, { headers }).then((response) => response.text()) }
}

const unknown = { ...credentials, authorization: `Bearer tdm_Ab12Cd34_${'x'.repeat(32)}_000000` }

test('an unknown key is logged by its public part, once a minute for each address, even after the clock was set back', async () => {
  const { lines, time, ask } = await logged('info')
  for (let n = 0; n < 5; n++) await ask('/v1/checks', unknown)
  expect(lines).toEqual([expect.objectContaining({ code: 'UNKNOWN_KEY', key: 'tdm_Ab12Cd34', from: '127.0.0.1', url: '/v1/checks' })])
  time.now += 60_000
  await ask('/v1/checks', unknown)
  expect(lines[1]).toMatchObject({ omitted: 4 })
  time.now -= 30_000
  await ask('/v1/checks', unknown)
  expect(lines).toHaveLength(3)
  expect(JSON.stringify(lines)).not.toContain('xxx')
})

test('at level debug every request is logged, without ping tokens and keys', async () => {
  const { lines, ask } = await logged('debug')
  await ask('/v1/checks?limit=1', credentials)
  await ask('/ping/a-secret-token/fail')
  await ask('/ping/a-secret-key/nightly/fail')
  await ask('/api/push/a-secret-token?status=up')
  await expect.poll(() => lines.length).toBe(4)
  expect(lines).toEqual([
    expect.objectContaining({ method: 'GET', url: '/v1/checks?limit=1', status: 200 }),
    expect.objectContaining({ method: 'GET', url: '/ping/•••/fail', status: 404 }),
    expect.objectContaining({ method: 'GET', url: '/ping/•••/nightly/fail', status: 404 }),
    expect.objectContaining({ method: 'GET', url: '/api/push/•••?status=up', status: 404 }),
  ])
})

const token = `tdl_Ab12Cd34_${'x'.repeat(32)}_000000`

test('an unknown link is logged by its id', async () => {
  const { lines, ask } = await logged('info')
  await ask(`/v1/checks?limit=1&link=${token}`)
  expect(lines).toEqual([expect.objectContaining({ code: 'UNKNOWN_LINK', link: 'Ab12Cd34', url: '/v1/checks?limit=1' })])
  expect(JSON.stringify(lines)).not.toContain('xxx')
})

test.each(['?link=', '?a=1&link=', '?Link=', '?a=', '?link=x&link=', '?link=tdl_a&link='])(
  'the token of a link is never logged, also after %s',
  async (before) => {
    const { lines, ask } = await logged('debug')
    await ask(`/v1/checks${before}${token}`)
    await ask(`/docs${before}${token}`)
    await expect.poll(() => lines.filter(({ status }) => status !== undefined).length).toBe(2)
    expect(JSON.stringify(lines)).not.toContain('xxx')
  },
)

test('a long URL is truncated', async () => {
  const { lines, ask } = await logged('debug')
  await ask(`/v1/checks?search=${'y'.repeat(10_000)}`, credentials)
  await expect.poll(() => lines.length).toBe(1)
  expect(String(lines[0]?.url)).toMatch(/^\/v1\/checks\?search=y+…$/)
  expect(String(lines[0]?.url).length).toBeLessThan(600)
})

test('at other levels requests are not logged', async () => {
  const { lines, ask } = await logged('info')
  await ask('/v1/checks', credentials)
  expect(lines).toEqual([])
})

import { once } from 'node:events'
import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { credentials, readKey, service, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { exported } from '../../ingest/export.ts'
import type { QuestionOptions, Result, Store } from '../../store/store.ts'

const check = testCheck(anyRunType(), { id: 'homepage' })
const { result } = testResult(check, Date.UTC(2026, 10, 14))
const url = '/v1/check-results/homepage/export'
const otherKey = 'tdm_testmore_00000000000000000000000000000000_000000'

/** The API on a store whose scans wait until the test resumes them. They then end or, with `endless`, never do. */
async function openApp({ endless = false, exports = 40 } = {}) {
  const seen: (QuestionOptions | undefined)[] = []
  const scans: (() => void)[] = []
  const scan: Store['scan'] = async function* (_, __, options): AsyncGenerator<readonly Result[]> {
    seen.push(options)
    yield [result]
    await new Promise<void>((resolve) => scans.push(resolve))
    while (endless) yield [result]
  }
  const keys = [readKey, otherKey].map((key) => testKey(key, 'acme', ['read']))
  const limits = { ...service.limits, exportsPerKey: 2, exports }
  const opened = await openTestApp({
    catalogue: testCatalogue({ keys, checks: [check], service: () => ({ ...service, limits }) }),
    instead: (store) => ({ ...store, scan }),
  })
  onTestFinished(async () => {
    for (const end of scans) end()
    await opened.close()
  })
  return { ...opened, seen, scans }
}

test('exports of a key are limited; another is rejected until one has ended', async () => {
  const { get, scans } = await openApp()
  const [first, second] = [get(url), get(url)]
  await expect.poll(() => scans).toHaveLength(2)
  const { status, headers, body } = await get(url)
  expect({ status, code: body.code, retryAfter: headers['retry-after'] }).toEqual({
    status: 429,
    code: 'TOO_MANY_EXPORTS',
    retryAfter: '10',
  })
  expect(body.message).toContain('2 exports in progress')
  const others = get(url, { ...credentials, authorization: `Bearer ${otherKey}` })
  await expect.poll(() => scans).toHaveLength(3)
  for (const end of scans.splice(0)) end()
  for (const { status } of await Promise.all([first, second, others])) expect(status).toBe(200)
  const next = get(url)
  await expect.poll(() => scans).toHaveLength(1)
  scans.splice(0).map((end) => end())
  expect((await next).status).toBe(200)
})

test('exports of all keys together are limited; another is rejected with a message until one has ended', async () => {
  const { get, scans } = await openApp({ exports: 1 })
  const first = get(url)
  await expect.poll(() => scans).toHaveLength(1)
  const other = { ...credentials, authorization: `Bearer ${otherKey}` }
  const { status, headers, body } = await get(url, other)
  expect([status, body.code, headers['retry-after']]).toEqual([429, 'TOO_MANY_EXPORTS', '10'])
  expect(body.message).toContain('All API keys together have 1 exports in progress')
  scans.splice(0).map((end) => end())
  expect((await first).status).toBe(200)
  const next = get(url, other)
  await expect.poll(() => scans).toHaveLength(1)
  scans.splice(0).map((end) => end())
  expect((await next).status).toBe(200)
})

test('an export is aborted when its client disconnects, and its slot is released', async () => {
  const { app, seen, scans } = await openApp({ endless: true })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  for (let i = 0; i < 3; i++) {
    const call = request(`${address}${url}`, { headers: credentials }).on('error', () => undefined)
    call.end()
    const [response] = await once(call, 'response')
    expect(response.statusCode).toBe(200)
    call.destroy()
    for (const goOn of scans.splice(0)) goOn()
    await expect.poll(() => seen[i]?.signal?.aborted).toBe(true)
  }
})

test('chunks are small, so that a client that does not read holds little memory', async () => {
  const scan: Store['scan'] = async function* (): AsyncGenerator<readonly Result[]> {
    yield new Array<Result>(1000).fill(result)
  }
  const target = { check: { account: 'acme', checkId: 'homepage' }, checkType: check.checkType, window: { from: 0, to: 1 } }
  const lines: number[] = []
  for await (const chunk of exported({ scan }, { ...target, format: 'ndjson' })) lines.push(chunk.split('\n').length - 1)
  expect(Math.max(...lines)).toBe(50)
  expect(lines).toHaveLength(20)
})

test('an export can be filtered by location and outcome', async () => {
  const at = Date.UTC(2026, 10, 14)
  const runs = ['eu-west-1', 'us-east-1'].flatMap((runLocation) =>
    [false, true].map((hasFailures, index) => testResult(check, at + index, { runLocation, hasFailures })),
  )
  const { get, close } = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), results: runs, now: at })
  onTestFinished(close)
  const rows = async (query: string) =>
    (await get(`${url}?${query}`)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  expect(await rows('')).toHaveLength(4)
  expect((await rows('location=us-east-1')).map(({ runLocation }) => runLocation)).toEqual(['us-east-1', 'us-east-1'])
  expect(await rows('location=us-east-1&hasFailures=true')).toMatchObject([{ runLocation: 'us-east-1', hasFailures: true }])
  expect((await rows('hasFailures=false')).map(({ hasFailures }) => hasFailures)).toEqual([false, false])
})

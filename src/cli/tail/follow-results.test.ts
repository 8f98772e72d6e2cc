// @slow
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { followResults } from './follow-results.ts'

const check = testCheck(anyRunType(), { id: 'shop' })

async function startApp(port = 0): Promise<TestApp & { readonly url: string }> {
  const api = await openTestApp({ catalogue: testCatalogue({ checks: [check] }) })
  onTestFinished(api.close)
  return { ...api, url: await api.app.listen({ host: '127.0.0.1', port }) }
}

/** Follows in the background, and collects the starts of results and reports of trouble. */
function follow(url: string, query = '') {
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const [seen, troubles]: [number[], string[]] = [[], []]
  const remote = { url: new URL(url), key: readKey, account }
  const parameters = new URLSearchParams(query)
  const followed = followResults({
    remote,
    parameters,
    signal: abort.signal,
    onTrouble: (message) => void troubles.push(message),
    firstDelayMs: 50,
  })
  const ended = (async () => {
    for await (const data of followed) seen.push(Date.parse(JSON.parse(data).startedAt))
  })()
  ended.catch(() => {})
  return { seen, troubles, ended, abort }
}

/** Appends results until one of them arrives, because the stream may not be open yet. */
async function untilSeen({ store }: TestApp, seen: readonly number[], from: number, more = {}, before = 0): Promise<void> {
  for (let at = from; seen.length === before; at++) {
    await store.append([testResult(check, at, more)])
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test('no result is lost with a connection', async () => {
  const api = await startApp()
  const { seen, troubles } = follow(api.url)
  await untilSeen(api, seen, 1)
  for (let round = 1; round <= 3; round++) {
    api.app.server.closeAllConnections()
    await api.store.append([testResult(check, round * 1000), testResult(check, round * 1000 + 1)])
    await expect.poll(() => seen.slice(-2)).toEqual([round * 1000, round * 1000 + 1])
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(troubles).toEqual(new Array(3).fill('Connection lost. Reconnecting in 1 s.'))
})

test('a restarted server is followed again, with a report that results were skipped', async () => {
  const first = await startApp()
  const { seen, troubles } = follow(first.url)
  await untilSeen(first, seen, 1)
  await first.close()
  const second = await startApp(Number(new URL(first.url).port))
  await expect.poll(() => troubles.at(-1)).toContain('Some results were skipped')
  await second.store.append([testResult(check, 5000)])
  await expect.poll(() => seen.at(-1)).toBe(5000)
})

test('more results than the server buffers are all received, once each', { timeout: 120_000 }, async () => {
  const api = await startApp()
  const { seen, troubles } = follow(api.url, `hasFailures=true&location=${check.locations[0]}`)
  await untilSeen(api, seen, 1, { hasFailures: true })
  const before = new Set(seen)
  const error = 'e'.repeat(10_000)
  const starts = Array.from({ length: 2000 }, (_, i) => 100_000 + i * 7)
  await api.store.append(starts.map((start) => testResult(check, start, { hasFailures: true, error })))
  await api.store.append(starts.map((start) => testResult(check, start, { runLocation: 'elsewhere', hasFailures: true, error })))
  await expect.poll(() => new Set(seen).size, { timeout: 60_000 }).toBe(before.size + starts.length)
  await untilSeen(api, seen, 500_000, { hasFailures: true }, seen.length)
  expect(seen.filter((start) => !before.has(start) && start < 500_000).toSorted((a, b) => a - b)).toEqual(starts)
  expect(troubles).toEqual([])
})

test('a server that is unreachable at the start, or rejects the request, is an error', async () => {
  await expect(follow('http://127.0.0.1:9').ended).rejects.toThrow('No Tidemark server responds at http://127.0.0.1:9')
  const { url } = await startApp()
  await expect(follow(url, 'checkId=nobody').ended).rejects.toThrow('The server returned 404')
})

test('stops when aborted', async () => {
  const api = await startApp()
  const { seen, ended, abort } = follow(api.url)
  await untilSeen(api, seen, 1)
  abort.abort()
  await expect(ended).resolves.toBeUndefined()
})

import { useLayoutEffect } from 'preact/hooks'
import { beforeEach, expect, test, vi } from 'vitest'
import { type AskedOfApi, answerPage } from '../../../test/support/page-api.ts'
import { openHook } from '../testing/open-hook.tsx'
import type { Problem } from './client.ts'
import { nothingWatched } from './news.ts'
import { type LiveAccount, useLive } from './use-live.ts'

const soon = { interval: 5 }
const statuses = [{ checkId: 'shop', state: 'failing' }]
let stream: (query: string) => unknown

/** A stream of events that stays open. */
const open = () => new Response(new ReadableStream({ start: (events) => events.enqueue(new TextEncoder().encode(': \n\n')) }))
const refused = (status: number, more: object) => Response.json({ message: 'Refused.', ...more }, { status })

let asked: readonly AskedOfApi[]
let answer: () => unknown

beforeEach(() => {
  stream = open
  answer = () => statuses
  asked = answerPage(({ path, query }) => (path === '/v1/check-results/stream' ? stream(String(query.events)) : answer()))
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible', querySelector: () => null })
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
})

function openAccount() {
  const problems: Problem[] = []
  const hook = openHook(() => useLive({ key: 'the-key', account: 'acme' }, (problem) => problems.push(problem)))
  const streams = () => asked.flatMap(({ path, query }) => (path.endsWith('/stream') ? [query.events] : []))
  return { hook, problems, streams }
}

test('states of the account are loaded, and its results streamed until the page is closed', async () => {
  const { hook, streams } = openAccount()
  expect(hook.last().states).toBeUndefined()
  await expect.poll(() => hook.last().states, soon).toEqual(new Map([['shop', statuses[0]]]))
  expect([hook.last().lostAt, hook.last().problem, streams()]).toEqual([null, undefined, ['results,alerts']])
})

test('a refresh reloads the shown data and the states', async () => {
  const { hook } = openAccount()
  await expect.poll(() => hook.last().states?.size, soon).toBe(1)
  const { tick, slowTick } = hook.last()
  hook.last().refresh()
  await expect.poll(() => [hook.last().tick - tick, hook.last().slowTick - slowTick], soon).toEqual([1, 1])
  answer = () => []
  hook.last().reload()
  await expect.poll(() => hook.last().states?.size, soon).toBe(0)
})

test('a server without alerts still streams results', async () => {
  stream = (events) => (events === 'results' ? open() : refused(404, { code: 'ALERTS_OFF' }))
  const { streams } = openAccount()
  await expect.poll(streams, soon).toEqual(['results,alerts', 'results'])
})

test('a key without read access ends the session', async () => {
  stream = () => refused(401, { code: 'UNKNOWN_KEY' })
  answer = () => refused(401, { code: 'UNKNOWN_KEY' })
  const { problems, streams } = openAccount()
  await expect.poll(() => problems.map(({ status }) => status), soon).toContain(401)
  expect(streams()).toEqual(['results,alerts'])
})

test('a view that is mounted together with the account is watched', async () => {
  const many = Array.from({ length: 1001 }, (_, i) => ({ checkId: `check-${i}`, state: 'passing' }))
  answer = () => many
  let account: LiveAccount | undefined
  openHook(() => {
    useLayoutEffect(() => account?.watch({ checks: new Set(['check-7']), alerts: true }), [])
    account = useLive({ key: 'the-key', account: 'acme' }, () => {})
  })
  await expect.poll(() => asked.flatMap(({ path, query }) => (path.endsWith('/stream') ? [query.checkId] : [])), soon).toEqual(['check-7'])
})

test('a view that ends after the account sends no more requests', async () => {
  const { hook } = openAccount()
  await expect.poll(() => hook.last().states?.size, soon).toBe(1)
  const { watch } = hook.last()
  hook.close()
  const before = asked.length
  watch(nothingWatched)
  await new Promise(setImmediate)
  expect(asked.length).toBe(before)
})

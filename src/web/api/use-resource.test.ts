import { expect, onTestFinished, test, vi } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { lruCache } from '../../cache/cache.ts'
import { readerZone, showZone } from '../state/zone.ts'
import { openHook, stopTime, testSession } from '../testing/open-hook.tsx'
import { type Api, Problem } from './client.ts'
import { nothingWatched } from './news.ts'
import {
  firstProblem,
  type Resource,
  refusal,
  settled,
  useDefinitions,
  useResource,
  useSession,
  useWatch,
  useWatchAlerts,
} from './use-resource.ts'

const problem = new Problem(500, 'It is broken.')
const resource = (more: Partial<Resource<unknown>>): Resource<unknown> => ({
  data: undefined,
  problem: undefined,
  loading: false,
  retry() {},
  ...more,
})
const [waiting, loaded, failed, stale] = [{}, { data: 0 }, { problem }, { data: 0, problem }].map(resource) as [
  Resource<unknown>,
  Resource<unknown>,
  Resource<unknown>,
  Resource<unknown>,
]

test('a resource is settled after its first response or error', () => {
  expect([waiting, loaded, failed, stale].map(settled)).toEqual([false, true, true, true])
})

test('the first problem is that of a resource without data', () => {
  expect(firstProblem(waiting, loaded, stale, failed, resource({ problem }))).toBe(failed)
  expect(firstProblem(waiting, loaded, stale)).toBeNull()
})

test('only an unknown key, or one without read access, ends a session', () => {
  expect(refusal(new Problem(401, 'No.', { code: 'UNKNOWN_KEY' }))).toContain('revoked or replaced')
  expect(refusal(new Problem(403, 'May not.', { code: 'MISSING_SCOPE' }))).toBe('May not.')
  expect(refusal(new Problem(401, 'Sign in to the proxy.'))).toBeNull()
  expect(refusal(new Problem(403, 'Filtered by a proxy.'))).toBeNull()
  expect(refusal(problem)).toBeNull()
})

/** Loads by key that the test completes. */
function loads() {
  const begun: { readonly key: string; readonly signal: AbortSignal; end(data: string): void; fail(fault: unknown): void }[] = []
  const load = (key: string | null) => (_: unknown, signal: AbortSignal) =>
    new Promise<string>((end, fail) => begun.push({ key: String(key), signal, end, fail }))
  const keys = () => begun.map(({ key }) => key)
  const last = () => {
    const one = begun.at(-1)
    if (one === undefined) throw new Error('nothing was loaded')
    return one
  }
  return { load, keys, last, begun }
}

const soon = { interval: 5 }

/** A view of the resource `key`, which the test can change. */
function viewOf(key: string | null, session = testSession()) {
  const loading = loads()
  let shown = key
  const hook = openHook(() => useResource(shown, loading.load(shown)), session)
  const now = () => {
    const { data, problem: fault, loading: isLoading } = hook.last()
    return [data, fault?.message, isLoading]
  }
  const change = (next: string | null) => {
    shown = next
    hook.again()
  }
  return { ...loading, hook, session, change, now, becomes: (expected: unknown[]) => expect.poll(now, soon).toEqual(expected) }
}

test('a resource is loading until its response arrives, and is cached for the next view', async () => {
  const { now, last, becomes, session, keys } = viewOf('a')
  expect(now()).toEqual([undefined, undefined, true])
  last().end('data of a')
  await becomes(['data of a', undefined, false])
  const next = viewOf('a', session)
  expect(next.now()).toEqual(['data of a', undefined, false])
  expect([keys(), next.keys()]).toEqual([['a'], ['a']])
  next.last().end('newer data')
  await next.becomes(['newer data', undefined, false])
})

test('without a key nothing is loaded, and it does not count as loading', () => {
  const { now, keys } = viewOf(null)
  expect([now(), keys()]).toEqual([[undefined, undefined, false], []])
})

test('another key shows the old data until its own arrive, or cached ones at once, and ignores late responses', async () => {
  const { now, last, becomes, begun, change } = viewOf('a')
  change('b')
  expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, false])
  last().end('data of b')
  await becomes(['data of b', undefined, false])
  begun[0]?.end('data of a')
  await new Promise(setImmediate)
  expect(now()).toEqual(['data of b', undefined, false])
  change('c')
  expect(now()).toEqual(['data of b', undefined, true])
  change('a')
  await becomes(['data of a', undefined, false])
})

test('a problem keeps the data of the same key, and removes those of another', async () => {
  const { last, becomes, hook, change, session, keys, begun } = viewOf('a')
  last().end('data of a')
  await becomes(['data of a', undefined, false])
  hook.again({ ...session, tick: 1 })
  expect(keys()).toEqual(['a', 'a'])
  last().fail(problem)
  await becomes(['data of a', 'It is broken.', false])
  change('b')
  last().fail(problem)
  await becomes([undefined, 'It is broken.', false])
  change('c')
  change('d')
  begun.at(-2)?.fail(new Problem(401, 'late', { code: 'UNKNOWN_KEY' }))
  last().fail(new TypeError('not read'))
  await becomes([undefined, 'Unexpected response. Reload the page.', false])
  expect(session.calls).toEqual([])
})

test('cached data are kept when the next load of their key fails', async () => {
  const { last, becomes, change, session } = viewOf('a')
  session.cache.set(`${readerZone()} b`, 'data of b')
  change('b')
  last().fail(problem)
  await becomes(['data of b', 'It is broken.', false])
})

test('a retry loads again, keeps the data and removes the problem in the meantime', async () => {
  const { last, becomes, hook, keys } = viewOf('a')
  last().fail(problem)
  await becomes([undefined, 'It is broken.', false])
  hook.last().retry()
  await becomes([undefined, undefined, true])
  expect(keys()).toEqual(['a', 'a'])
  last().end('data of a')
  await becomes(['data of a', undefined, false])
  hook.last().retry()
  await expect.poll(() => keys().length, soon).toBe(3)
  last().fail(problem)
  await becomes(['data of a', 'It is broken.', false])
  hook.last().retry()
  await becomes(['data of a', undefined, false])
  hook.close()
  expect(last().signal.aborted).toBe(true)
})

test('a rejected key ends the session', async () => {
  const { last, session } = viewOf('a')
  last().fail(new Problem(403, 'May not.', { code: 'MISSING_SCOPE' }))
  await expect.poll(() => session.calls, soon).toEqual([['signOut', 'May not.']])
})

test('definitions are reloaded when anything may have changed, but not for results alone', async () => {
  const [figures, definitions] = [loads(), loads()]
  const session = testSession()
  const hook = openHook(() => {
    useResource('f', figures.load('f'))
    useDefinitions('d', definitions.load('d'))
  }, session)
  for (const { last } of [figures, definitions]) last().end('data')
  await expect.poll(() => [session.cache.get(`${readerZone()} f`), session.cache.get('d')], soon).toEqual(['data', 'data'])
  hook.again({ ...session, tick: 1 })
  expect([figures.keys().length, definitions.keys().length]).toEqual([2, 1])
  hook.again({ ...session, tick: 1, slowTick: 1 })
  expect([figures.keys().length, definitions.keys().length]).toEqual([2, 2])
})

test('a view registers the checks it shows, again when they change, and unregisters at the end', async () => {
  const session = testSession()
  let ids: readonly string[] | 'all' = ['b', 'a']
  const hook = openHook(() => useWatch(ids), session)
  const said = async (expected: readonly unknown[]) => {
    await expect.poll(() => session.calls, soon).toEqual(expected.map((watched) => ['watch', watched]))
    session.calls.length = 0
  }
  await said([{ checks: new Set(['b', 'a']), alerts: false }])
  ids = ['b', 'a']
  hook.again()
  ids = 'all'
  hook.again()
  await said([nothingWatched, { checks: 'all', alerts: false }])
  hook.close()
  await said([nothingWatched])
})

test('views of alerts watch alerts, with or without checks', async () => {
  const session = testSession()
  openHook(() => useWatchAlerts(), session)
  openHook(() => useWatch('all', { alerts: true }), session)
  await expect
    .poll(() => session.calls, soon)
    .toEqual([
      ['watch', { checks: new Set(), alerts: true }],
      ['watch', { checks: 'all', alerts: true }],
    ])
})

test('responses are cached for the session even after their view is closed', async () => {
  const cache = lruCache<string, unknown>(10)
  const { last, hook } = viewOf('a', testSession({ cache }))
  hook.close()
  last().end('late')
  await expect.poll(() => cache.get(`${readerZone()} a`), soon).toBe('late')
})

test('figures are cached by the zone of the reader, definitions for all zones', async () => {
  onTestFinished(() => showZone(null))
  const session = testSession()
  const open = (zone: string) => {
    showZone(zone)
    const [figures, definitions] = [loads(), loads()]
    const hook = openHook(() => [useResource('f', figures.load('f')).data, useDefinitions('d', definitions.load('d')).data], session)
    const end = () => {
      for (const { last } of [figures, definitions]) last().end(`data of ${zone}`)
    }
    return { shown: () => hook.last(), end, close: hook.close }
  }
  const first = open('Europe/Berlin')
  first.end()
  await expect.poll(first.shown, soon).toEqual(['data of Europe/Berlin', 'data of Europe/Berlin'])
  first.close()
  const other = open('Asia/Tokyo')
  expect(other.shown()).toEqual([undefined, 'data of Europe/Berlin'])
  other.close()
  expect(open('Europe/Berlin').shown()).toEqual(['data of Europe/Berlin', 'data of Europe/Berlin'])
})

test('components that need a session are not rendered without one', () => {
  expect(() => openHook(() => useSession(), null as never)).toThrow('Sign in to see')
})

test('a response that is slower than the refresh interval is kept, and followed by one refresh', async () => {
  const { last, becomes, hook, session, keys, begun } = viewOf('a')
  for (const tick of [1, 2, 3]) hook.again({ ...session, tick })
  expect(keys()).toEqual(['a'])
  last().end('data of a')
  await becomes(['data of a', undefined, false])
  await expect.poll(keys, soon).toEqual(['a', 'a'])
  last().end('newer data')
  await becomes(['newer data', undefined, false])
  expect(begun.map(({ signal }) => signal.aborted)).toEqual([false, false])
})

test('a request without a response for a minute is replaced by the next refresh', () => {
  stopTime()
  const { hook, session, begun } = viewOf('a')
  vi.advanceTimersByTime(59_000)
  hook.again({ ...session, tick: 1 })
  vi.advanceTimersByTime(1000)
  hook.again({ ...session, tick: 2 })
  expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, false])
})

test('a load of several requests is kept as long as one of them is answered every minute', async () => {
  stopTime()
  answerPage(({ path }) => path)
  const signals: AbortSignal[] = []
  const load = async (api: Api, signal: AbortSignal) => {
    signals.push(signal)
    const answers: unknown[] = []
    for (const path of ['/1', '/2', '/3']) {
      await new Promise((resolve) => setTimeout(resolve, 40_000))
      answers.push((await api.request({ path }, signal)).data)
    }
    return answers
  }
  const session = testSession()
  const hook = openHook(() => useResource('a', load), session)
  for (const tick of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(30_000)
    hook.again({ ...session, tick })
  }
  await vi.advanceTimersByTimeAsync(30_000)
  expect(hook.last().data).toEqual(['/1', '/2', '/3'])
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
})

test('without a key the old data are removed', async () => {
  const { last, becomes, change } = viewOf('a')
  last().end('data of a')
  await becomes(['data of a', undefined, false])
  change(null)
  await becomes([undefined, undefined, false])
  change('a')
  await becomes(['data of a', undefined, false])
})

import { expect, onTestFinished, test } from 'vitest'
import { type AskedOfApi, answerPage } from '../../../test/support/page-api.ts'
import type { CheckStatus } from '../api/answers.ts'
import { showZone } from '../state/zone.ts'
import { openHook, testSession } from '../testing/open-hook.tsx'
import { failingIn, type SummaryPaths, useChecks, useStatuses, useSummaries } from './use-checks.ts'

const soon = { interval: 5 }

test('checks are loaded from all pages of a hundred, in order', async () => {
  const ids = Array.from({ length: 201 }, (_, i) => ({ id: `check-${i}` }))
  const asked = answerPage(({ query }) => {
    const start = (Number(query.page) - 1) * 100
    return Response.json(ids.slice(start, start + 100), { headers: { 'Content-Range': `items ${start}-${start + 99}/201` } })
  })
  const hook = openHook(() => useChecks())
  await expect.poll(() => hook.last().data, soon).toEqual(ids)
  expect(asked.map(({ path, query }) => [path, query])).toEqual(['1', '2', '3'].map((page) => ['/v1/checks', { limit: '100', page }]))
})

test.each([[null], ['items */x']])('with a Content-Range of %s only the first page is loaded', async (range) => {
  const asked = answerPage(() => Response.json([{ id: 'a' }], range === null ? {} : { headers: { 'Content-Range': range } }))
  const hook = openHook(() => useChecks())
  await expect.poll(() => hook.last().data, soon).toEqual([{ id: 'a' }])
  expect(asked).toHaveLength(1)
})

const states = (...all: readonly CheckStatus['state'][]) =>
  new Map(all.map((state, i) => [`check-${i}`, { checkId: `check-${i}`, state } as CheckStatus]))

test('states are those of the session, which reloads them', () => {
  const session = testSession({ states: states('passing') })
  const { data, loading, retry } = openHook(() => useStatuses(), session).last()
  retry()
  expect([data, loading, session.calls]).toEqual([session.states, false, [['reload']]])
})

test('failing checks are counted, or 0 before they are known', () => {
  expect([undefined, states(), states('failing', 'degraded', 'passing', 'failing')].map(failingIn)).toEqual([0, 0, 2])
})

/** A list of summaries whose requests the test answers. */
function openList(first: readonly string[], session = testSession()) {
  const begun: { readonly ids: readonly string[]; readonly path: string; end(): void; fail(): void }[] = []
  answerPage(({ path, body }: AskedOfApi) => {
    const { checkIds: ids } = body as { readonly checkIds: readonly string[] }
    return new Promise((resolve) => {
      const end = () => resolve(ids.map((checkId) => ({ checkId, from: path })))
      begun.push({ ids, path, end, fail: () => resolve(Response.json({ message: 'Broken.' }, { status: 500 })) })
    })
  })
  let [ids, paths] = [first, pathsOf('day')]
  const hook = openHook(() => useSummaries(paths, ids), session)
  const shown = () => [...hook.last().byCheck].map(([id, summary]) => `${id} of ${(summary as unknown as { from: string }).from}`)
  return {
    begun,
    hook,
    shown,
    session,
    show(nextIds: readonly string[], window = 'day') {
      ids = nextIds
      paths = pathsOf(window)
      hook.again()
    },
    begins: (...expected: readonly string[]) => expect.poll(() => begun.map(({ ids: of }) => of.join()), soon).toEqual(expected),
    shows: (...expected: readonly string[]) => expect.poll(shown, soon).toEqual(expected),
  }
}

const pathsOf = (window: string): SummaryPaths => ({ path: `/v1/${window}`, rolling: null, window })

test('summaries are requested at once at first, and then only missing ones', async () => {
  const list = openList(['b', 'a'])
  expect(list.hook.last().loading).toBe(true)
  await list.begins('b,a')
  list.begun[0]?.end()
  await list.shows('b of /v1/day', 'a of /v1/day')
  expect(list.hook.last().loading).toBe(false)
  list.show(['a', 'b'])
  list.show(['a', 'b', 'c'])
  await list.begins('b,a', 'c')
  list.begun[1]?.end()
  await list.shows('b of /v1/day', 'a of /v1/day', 'c of /v1/day')
})

test('another window shows the old one until all its data have arrived', async () => {
  const list = openList(['a'])
  await list.begins('a')
  list.begun[0]?.end()
  await list.shows('a of /v1/day')
  list.show(['a'], 'week')
  expect([list.shown(), list.hook.last().loading]).toEqual([['a of /v1/day'], true])
  await list.begins('a', 'a')
  expect(list.begun[1]?.path).toBe('/v1/week')
  list.begun[1]?.end()
  await list.shows('a of /v1/week')
  expect(list.hook.last().loading).toBe(false)
})

test('a problem removes the figures of another window, and a retry loads its own', async () => {
  const list = openList(['a'])
  await list.begins('a')
  list.begun[0]?.end()
  await list.shows('a of /v1/day')
  list.show(['a'], 'week')
  await list.begins('a', 'a')
  list.begun[1]?.fail()
  await expect.poll(() => list.hook.last().problem?.message, soon).toBe('Broken.')
  expect([list.shown(), list.hook.last().loading]).toEqual([[], false])
  list.hook.last().retry()
  await list.begins('a', 'a', 'a')
  list.begun[2]?.end()
  await list.shows('a of /v1/week')
  expect(list.hook.last().problem).toBeNull()
})

test('more than a hundred are requested in several calls, each shown as it arrives', async () => {
  const ids = Array.from({ length: 101 }, (_, i) => `check-${i}`)
  const list = openList(ids)
  await list.begins(ids.slice(0, 100).join())
  list.begun[0]?.end()
  await expect.poll(() => list.shown().length, soon).toBe(100)
  await list.begins(ids.slice(0, 100).join(), 'check-100')
  list.begun[1]?.end()
  await expect.poll(() => list.shown().length, soon).toBe(101)
})

test('the next view has cached summaries', async () => {
  const list = openList(['a'])
  await list.begins('a')
  list.begun[0]?.end()
  await list.shows('a of /v1/day')
  const next = openList(['a'], list.session)
  expect([next.shown(), next.begun]).toEqual([['a of /v1/day'], []])
})

test('summaries of another zone are shown as those of another window', async () => {
  onTestFinished(() => showZone(null))
  showZone('Europe/Berlin')
  const list = openList(['a'])
  await list.begins('a')
  list.begun[0]?.end()
  await list.shows('a of /v1/day')
  list.hook.close()
  showZone('Asia/Tokyo')
  const next = openList(['a'], list.session)
  next.show(['a'], 'day')
  expect([next.shown(), next.hook.last().loading]).toEqual([['a of /v1/day'], true])
})

test('a response that is no longer needed is not a problem', async () => {
  const list = openList(['a'])
  await list.begins('a')
  list.show(['b'])
  await list.begins('a', 'b')
  list.begun[0]?.fail()
  list.begun[1]?.end()
  await list.shows('b of /v1/day')
  expect(list.hook.last().problem).toBeNull()
})

test('a window that moves in the meantime waits for its own summaries', async () => {
  const session = testSession()
  const begun: { readonly path: string; end(): void }[] = []
  answerPage(({ path }: AskedOfApi) => new Promise((resolve) => begun.push({ path, end: () => resolve([{ checkId: 'a', from: path }]) })))
  let minute = 1
  const hook = openHook(() => useSummaries({ path: `/v1/day-${minute}`, rolling: null, window: 'day' }, ['a']), session)
  const paths = (...expected: readonly string[]) => expect.poll(() => begun.map(({ path }) => path), soon).toEqual(expected)
  await paths('/v1/day-1')
  for (minute of [2, 3]) hook.again()
  await hook.settled()
  await paths('/v1/day-1')
  begun[0]?.end()
  await paths('/v1/day-1', '/v1/day-3')
  expect(hook.last().byCheck.get('a')).toMatchObject({ from: '/v1/day-1' })
  begun[1]?.end()
  await expect.poll(() => hook.last().byCheck.get('a'), soon).toMatchObject({ from: '/v1/day-3' })
})

test('a summary that reads too much is requested in halves, unless it is of a single check', async () => {
  const most = { checks: 1 }
  const asked = answerPage(({ body }) => {
    const { checkIds: ids } = body as { readonly checkIds: readonly string[] }
    if (ids.length > most.checks) return Response.json({ message: 'Too large.', code: 'QUERY_TOO_LARGE' }, { status: 400 })
    return ids.map((checkId) => ({ checkId }))
  })
  const hook = openHook(() => useSummaries(pathsOf('year'), ['a', 'b', 'c']))
  await expect.poll(() => [...hook.last().byCheck.keys()], soon).toEqual(['a', 'b', 'c'])
  expect(asked.map(({ body }) => body)).toEqual([['a', 'b', 'c'], ['a', 'b'], ['a'], ['b'], ['c']].map((checkIds) => ({ checkIds })))
  expect(hook.last().problem).toBeNull()
  most.checks = 0
  const other = openHook(() => useSummaries(pathsOf('year'), ['a', 'b']))
  await expect.poll(() => other.last().problem?.code, soon).toBe('QUERY_TOO_LARGE')
})

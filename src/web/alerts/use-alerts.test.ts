import { expect, test } from 'vitest'
import { type AskedOfApi, answerPage } from '../../../test/support/page-api.ts'
import { Problem } from '../api/client.ts'
import { useMayOperate } from '../api/use-scope.ts'
import { useFaultyChecks } from '../checks/faulty-checks.tsx'
import { useCheckGroups } from '../edit/use-check-group.ts'
import { useDeletedChecks } from '../history/deleted-view.tsx'
import { openHook, testSession } from '../testing/open-hook.tsx'
import { useAction } from './use-action.tsx'
import { useAlertChannels, useAlertPage, useAlertRules, useOpenAlerts, useSilences } from './use-alerts.ts'

const soon = { interval: 5 }
const queryOf = ({ path, query }: AskedOfApi) => `${path}?${new URLSearchParams(query)}`

test('a page of alerts is requested with the parameters that are set', async () => {
  const page = { alerts: [], pagination: { next: null } }
  const asked = answerPage(() => page)
  const session = testSession()
  const hook = openHook(() => useAlertPage({ state: 'closed', cursor: null }), session)
  await expect.poll(() => hook.last().data, soon).toEqual(page)
  openHook(() => useOpenAlerts(), session)
  openHook(() => useOpenAlerts({ checkId: 'shop', cursor: 'c' }), session)
  expect(asked.map(queryOf)).toEqual([
    '/v1/alerts?state=closed',
    '/v1/alerts?state=open&limit=100',
    '/v1/alerts?state=open&limit=100&checkId=shop&cursor=c',
  ])
})

const lists = [
  ['silences', useSilences, '/v1/silences'],
  ['channels', useAlertChannels, '/v1/alert-channels'],
  ['rules', useAlertRules, '/v1/alert-rules'],
  ['faulty checks', useFaultyChecks, '/v1/faulty-checks'],
  ['deleted checks', useDeletedChecks, '/v1/deleted-checks'],
  ['groups', useCheckGroups, '/v1/check-groups'],
] as const

test.each(lists)('%s are loaded from all pages', async (_, useList, path) => {
  const asked = answerPage(({ query }) => {
    const count = query.page === '2' ? 1 : 100
    return Response.json(Array(count).fill(query.page), { headers: { 'Content-Range': 'items 0-99/101' } })
  })
  const hook = openHook(() => useList() as { readonly data: readonly unknown[] | undefined })
  await expect.poll(() => hook.last().data, soon).toEqual([...Array(100).fill('1'), '2'])
  expect(asked.map(queryOf)).toEqual([`${path}?limit=100&page=1`, `${path}?limit=100&page=2`])
})

test.each([
  ['shrinks while it is read', ['a'], 'items 0-0/9', 2],
  ['says no length', ['a'], null, 1],
  ['is empty', [], 'items */0', 1],
])('a list that %s is read to its end', async (_, first, range, calls) => {
  const headers: Record<string, string> = range === null ? {} : { 'Content-Range': range }
  const asked = answerPage(({ query }) => Response.json(query.page === '1' ? first : [], { headers }))
  const hook = openHook(() => useSilences())
  await expect.poll(() => hook.last().data, soon).toEqual(first)
  expect(asked).toHaveLength(calls)
})

test.each([
  [['read'], false],
  [['read', 'operate'], true],
  [['admin'], true],
])('whether a key with the scopes %o may acknowledge and silence: %s', async (scopes, may) => {
  const asked = answerPage(() => ({ scopes }))
  const hook = openHook(() => useMayOperate())
  expect(hook.last()).toBeUndefined()
  await expect.poll(() => hook.last(), soon).toBe(may)
  expect(asked[0]?.path).toBe('/next/users/me')
})

test('only one action runs at a time, and its changes are shown', async () => {
  const session = testSession()
  const hook = openHook(() => useAction(), session)
  let end: () => void = () => {}
  const begun: unknown[] = []
  const act = (api: unknown) => {
    begun.push(api)
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  const first = hook.last().run(act)
  await expect.poll(() => hook.last().isRunning, soon).toBe(true)
  await hook.last().run(act)
  expect([begun, session.calls]).toEqual([[session.api], []])
  end()
  await first
  await expect.poll(() => hook.last().isRunning, soon).toBe(false)
  expect([hook.last().problem, session.calls]).toEqual([null, [['refresh']]])
})

test('a failed action shows its error until the next one, and reloads nothing', async () => {
  const session = testSession()
  const hook = openHook(() => useAction(), session)
  const becomes = (problem: unknown) => expect.poll(() => [hook.last().isRunning, hook.last().problem], soon).toEqual([false, problem])
  await hook.last().run(() => Promise.reject(new Problem(409, 'Somebody was faster.')))
  await becomes('Somebody was faster.')
  await hook.last().run(() => Promise.reject(new TypeError('x is undefined')))
  await becomes('Unexpected response. Reload the page.')
  expect(session.calls).toEqual([])
  const waiting = hook.last().run(() => new Promise(() => {}))
  await expect.poll(() => hook.last().problem, soon).toBeNull()
  expect(waiting).toBeInstanceOf(Promise)
})

test('an action that ends after its view was closed does not navigate', async () => {
  const led: string[] = []
  const hook = openHook(() => useAction())
  await hook.last().run(
    async () => 'first',
    (result) => led.push(result),
  )
  const { run } = hook.last()
  const ended = run(
    () => new Promise<string>((resolve) => setImmediate(() => resolve('second'))),
    (result) => led.push(result),
  )
  hook.close()
  await ended
  expect(led).toEqual(['first'])
})

test('without a response, a key counts as read-only', async () => {
  answerPage(() => Response.json({ message: 'Broken.' }, { status: 500 }))
  const hook = openHook(() => useMayOperate())
  await expect.poll(() => hook.last(), soon).toBe(false)
})

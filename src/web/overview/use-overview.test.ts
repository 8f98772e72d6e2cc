import { afterEach, expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { dayMs } from '../../time.ts'
import type { CheckStatus } from '../api/answers.ts'
import { Problem } from '../api/client.ts'
import { showZone } from '../state/zone.ts'
import { openHook, testSession } from '../testing/open-hook.tsx'
import { failingInGroups, groupName } from './groups.ts'
import type { Days } from './load-figures.ts'
import { useDays } from './use-days.ts'
import { useGroups } from './use-groups.ts'

const soon = { interval: 5 }
const statuses = new Map(['a', 'b'].map((checkId) => [checkId, { checkId, state: 'failing' } as CheckStatus]))
const checks = ['a', 'b', 'c'].map((id) => ({ id, tags: id === 'a' ? ['web', 'shop'] : [], activated: true }))

afterEach(() => showZone(null))

test('groups are shown once checks and states are loaded, and failing checks are counted once', async () => {
  answerPage(() => checks)
  const session = testSession()
  const hook = openHook(() => useGroups(), session)
  await expect.poll(() => session.cache.get('checks'), soon).toEqual(checks)
  expect(hook.last()).toMatchObject({ groups: undefined, failing: 0, problem: undefined })
  hook.again({ ...session, states: statuses })
  const { groups = [], failing } = hook.last()
  expect(groups.map(groupName)).toEqual(['without tags', 'shop', 'web'])
  expect([failing, failingInGroups(groups)]).toEqual([2, 2])
  await hook.settled()
  expect(session.calls).toContainEqual(['watch', { checks: 'all', alerts: true }])
})

test('a retry of the groups requests only what failed', async () => {
  const problem = new Problem(500, 'It is broken.')
  let isBroken = true
  const asked = answerPage(() => (isBroken ? Response.json({ message: 'No checks.' }, { status: 500 }) : checks))
  const session = testSession({ states: statuses })
  const hook = openHook(() => useGroups(), session)
  await expect.poll(() => hook.last().problem?.message, soon).toBe('No checks.')
  isBroken = false
  hook.last().retry()
  await expect.poll(() => hook.last().groups?.length, soon).toBe(3)
  expect([asked.length, session.calls.filter(([what]) => what === 'reload')]).toEqual([2, []])
  hook.again({ ...session, problem })
  expect(hook.last().problem).toBe(problem)
  hook.last().retry()
  expect(session.calls.filter(([what]) => what === 'reload')).toEqual([['reload']])
  expect(asked).toHaveLength(2)
})

test('days are cached for some minutes, by zone', async () => {
  showZone('UTC')
  const loads: Days[] = []
  const load = async (_: unknown, days: Days) => {
    loads.push(days)
    return loads.length
  }
  const session = testSession()
  const hook = openHook(() => useDays('days', load), session)
  await expect.poll(() => hook.last().data, soon).toBe(1)
  const [{ from, to } = { from: 0, to: 0 }] = loads
  const { now } = hook.last()
  expect([from % dayMs, Math.floor((to - from) / dayMs), now <= to]).toEqual([0, 89, true])
  hook.again({ ...session, tick: 1 })
  await hook.settled()
  expect([hook.last().data, loads.length]).toEqual([1, 1])
  showZone('Asia/Kolkata')
  hook.again({ ...session, tick: 2 })
  await expect.poll(() => hook.last().data, soon).toBe(2)
})

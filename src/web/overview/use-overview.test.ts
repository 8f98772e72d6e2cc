import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { dayMs, minuteMs } from '../../time.ts'
import type { CheckStatus, Row } from '../api/answers.ts'
import { Problem } from '../api/client.ts'
import { showZone } from '../state/zone.ts'
import { openHook, testSession } from '../testing/open-hook.tsx'
import { dayStart } from './days.ts'
import { failingInGroups, groupName } from './groups.ts'
import type { Days, FiguresByTag } from './load-figures.ts'
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

/** Days whose rows count the loads so far. */
function countedDays() {
  const loads: Days[] = []
  let checks = 'all'
  const load = async (_: unknown, days: Days): Promise<FiguresByTag> => {
    loads.push(days)
    const starts = [days.from, dayStart(days.to, -1), dayStart(days.to, 0)]
    return new Map([['web', [...new Set(starts)].map((start) => ({ period: new Date(start).toISOString(), total: loads.length }) as Row)]])
  }
  const change = (next: string) => {
    checks = next
  }
  const session = testSession()
  const hook = openHook(() => useDays({ name: 'days', checks: () => checks, load }), session)
  const totals = () =>
    hook
      .last()
      .data?.get('web')
      ?.map(({ total }) => total)
  return { loads, change, session, hook, becomes: (expected: number[]) => expect.poll(totals, soon).toEqual(expected) }
}

test('days are cached for some minutes, by zone', async () => {
  showZone('UTC')
  const { loads, session, hook, becomes } = countedDays()
  await becomes([1, 1, 1])
  const [{ from, to } = { from: 0, to: 0 }] = loads
  const { now } = hook.last()
  expect([from % dayMs, Math.floor((to - from) / dayMs), now <= to]).toEqual([0, 89, true])
  hook.again({ ...session, tick: 1 })
  await hook.settled()
  await becomes([1, 1, 1])
  expect(loads).toHaveLength(1)
  showZone('Asia/Kolkata')
  hook.again({ ...session, tick: 2 })
  await becomes([2, 2, 2])
})

test('only the last two days are loaded again, unless the checks behind them have changed', async () => {
  showZone('UTC')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 19, 12) })
  onTestFinished(() => void vi.useRealTimers())
  const { loads, change, session, hook, becomes } = countedDays()
  const later = (tick: number) => {
    vi.setSystemTime(Date.now() + 10 * minuteMs)
    hook.again({ ...session, tick })
  }
  await becomes([1, 1, 1])
  later(1)
  await becomes([1, 2, 2])
  change('others')
  later(2)
  await becomes([3, 3, 3])
  const first = Date.UTC(2026, 7, 22)
  expect(loads.map(({ from }) => from)).toEqual([first, Date.UTC(2026, 10, 18), first])
})

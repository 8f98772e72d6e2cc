import { expect, test } from 'vitest'
import { testCatalogue } from '../../test/support/catalogue.ts'
import { checkOf, checkTypeOf, passed, pingedType, testProbe } from '../../test/support/checks.ts'
import { recordingLog } from '../../test/support/log.ts'
import { resultsOf, temporaryStore } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import type { Store } from '../store/store.ts'
import { startRunner, type Tasks } from './runner.ts'

const minute = 60_000
const clock = virtualClock(Date.UTC(2026, 10, 14, 10))

async function runFor(forMs: number, store: Store, check: Check, tasks: Tasks = { runs: true, deadlines: true }): Promise<void> {
  const catalogue = testCatalogue({ checks: [check] })
  const runner = startRunner({
    catalogue,
    store,
    clock,
    log: recordingLog(),
    probe: testProbe,
    chromium: null,
    env: {},
    locations: null,
    tasks,
  })
  await clock.advance(forMs)
  await runner.close()
}

test('runs are stored, and there are no results for the time between two processes', async () => {
  const check = checkOf(
    'homepage',
    checkTypeOf(async () => passed),
  )
  const { store: first, reopen } = await temporaryStore(clock.now)
  await runFor(30_000, first, check)
  await clock.advance(10 * minute)
  const second = await reopen()
  await runFor(30_000, second, check)
  const results = await resultsOf(second, check.id)
  expect(results).toHaveLength(6)
  expect(results.every(({ hasFailures, values }) => !hasFailures && values.took === 12.5)).toBe(true)
})

test('a deadline that passed between two processes is one failed result, however often there is a restart', async () => {
  const check = checkOf('job', pingedType)
  const at = clock.now()
  const { store, reopen } = await temporaryStore(clock.now)
  await store.append([{ check: { account: check.account, checkId: 'job' }, result: { id: 'ping', ...pingOutcome('RECEIVED', at) } }])
  await clock.advance(300 * minute)
  for (let restart = 0; restart < 3; restart++) await runFor(10 * minute, await reopen(), check)
  const results = await resultsOf(await reopen(), check.id)
  expect(results.map(({ state, startedAt }) => [state, (startedAt - at) / minute])).toEqual([
    ['RECEIVED', 0],
    ['FAILING', 70],
  ])
})

test.each([
  ['runs no check and stores the missed ping', { runs: false, deadlines: true }, 0, 1],
  ['runs checks and stores no missed ping', { runs: true, deadlines: false }, 3, 0],
])('a runner with these tasks %s', async (_, tasks, ran, missed) => {
  const [job, homepage] = [
    checkOf('job', pingedType),
    checkOf(
      'homepage',
      checkTypeOf(async () => passed),
    ),
  ]
  const { store } = await temporaryStore(clock.now)
  const result = { id: 'ping', ...pingOutcome('RECEIVED', clock.now()) }
  await store.append([{ check: { account: job.account, checkId: 'job' }, result }])
  await clock.advance(100 * minute)
  for (const check of [job, homepage]) await runFor(30_000, store, check, tasks)
  expect((await resultsOf(store, job.id)).filter(({ hasFailures }) => hasFailures)).toHaveLength(missed)
  expect(await resultsOf(store, homepage.id)).toHaveLength(ran)
})

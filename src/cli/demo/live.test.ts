import { expect, test } from 'vitest'
import { testCatalogue } from '../../../test/support/catalogue.ts'
import { checkOf, checkTypeOf, failed, passed, testProbe, unreachable } from '../../../test/support/checks.ts'
import { recordingLog } from '../../../test/support/log.ts'
import { resultsOf, temporaryStore } from '../../../test/support/temporary-store.ts'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { startDemoRuns } from './live.ts'

const minute = 60_000

async function setUp(checks: Check[]) {
  const clock = virtualClock(Date.UTC(2026, 10, 14, 10))
  const { store } = await temporaryStore(clock.now)
  const unable: string[] = []
  const live = startDemoRuns({
    catalogue: testCatalogue({ checks }),
    store,
    clock,
    log: recordingLog(),
    probe: testProbe,
    chromium: null,
    env: {},
    locations: null,
    onUnable: ({ id }, reason) => unable.push(`${id}: ${reason}`),
  })
  return { clock, unable, live, store }
}

test('a check that can run has results at all its locations at once, and then on schedule', async () => {
  const more = { everyMs: 2 * minute, locations: ['eu-west-1', 'us-east-1'], runParallel: true }
  const { clock, store, unable, live } = await setUp([
    checkOf(
      'homepage',
      checkTypeOf(async () => passed),
      more,
    ),
  ])
  await clock.advance(0)
  expect((await resultsOf(store, 'homepage')).map(({ runLocation }) => runLocation)).toEqual(['eu-west-1', 'us-east-1'])
  await clock.advance(10 * minute)
  expect((await resultsOf(store, 'homepage')).length).toBeGreaterThanOrEqual(12)
  expect(unable).toEqual([])
  await live.close()
})

test('a check that cannot run on this machine is reported, and never shown as failing', async () => {
  const { clock, store, unable, live } = await setUp([
    checkOf(
      'router',
      checkTypeOf(async () => unreachable),
    ),
  ])
  await clock.advance(10 * minute)
  expect(unable).toEqual(['router: connection refused'])
  expect(await resultsOf(store, 'router')).toEqual([])
  await live.close()
})

test('a check with a wrong response is shown as failing', async () => {
  const { clock, store, unable, live } = await setUp([
    checkOf(
      'homepage',
      checkTypeOf(async () => failed),
    ),
  ])
  await clock.advance(10 * minute)
  expect(unable).toEqual([])
  expect((await resultsOf(store, 'homepage'))[0]).toMatchObject({ hasFailures: true, error: 'status 503, expected 200' })
  await live.close()
})

test('a check that is added during the demo runs like any other', async () => {
  const checks: Check[] = []
  const { clock, store, unable, live } = await setUp(checks)
  checks.push(
    checkOf(
      'mine',
      checkTypeOf(async () => unreachable),
    ),
  )
  live.reload()
  await clock.advance(minute)
  expect(unable).toEqual([])
  expect((await resultsOf(store, 'mine')).length).toBeGreaterThan(0)
  await live.close()
})

test('the first failed run has evidence like later ones', async () => {
  const check = checkOf(
    'homepage',
    checkTypeOf(async () => failed),
  )
  const { clock, store, live } = await setUp([check])
  await clock.advance(0)
  const [first] = await resultsOf(store, 'homepage')
  const found = await store.result({ check: refOf(check), id: first?.id ?? '', startedAt: null })
  expect(found?.evidence).not.toBeNull()
  await live.close()
})

// @slow
import { describe, expect, onTestFinished, test } from 'vitest'
import { openProcessStores } from '../../test/support/app-store.ts'
import { testCatalogue } from '../../test/support/catalogue.ts'
import { checkOf, checkTypeOf, passed, pingedType } from '../../test/support/checks.ts'
import { createInFlight } from '../../test/support/in-flight.ts'
import { resultsOf } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import { type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import { watchDeadlines } from './deadlines.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 14, 10)

async function setUp(checks: Check[] = [checkOf('job', pingedType)]) {
  const { track, idle } = createInFlight()
  const clock = virtualClock(start, idle)
  const { stores, close } = await openProcessStores({ clock: clock.now })
  onTestFinished(async () => {
    await idle()
    await close()
  })
  const [store] = stores as readonly [Store]
  const catalogue = testCatalogue({ checks })
  const state = { isAvailable: true, appended: 0, onFresh: () => {} }
  const append = (into: Store, filed: FiledResult) => track(into.append([filed]).then(() => void state.appended++))
  const seen: (string | null)[] = []

  /** A process sees what others have stored within a second, which is less than that of this clock. */
  function latestOf(own: Store): Store['latest'] {
    let seenAppended = 0
    return async (refs, options) => {
      if (!state.isAvailable) throw new StoreUnavailable('the disk is full', 1)
      if (options?.fresh) state.onFresh()
      const fresh = options?.fresh || seenAppended < state.appended
      seenAppended = state.appended
      return track(own.latest(refs, { fresh }))
    }
  }
  const watchIn = (own: Store) =>
    watchDeadlines({
      catalogue,
      latest: latestOf(own),
      clock,
      put: (result) => void append(own, result),
      onResult: (_, { state }) => void (own === store && seen.push(state)),
    })
  /** Watches in every process. */
  const watch = () => {
    const watching = stores.map(watchIn)
    const each = (call: (deadlines: ReturnType<typeof watchIn>) => void) => () => watching.forEach(call)
    return { reload: each((deadlines) => deadlines.reload()), close: each((deadlines) => deadlines.close()) }
  }
  const ping = (at = clock.now()) =>
    append(store, { check: { account: 'acme', checkId: 'job' }, result: { id: `ping-${at}`, ...pingOutcome('RECEIVED', at) } })
  const misses = async () => (await resultsOf(store, 'job')).filter(({ state }) => state === 'FAILING')
  const missedAfter = async () => (await misses()).map(({ startedAt }) => (startedAt - start) / minute)
  return { clock, checks, state, watch, ping, misses, missedAfter, seen }
}

describe('a ping that does not arrive by its deadline', () => {
  test('is a failed result at the deadline', async () => {
    const { clock, watch, ping, misses } = await setUp()
    watch()
    await ping()
    await clock.advance(70 * minute)
    expect(await misses()).toEqual([])
    await clock.advance(2000)
    expect(await misses()).toMatchObject([
      { startedAt: start + 70 * minute, hasFailures: true, state: 'FAILING', error: 'no ping by the deadline' },
    ])
  })

  test('is one result for each period without a ping', async () => {
    const { clock, watch, ping, missedAfter } = await setUp()
    watch()
    await ping()
    await clock.advance(200 * minute)
    expect(await missedAfter()).toEqual([70, 130, 190])
  })

  test('is not reported while pings arrive', async () => {
    const { clock, watch, ping, misses } = await setUp()
    watch()
    for (let index = 0; index < 10; index++) {
      await ping()
      await clock.advance(65 * minute)
    }
    expect(await misses()).toEqual([])
  })

  test('is not reported before the first one', async () => {
    const { clock, watch, misses } = await setUp()
    watch()
    await clock.advance(1000 * minute)
    expect(await misses()).toEqual([])
  })
})

test('a deadline is postponed while the store is unavailable', async () => {
  const { clock, state, watch, ping, missedAfter } = await setUp()
  watch()
  await ping()
  await clock.advance(minute)
  state.isAvailable = false
  await clock.advance(80 * minute)
  state.isAvailable = true
  expect(await missedAfter()).toEqual([])
  await clock.advance(2000)
  expect(await missedAfter()).toEqual([70])
})

test.each([
  ['period', 15, 10, [25, 40, 55, 70, 85]],
  ['grace', 60, 25, [85]],
])('a new %s applies from the last ping on', async (_, period, grace, missed) => {
  const { clock, checks, watch, ping, missedAfter } = await setUp()
  const deadlines = watch()
  await ping()
  await clock.advance(5 * minute)
  const schedule = { periodMs: period * minute, graceMs: grace * minute, tokenHash: '' }
  checks.splice(0, 1, checkOf('job', { ...pingedType, pingSettings: () => schedule }))
  deadlines.reload()
  await clock.advance(82 * minute)
  expect(await missedAfter()).toEqual(missed)
})

test('checks that receive no pings have no deadlines', async () => {
  const { clock, watch, ping, misses } = await setUp([
    checkOf(
      'job',
      checkTypeOf(async () => passed),
    ),
  ])
  watch()
  await ping()
  await clock.advance(1000 * minute)
  expect(await misses()).toEqual([])
})

test('nothing is watched after closing, even while a read is pending', async () => {
  const { clock, watch, ping, misses } = await setUp()
  await ping()
  for (const elapsed of [0, 500]) {
    const deadlines = watch()
    if (elapsed > 0) await clock.advance(elapsed)
    deadlines.close()
    await clock.advance(1000 * minute)
    expect(await misses()).toEqual([])
    expect(clock.pending()).toBe(0)
    await ping()
  }
})

test('a ping counts as missed no longer once watching is closed, even while the newest results are read again', async () => {
  const { clock, state, watch, ping, misses } = await setUp()
  const deadlines = watch()
  await ping()
  state.onFresh = deadlines.close
  await clock.advance(80 * minute)
  expect([await misses(), clock.pending()]).toEqual([[], 0])
})

test('each new result of a check is emitted once', async () => {
  const { clock, watch, ping, seen } = await setUp()
  watch()
  await ping()
  await clock.advance(75 * minute)
  await ping()
  await clock.advance(minute)
  expect(seen).toEqual(['RECEIVED', 'FAILING', 'RECEIVED'])
})

describe('across a restart', () => {
  test('the deadline that passed during it is written once, and later ones of the downtime are not', async () => {
    const { clock, watch, ping, missedAfter } = await setUp()
    await ping()
    await clock.advance(500 * minute)
    watch().close()
    watch()
    await clock.advance(59 * minute)
    expect(await missedAfter()).toEqual([70])
    await clock.advance(60 * minute)
    expect(await missedAfter()).toEqual([70, 610])
  })

  test('two processes that watch write each missed ping once', async () => {
    const { clock, watch, ping, missedAfter } = await setUp()
    watch()
    watch()
    await ping()
    await clock.advance(140 * minute)
    expect(await missedAfter()).toEqual([70, 130])
  })
})

describe('a jump of the wall clock', () => {
  test.each([
    ['forward', 600 * minute],
    ['back', -600 * minute],
  ])('%s causes no missed ping', async (_, byMs) => {
    const { clock, watch, ping, misses } = await setUp()
    watch()
    await ping()
    await clock.advance(10 * minute)
    clock.jump(byMs)
    await clock.advance(50 * minute)
    expect(await misses()).toEqual([])
  })
})

describe('a jump of the wall clock while pings are missing', () => {
  test.each([
    ['forward', 3000 * minute],
    ['back', -3000 * minute],
  ])('%s repeats and skips no missed ping', async (_, byMs) => {
    const { clock, watch, ping, missedAfter } = await setUp()
    watch()
    await ping()
    await clock.advance(75 * minute)
    clock.jump(byMs)
    await clock.advance(120 * minute)
    const later = byMs / minute
    expect((await missedAfter()).toSorted((a, b) => a - b)).toEqual([70, 130 + later, 190 + later].toSorted((a, b) => a - b))
  })

  test('forward and back writes no missed ping in the future', async () => {
    const { clock, watch, ping, missedAfter } = await setUp()
    watch()
    await ping()
    clock.jump(3000 * minute)
    await ping()
    await clock.advance(10 * minute)
    clock.jump(-3000 * minute)
    await clock.advance(130 * minute)
    expect(await missedAfter()).toEqual([70, 130])
  })

  test('back before a restart does not postpone the deadline until the clock has caught up', async () => {
    const { clock, watch, ping, missedAfter } = await setUp()
    await ping(start + 3000 * minute)
    watch()
    await clock.advance(72 * minute)
    expect(await missedAfter()).toEqual([70])
  })
})

describe('a paused check', () => {
  test('has no missed pings, and has a whole period once it is activated again', async () => {
    const { clock, watch, ping, missedAfter, checks } = await setUp()
    const deadlines = watch()
    await ping()
    checks.splice(0, 1, checkOf('job', pingedType, { activated: false }))
    deadlines.reload()
    await clock.advance(1000 * minute)
    expect(await missedAfter()).toEqual([])
    checks.splice(0, 1, checkOf('job', pingedType))
    deadlines.reload()
    await clock.advance(69 * minute)
    expect(await missedAfter()).toEqual([])
    await clock.advance(2 * minute)
    expect(await missedAfter()).toEqual([1070])
  })
})

// @slow
import { describe, expect, test } from 'vitest'
import { service, testCatalogue } from '../../test/support/catalogue.ts'
import { checkOf, checkTypeOf, failed, passed, pingedType, type Taken, testProbe } from '../../test/support/checks.ts'
import { recordingLog } from '../../test/support/log.ts'
import { testResult } from '../../test/support/results.ts'
import { resultsOf, temporaryStore } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import type { RunContext } from '../checks/probe/run.ts'
import { createRunnerStats } from '../stats/server-stats.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { pause } from './clock.ts'
import { type RunnerOptions, startRunner } from './runner.ts'
import { scheduleOf, slotAfter } from './schedule.ts'

const start = Date.UTC(2026, 10, 14, 10)
const second = 1000
const minute = 60 * second

async function setUp(tookMs = 0, more: Partial<RunnerOptions> = {}) {
  const clock = virtualClock(start)
  const { store } = await temporaryStore(clock.now)
  const log = recordingLog()
  const checks: Check[] = []
  const going = { now: 0, most: 0, begun: 0, abortedBy: [] as string[] }
  const run = async ({ signal }: RunContext): Promise<Taken> => {
    going.now += 1
    going.begun += 1
    going.most = Math.max(going.most, going.now)
    await pause(clock, tookMs, signal)
    going.now -= 1
    if (signal.aborted) going.abortedBy.push(signal.reason.name)
    return passed
  }
  const startNow = (again: Partial<RunnerOptions> = {}) =>
    startRunner({
      catalogue: testCatalogue({ checks }),
      store,
      clock,
      log,
      probe: testProbe,
      chromium: null,
      env: {},
      locations: null,
      ...more,
      ...again,
    })
  const startsOf = async (id: string) => (await resultsOf(store, id)).map(({ startedAt }) => startedAt)
  return { clock, store, log, checks, going, light: checkTypeOf(run), heavy: checkTypeOf(run, true), startNow, startsOf }
}

function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0))
}

test('a result that may not be stored is logged once and dropped, until results are accepted again', async () => {
  const { checks, light, startNow, clock, store, log } = await setUp()
  checks.push(checkOf('homepage', light, { everyMs: minute, locations: ['eu', 'us'], runParallel: true }))
  let isFull = true
  const runner = startNow({ rejectionOf: ({ result }) => (isFull && result.runLocation === 'us' ? 'one location too many' : null) })
  await clock.advance(3 * minute)
  isFull = false
  await clock.advance(2 * minute)
  await runner.close()
  const rejected = log.entries.filter(({ message }) => message === 'A result was not stored.')
  expect(rejected.map(({ level, fields }) => ({ level, ...fields }))).toMatchObject([
    { level: 'warn', checkId: 'homepage', location: 'us', reason: 'one location too many' },
  ])
  const locations = (await resultsOf(store, 'homepage')).map(({ runLocation }) => runLocation)
  expect(locations.slice(0, 3)).toEqual(['eu', 'eu', 'eu'])
  expect(locations.at(-1)).toBe('us')
})

describe('a check with another frequency while failing', () => {
  async function failing(more: Partial<Check> = {}) {
    const world = await setUp()
    const state = { fails: false }
    const type = checkTypeOf(async () => (state.fails ? failed : passed))
    world.checks.push(checkOf('shop', type, { everyMs: 10 * minute, failingEveryMs: minute, ...more }))
    return { ...world, state }
  }

  test('runs more often while it fails, and as before once it passes', async () => {
    const { state, startNow, clock, startsOf } = await failing()
    const runner = startNow()
    await clock.advance(30 * minute)
    const passing = (await startsOf('shop')).length
    expect(passing).toBeLessThanOrEqual(5)
    state.fails = true
    await clock.advance(30 * minute)
    const all = await startsOf('shop')
    expect(all.length - passing).toBeGreaterThanOrEqual(20)
    expect(gaps(all.slice(-5)).every((gap) => Math.abs(gap - minute) < second)).toBe(true)
    state.fails = false
    await clock.advance(60 * minute)
    const recovered = (await startsOf('shop')).slice(all.length)
    expect(recovered.length).toBeLessThanOrEqual(8)
    expect(recovered.length).toBeGreaterThanOrEqual(6)
    await runner.close()
  })

  test('keeps doing so across a restart, and stops without the setting', async () => {
    const { state, startNow, clock, startsOf, checks } = await failing()
    state.fails = true
    await startNow().close()
    let runner = startNow()
    await clock.advance(15 * minute)
    await runner.close()
    const before = (await startsOf('shop')).length
    runner = startNow()
    await clock.advance(5 * minute)
    expect((await startsOf('shop')).length - before).toBeGreaterThanOrEqual(4)
    const [check] = checks
    if (check) checks[0] = { ...check, failingEveryMs: null }
    runner.reload()
    const slow = (await startsOf('shop')).length
    await clock.advance(20 * minute)
    expect((await startsOf('shop')).length - slow).toBeLessThanOrEqual(3)
    await runner.close()
  })

  test('runs more often at all locations while it fails at one', async () => {
    const { state, startNow, clock, store } = await failing({ locations: ['eu', 'us'] })
    state.fails = true
    const runner = startNow()
    await clock.advance(30 * minute)
    const locations = (await resultsOf(store, 'shop')).map(({ runLocation }) => runLocation)
    expect(locations.filter((one) => one === 'eu').length).toBeGreaterThan(8)
    expect(locations.filter((one) => one === 'us').length).toBeGreaterThan(8)
    await runner.close()
  })
})

describe('the schedule', () => {
  test('runs each check once per period, at its own offset', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    for (let index = 0; index < 20; index++) checks.push(checkOf(`check-${index}`, light, { everyMs: 10 * second * (1 + (index % 3)) }))
    startNow()
    await clock.advance(5 * minute)
    for (const check of checks) {
      const { everyMs, offsetMs } = scheduleOf(check)
      const starts = await startsOf(check.id)
      const inRhythm = starts.filter((time) => time % everyMs === offsetMs)
      expect(inRhythm).toHaveLength((5 * minute) / everyMs)
      expect(starts.length - inRhythm.length).toBeLessThanOrEqual(1)
    }
  })

  test('is the same after a restart', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('homepage', light))
    const runner = startNow()
    await clock.advance(33 * second)
    await runner.close()
    await clock.advance(34_567)
    startNow()
    await clock.advance(33 * second)
    expect(new Set((await startsOf('homepage')).map((time) => time % (10 * second))).size).toBe(1)
  })

  test('waits for the slot of a check if the store cannot tell whether it has results', async () => {
    const { checks, light, startNow, clock, store, startsOf } = await setUp()
    const check = checkOf('hourly', light, { everyMs: 60 * minute })
    checks.push(check)
    startNow({ store: { append: store.append, latest: () => Promise.reject(new StoreUnavailable('the disk is full', 1)) } })
    const { at } = slotAfter(scheduleOf(check), start)
    await clock.advance(60 * minute)
    expect(await startsOf('hourly')).toEqual([at])
  })

  test('runs a check without results before its first slot', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('yearly', light, { everyMs: 86_400 * second }))
    startNow()
    await clock.advance(10 * second)
    expect(await startsOf('yearly')).toHaveLength(1)
    await clock.advance(86_400 * second)
    expect(await startsOf('yearly')).toHaveLength(2)
  })

  test.each([
    ['forward', 86_400 * second],
    ['back', -86_400 * second],
  ])('continues when the wall clock jumps %s, without a burst or a pause', async (_, byMs) => {
    const { checks, light, startNow, clock, going } = await setUp()
    for (let index = 0; index < 10; index++) checks.push(checkOf(`check-${index}`, light))
    startNow()
    await clock.advance(30 * second)
    expect(going.begun).toBe(30)
    clock.jump(byMs)
    await clock.advance(30 * second)
    expect(going.begun).toBe(60)
  })

  test('repeats no slot of an earlier process after a slow clock is corrected', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('homepage', light), checkOf('turns', light, { locations: ['eu', 'us'] }))
    const before = startNow()
    await clock.advance(30 * minute)
    await before.close()
    clock.jump(-20 * minute)
    startNow()
    await clock.advance(30 * second)
    clock.jump(20 * minute)
    const setAt = clock.now()
    await clock.advance(10 * minute)
    for (const { id } of checks) expect((await startsOf(id)).filter((time) => time > setAt)).toHaveLength(60)
  })

  test('repeats no slot if the clock is set forward and back', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('homepage', light))
    startNow()
    await clock.advance(10 * minute)
    for (const byMs of [7 * minute, -3 * minute, 2 * minute, -6 * minute]) {
      clock.jump(byMs)
      await clock.advance(5 * minute)
    }
    expect(await startsOf('homepage')).toHaveLength(30 * 6)
  })

  test('repeats slots only if a clock that was far ahead is set back', async () => {
    const tenDays = 240 * 60 * minute
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('homepage', light))
    const before = startNow()
    await clock.advance(10 * minute)
    clock.jump(tenDays)
    await clock.advance(minute)
    clock.jump(-tenDays)
    await clock.advance(20 * minute)
    await before.close()
    clock.jump(tenDays - 21 * minute)
    const from = clock.now()
    startNow()
    await clock.advance(20 * minute)
    expect((await startsOf('homepage')).filter((time) => time > from).length).toBeGreaterThanOrEqual(110)
  })

  test('runs the last slot of a check that is taken over, even after a slow clock is corrected', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    const runner = startNow({ isNew: () => false, takeoverFrom: () => clock.now() - 5 * second })
    clock.jump(60 * minute)
    const check = checkOf('homepage', light, { everyMs: minute })
    const { at } = slotAfter(scheduleOf(check), clock.now())
    await clock.advance(at + 3 * second - clock.now())
    checks.push(check)
    runner.reload()
    await clock.advance(second)
    expect(await startsOf('homepage')).toHaveLength(1)
  })

  test('skips what was missed while the process was suspended, without catching up', async () => {
    const { checks, light, startNow, clock, going } = await setUp()
    for (let index = 0; index < 10; index++) checks.push(checkOf(`check-${index}`, light))
    startNow()
    await clock.advance(30 * second)
    clock.stall(5 * minute)
    await clock.advance(0)
    expect(going.begun).toBe(30)
    await clock.advance(10 * second)
    expect(going.begun).toBe(40)
  })
})

describe('a check that is still running', () => {
  test('is not started again at that location, which is logged once per run', async () => {
    const { checks, heavy, startNow, clock, going, startsOf, log } = await setUp(25 * second)
    checks.push(checkOf('slow', heavy))
    startNow()
    await clock.advance(100 * second)
    expect(going.most).toBe(1)
    expect(gaps(await startsOf('slow'))).toEqual([30 * second, 30 * second])
    expect(new Set(log.messages)).toEqual(new Set(['A run was skipped because the previous one is still in progress.']))
    expect(log.messages).toHaveLength((await startsOf('slow')).length)
  })
})

describe('concurrency limits', () => {
  test('bound the number of runs, with a separate limit for heavy ones', async () => {
    const { checks, light, heavy, startNow, clock, going } = await setUp(5 * second, { concurrency: { light: 3, slow: 0, heavy: 1 } })
    for (let index = 0; index < 30; index++) checks.push(checkOf(`check-${index}`, light))
    for (let index = 0; index < 10; index++) checks.push(checkOf(`heavy-${index}`, heavy))
    startNow()
    await clock.advance(minute)
    expect(going.most).toBe(4)
  })

  test('do not let checks wait for others that hang', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp(0, { concurrency: { light: 100, slow: 400, heavy: 1 } })
    const hanging = checkTypeOf(async ({ signal }) => {
      await pause(clock, 20 * second, signal)
      return passed
    })
    for (let index = 0; index < 150; index++) checks.push(checkOf(`hanging-${index}`, hanging))
    const healthy = Array.from({ length: 10 }, (_, index) => checkOf(`healthy-${index}`, light))
    checks.push(...healthy)
    startNow()
    await clock.advance(minute)
    for (const check of healthy) {
      const { everyMs, offsetMs } = scheduleOf(check)
      expect((await startsOf(check.id)).map((time) => time % everyMs)).toEqual(new Array(6).fill(offsetMs))
    }
  })
})

describe('locations', () => {
  const locations = ['eu-west-1', 'us-east-1', 'ap-south-1']
  const placesOf = (results: readonly { readonly runLocation: string }[]) => results.map(({ runLocation }) => runLocation)

  test('are all used in each slot with runParallel', async () => {
    const { checks, light, startNow, clock, store } = await setUp()
    checks.push(checkOf('wide', light, { locations, runParallel: true }))
    startNow()
    await clock.advance(20 * second)
    expect(placesOf(await resultsOf(store, 'wide')).toSorted()).toEqual([...locations, ...locations].toSorted())
  })

  test('are used round-robin without it', async () => {
    const { checks, light, startNow, clock, store } = await setUp()
    checks.push(checkOf('turns', light, { locations }))
    startNow()
    await clock.advance(minute)
    const ran = placesOf(await resultsOf(store, 'turns'))
    expect(ran).toHaveLength(6)
    for (const [index, location] of ran.entries()) expect(location).toBe(ran[index % 3])
    expect(new Set(ran)).toEqual(new Set(locations))
  })

  test('of agents are left to them, and only configured ones are run', async () => {
    const listed = { ...service, runnerLocations: ['eu', 'us'] }
    const { checks, light, startNow, clock, store } = await setUp()
    const locations = ['eu', 'us', 'ap']
    checks.push(checkOf('homepage', light, { locations, agentLocations: ['us'], runParallel: true }))
    startNow({ catalogue: testCatalogue({ checks, service: () => listed }) })
    await clock.advance(minute)
    const results = await resultsOf(store, 'homepage')
    expect(new Set(results.map(({ runLocation }) => runLocation))).toEqual(new Set(['eu']))
  })

  test('have one id per slot, so that two processes store it once', async () => {
    const { checks, light, startNow, clock, store, going } = await setUp()
    checks.push(checkOf('homepage', light))
    await store.append(checks.map((check) => testResult(check, start)))
    startNow()
    clock.jump(3)
    startNow()
    await clock.advance(minute)
    expect(going.begun).toBe(12)
    expect(await resultsOf(store, 'homepage')).toHaveLength(1 + 6)
  })

  test('of other processes are left to them, and the round-robin is the same in every process', async () => {
    const { checks, light, startNow, clock, store } = await setUp(0, { locations: ['us-east-1'] })
    checks.push(checkOf('turns', light, { locations }), checkOf('wide', light, { locations, runParallel: true }))
    startNow()
    await clock.advance(minute)
    expect(placesOf(await resultsOf(store, 'turns'))).toEqual(['us-east-1', 'us-east-1'])
    expect(placesOf(await resultsOf(store, 'wide'))).toEqual(new Array(6).fill('us-east-1'))
  })
})

describe('a check', () => {
  test('that is paused does not run, and one that is muted does', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('off', light, { activated: false }), checkOf('muted', light, { muted: true }))
    startNow()
    await clock.advance(20 * second)
    expect(await startsOf('off')).toEqual([])
    expect(await startsOf('muted')).toHaveLength(2)
  })
})

test('a check type that returns no measurement is logged as a bug, and its check runs again in its next slot', async () => {
  const { checks, startNow, clock, startsOf, log } = await setUp()
  const nonsense = checkTypeOf(async () => ({}) as Taken)
  checks.push(checkOf('nonsense', nonsense))
  startNow()
  await clock.advance(20 * second)
  expect(await startsOf('nonsense')).toEqual([])
  expect(log.messages).toEqual(new Array(2).fill('A check could not be run: this is a bug in Tidemark.'))
})

test('a missing requirement of a check type is logged once, at the start', async () => {
  const { checks, light, startNow, clock, log } = await setUp()
  const lacking = { ...light, selfTest: async () => 'ping is not installed: apt install iputils-ping' }
  checks.push(checkOf('one', lacking), checkOf('other', lacking), checkOf('fine', light))
  const runner = startNow()
  runner.reload()
  await clock.advance(0)
  expect(log.messages).toEqual(['ping is not installed: apt install iputils-ping'])
})

test('a failed self-test is logged, and checks of the type run nevertheless', async () => {
  const { checks, light, startNow, clock, log, startsOf } = await setUp()
  checks.push(checkOf('one', { ...light, selfTest: () => Promise.reject(new TypeError('no such file')) }))
  startNow()
  await clock.advance(10 * second)
  expect(log.messages).toEqual(['The self-test of a check type failed.'])
  expect(await startsOf('one')).toHaveLength(1)
})

describe('the log', () => {
  test('has a line when a check begins to fail and when it recovers, and for each run at level debug', async () => {
    const { checks, startNow, clock, log } = await setUp()
    let outcome: Taken = passed
    checks.push(
      checkOf(
        'homepage',
        checkTypeOf(async () => outcome),
      ),
    )
    startNow()
    for (const taken of [passed, failed, failed, passed]) {
      outcome = taken
      await clock.advance(10 * second)
    }
    const where = { account: 'acme', checkId: 'homepage', name: 'homepage', location: 'default' }
    expect(log.entries.filter(({ level }) => level !== 'debug')).toEqual([
      { level: 'warn', fields: { ...where, error: failed.failure }, message: 'A check is failing.' },
      { level: 'info', fields: where, message: 'A check has recovered.' },
    ])
    const reported = log.entries.filter(({ level, message }) => level === 'debug' && message === 'A result was recorded.')
    expect(reported.map(({ fields }) => 'outcome' in fields && fields.outcome)).toEqual(['passing', 'failing', 'failing', 'passing'])
  })

  test('counts runs by how late they begin', async () => {
    const stats = createRunnerStats()
    const { checks, light, startNow, clock, going } = await setUp(0, { stats })
    const check = checkOf('late', light)
    checks.push(check)
    startNow()
    await clock.advance(30 * second)
    clock.stall(slotAfter(scheduleOf(check), clock.now()).at - clock.now() + 3 * second)
    await clock.advance(0)
    const { buckets, sum } = stats.delay.read()
    expect([sum, buckets.reduce((total, count) => total + count)]).toEqual([3, going.begun])
  })

  test('counts the slots that were missed, by reason, and no delay of the others', async () => {
    const stats = createRunnerStats()
    const { checks, heavy, light, startNow, clock } = await setUp(25 * second, { stats })
    checks.push(checkOf('slow', heavy), checkOf('light', light))
    startNow()
    await clock.advance(35 * second)
    expect(stats.missedOverlap.read()).toBeGreaterThan(0)
    expect([stats.missedLate.read(), stats.inProgress.read()]).toEqual([0, 2])
    clock.stall(5 * minute)
    await clock.advance(0)
    expect(stats.missedLate.read()).toBe(60)
    const { buckets, sum } = stats.delay.read()
    expect([buckets[0], sum]).toEqual([buckets.reduce((total, count) => total + count), 0])
  })

  test('has one line for the slots that were missed while the process was suspended', async () => {
    const { checks, light, startNow, clock, log } = await setUp()
    for (let index = 0; index < 10; index++) checks.push(checkOf(`check-${index}`, light))
    startNow()
    await clock.advance(30 * second)
    clock.stall(5 * minute)
    await clock.advance(20 * second)
    expect(log.entries.filter(({ level }) => level !== 'debug')).toEqual([
      {
        level: 'warn',
        fields: { slots: 300, checks: 10 },
        message: 'Runs were missed: the process was stopped, or the machine was suspended or overloaded.',
      },
    ])
  })

  test('has one line when the wall clock has jumped', async () => {
    const { checks, light, startNow, clock, log } = await setUp()
    checks.push(checkOf('homepage', light))
    startNow()
    clock.jump(-5 * minute)
    await clock.advance(minute)
    expect(log.messages).toEqual(['The system clock jumped: it was set, or the machine was suspended.'])
  })
})

describe('a changed catalogue', () => {
  test('is reported with the checks that are run', async () => {
    const reported: (readonly string[])[] = []
    const { checks, light, startNow } = await setUp(0, { onChecks: (now) => reported.push(now.map(({ id }) => id)) })
    checks.push(checkOf('homepage', light), checkOf('paused', light, { activated: false }))
    const runner = startNow()
    checks.push(checkOf('added', light))
    runner.reload()
    expect(reported).toEqual([['homepage'], ['homepage', 'added']])
  })

  test('keeps the schedule of existing checks, and applies their new settings', async () => {
    const { checks, light, startNow, clock, startsOf, store } = await setUp()
    checks.push(checkOf('kept', light))
    const runner = startNow()
    for (let index = 0; index < 12; index++) {
      await clock.advance(5 * second)
      runner.reload()
    }
    expect(await startsOf('kept')).toHaveLength(6)
    checks.splice(0, 1, checkOf('kept', light, { degradedResponseTimeMs: 1 }))
    runner.reload()
    await clock.advance(10 * second)
    expect(gaps(await startsOf('kept'))).toEqual(new Array(6).fill(10 * second))
    expect((await resultsOf(store, 'kept')).at(-1)?.isDegraded).toBe(true)
  })

  test('starts new checks, stops removed ones, and reschedules a changed period', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('gone', light), checkOf('slower', light))
    const runner = startNow()
    await clock.advance(20 * second)
    checks.splice(0, 2, checkOf('new', light), checkOf('slower', light, { everyMs: minute }))
    runner.reload()
    await clock.advance(2 * minute)
    expect(await startsOf('gone')).toHaveLength(2)
    expect(await startsOf('slower')).toHaveLength(4)
    expect(await startsOf('new')).toHaveLength(12)
  })

  test('does not start a check that is removed before its first slot', async () => {
    const { checks, light, startNow, clock, startsOf } = await setUp()
    checks.push(checkOf('gone', light))
    const runner = startNow()
    checks.length = 0
    runner.reload()
    await clock.advance(minute)
    expect(await startsOf('gone')).toEqual([])
    expect(clock.pending()).toBe(1)
  })

  test('watches the deadlines of added checks', async () => {
    const { checks, startNow, clock, store } = await setUp()
    const runner = startNow()
    checks.push(checkOf('job', pingedType))
    runner.reload()
    const result = { id: 'ping', ...pingOutcome('RECEIVED', clock.now()) }
    await store.append([{ check: { account: 'acme', checkId: 'job' }, result }])
    await clock.advance(71 * minute)
    expect((await resultsOf(store, 'job')).map(({ state }) => state)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('reads the newest ping again before it counts as missed, in case another process has just stored it', async () => {
    const { checks, startNow, clock, store } = await setUp()
    checks.push(checkOf('job', pingedType))
    const check = { account: 'acme', checkId: 'job' }
    await store.append([{ check, result: { id: 'first', ...pingOutcome('RECEIVED', clock.now()) } }])
    const known = await store.latest([check])
    const latest: Store['latest'] = async (refs, options) => (options?.fresh ? store.latest(refs, options) : known)
    startNow({ store: { append: store.append, latest } })
    await clock.advance(69 * minute)
    await store.append([{ check, result: { id: 'second', ...pingOutcome('GRACE', clock.now()) } }])
    await clock.advance(2 * minute)
    expect((await resultsOf(store, 'job')).map(({ state }) => state)).toEqual(['RECEIVED', 'GRACE'])
  })

  test('aborts the run of a removed check, without a result', async () => {
    const { checks, heavy, startNow, clock, startsOf, going, log } = await setUp(25 * second)
    checks.push(checkOf('gone', heavy))
    const runner = startNow()
    await clock.advance(10 * second)
    expect(going.now).toBe(1)
    checks.length = 0
    runner.reload()
    await clock.advance(minute)
    expect(await startsOf('gone')).toEqual([])
    expect(going).toMatchObject({ now: 0, abortedBy: ['AbortError'] })
    expect(log.messages).toEqual([])
  })
})

describe('shutdown', () => {
  test('lets runs finish within the grace period, stores them, and starts no others', async () => {
    const { checks, light, startNow, clock, startsOf, going } = await setUp(4 * second, { graceMs: 5 * second })
    for (let index = 0; index < 10; index++) checks.push(checkOf(`check-${index}`, light))
    const runner = startNow()
    await clock.advance(12 * second)
    const begun = going.begun
    const closed = runner.close()
    await clock.advance(minute)
    await closed
    const starts = await Promise.all(checks.map(({ id }) => startsOf(id)))
    expect(starts.flat()).toHaveLength(begun)
    expect(clock.pending()).toBe(0)
  })

  test('aborts longer runs, and does not store them', async () => {
    const { checks, light, startNow, clock, startsOf, going } = await setUp(8 * second, { graceMs: second })
    for (let index = 0; index < 5; index++) checks.push(checkOf(`check-${index}`, light))
    const runner = startNow()
    await clock.advance(10 * second)
    const stored = async () => (await Promise.all(checks.map(({ id }) => startsOf(id)))).flat().length
    const before = await stored()
    expect(going.now).toBeGreaterThan(0)
    const closed = runner.close()
    await clock.advance(2 * second)
    await closed
    expect(going.now).toBe(0)
    expect((await stored()) - before).toBeLessThan(5)
    expect(clock.pending()).toBe(0)
  })

  test('does not wait for queued runs', async () => {
    const { checks, light, startNow, clock, going } = await setUp(4 * second, { concurrency: { light: 1, slow: 0, heavy: 1 } })
    for (let index = 0; index < 10; index++) checks.push(checkOf(`check-${index}`, light))
    const runner = startNow()
    await clock.advance(10 * second)
    const begun = going.begun
    const closed = runner.close()
    await clock.advance(5 * second)
    await closed
    expect(going.begun).toBe(begun)
  })

  test('gives runs eight seconds and the store four by default', async () => {
    const { checks, heavy, startNow, clock, going, store, log } = await setUp(minute)
    checks.push(checkOf('slow', heavy))
    const append = () => Promise.reject(new StoreUnavailable('the disk is full', 1))
    checks.push(
      checkOf(
        'quick',
        checkTypeOf(async () => passed),
      ),
    )
    const runner = startNow({ store: { latest: store.latest, append } })
    await clock.advance(10 * second)
    expect(going.now).toBe(1)
    let closed = false
    void runner.close().then(() => {
      closed = true
    })
    await clock.advance(7999)
    expect(going.now).toBe(1)
    await clock.advance(1)
    expect(going.now).toBe(0)
    await clock.advance(3999)
    expect(closed).toBe(false)
    await clock.advance(1)
    expect(closed).toBe(true)
    expect(clock.pending()).toBe(0)
    expect(log.messages.at(-1)).toBe('Results were lost: the store was unavailable until shutdown, and saving them failed.')
  })
})

import { describe, expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start, type WorldOptions } from '../../../test/support/alert-world.ts'
import { explainAlerts } from './explain.ts'

const minute = 60_000
const silent = alertRule({ when: { kind: 'silent' } })
const shop = alertCheck('shop', { createdAt: start, agentLocations: ['eu'] })
const world = (options: Partial<WorldOptions> = {}) => new AlertWorld({ checks: [shop], rules: [silent], ...options }, start)

/** Advances the clock by minutes, with a result and a report of each of these agents every minute. */
function pass(w: AlertWorld, minutes: number, agents: readonly string[] = []): void {
  for (let i = 0; i < minutes; i++) {
    w.advance(minute)
    w.result('shop', 'up')
    for (const agent of agents) w.hearAgent('eu', agent)
  }
}

test('a location without results is reported, and so is its return', () => {
  const w = world()
  w.result('shop', 'up')
  w.advance(5 * minute)
  w.result('shop', 'down')
  expect(w.lines).toEqual([
    '120 chat open eu is silent: no results from it',
    '300 chat close eu is no longer silent: it was silent for 5 minutes',
  ])
})

test.each([
  [true, 2],
  [false, 6],
])('a minutely check at three locations (runParallel: %s) shows that they are silent after %d minutes', (runParallel, minutes) => {
  const w = world({ checks: [{ ...shop, locations: ['eu', 'us', 'ap'], runParallel }] })
  w.advance(minutes * minute - 1)
  expect(w.lines).toEqual([])
  w.advance(1)
  expect(w.lines).toHaveLength(3)
})

test('after a start, a location or an agent counts as silent only after two periods without results', () => {
  const w = world()
  w.result('shop', 'up')
  w.hearAgent('eu', 'p')
  w.stop()
  w.advance(60 * minute)
  w.restart()
  w.advance(2 * minute - 1)
  expect(w.lines).toEqual([])
  w.advance(1)
  expect(w.lines).toEqual(['3720 chat open eu is silent: no results from it'])
})

test('a start does not close a silence that was reported', () => {
  const w = world()
  w.advance(2 * minute)
  w.restart()
  w.advance(10 * minute)
  expect(w.lines).toEqual(['120 chat open eu is silent: no results from it'])
})

test('after a start, the silence of a location with daily checks is reported within ten minutes', () => {
  const w = world({ checks: [{ ...shop, everyMs: 24 * 60 * minute }] })
  w.stop()
  w.advance(3 * 24 * 60 * minute)
  w.restart()
  w.advance(10 * minute)
  expect(w.lines).toHaveLength(1)
})

describe('after a change of the config file, a location counts as silent only after two periods without results', () => {
  const running = (checks = [shop]) => {
    const w = world({ checks })
    pass(w, 60)
    return w
  }
  const opened = ['3720 chat open us is silent: no results from it']
  test('if a check runs at an additional location', () => {
    const w = running()
    w.reconfigure([{ ...shop, locations: ['eu', 'us'] }], [silent])
    pass(w, 1)
    expect(w.lines).toEqual([])
    pass(w, 5)
    expect(w.lines).toEqual(opened)
  })
  test('if a check is no longer paused', () => {
    const other = alertCheck('other', { locations: ['us'], createdAt: start - 60 * minute, activated: false })
    const w = running([shop, other])
    w.reconfigure([shop, { ...other, activated: true }], [silent])
    pass(w, 1)
    expect(w.lines).toEqual([])
    pass(w, 5)
    expect(w.lines).toEqual(opened)
  })
  test('if a removed check is added again', () => {
    const other = alertCheck('other', { locations: ['us'], createdAt: start - 60 * minute, updatedAt: start - 60 * minute })
    const w = new AlertWorld({ checks: [shop], rules: [silent] }, start)
    pass(w, 60)
    w.reconfigure([shop, other], [silent])
    pass(w, 1)
    expect(w.lines).toEqual([])
    pass(w, 5)
    expect(w.lines).toEqual(opened)
  })
  test('if a check runs more often', () => {
    const other = alertCheck('other', { locations: ['us'], createdAt: start, everyMs: 300 * minute })
    const w = running([shop, other])
    w.reconfigure([shop, { ...other, everyMs: minute }], [silent])
    pass(w, 1)
    expect(w.lines).toEqual([])
    pass(w, 5)
    expect(w.lines).toEqual(opened)
  })
  test('if no rule covered its check before', () => {
    const other = alertCheck('other', { locations: ['us'], createdAt: start, tags: ['other'], everyMs: 20 * minute })
    const w = world({ checks: [shop, other], rules: [{ ...silent, checks: ['shop'] }] })
    pass(w, 60)
    w.reconfigure([shop, other], [silent])
    expect(w.lines).toEqual([])
    pass(w, 60)
    expect(w.lines).toEqual(['6000 chat open us is silent: no results from it'])
  })
  test('but a reported silence lasts until there is a result', () => {
    const w = world()
    w.advance(5 * minute)
    w.reconfigure([{ ...shop, everyMs: minute / 2 }], [silent])
    w.advance(5 * minute)
    w.reconfigure([{ ...shop, everyMs: minute / 2 }, alertCheck('new', { createdAt: w.now })], [silent])
    w.advance(5 * minute)
    expect(w.lines).toEqual(['120 chat open eu is silent: no results from it'])
    w.result('shop', 'up')
    expect(w.lines).toHaveLength(2)
  })
  test('even if checks are added repeatedly', () => {
    const w = world()
    w.result('shop', 'up')
    for (let i = 1; i <= 4; i++) {
      w.advance(minute / 2)
      const added = Array.from({ length: i }, (_, each) => alertCheck(`new-${each}`, { createdAt: start + (each + 1) * (minute / 2) }))
      w.reconfigure([shop, ...added], [silent])
    }
    expect(w.lines).toEqual(['120 chat open eu is silent: no results from it'])
  })
})

describe('an agent of several', () => {
  test('that reports nothing for two periods is reported, and so is its return', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    pass(w, 4, ['q'])
    w.hearAgent('eu', 'p')
    pass(w, 1, ['p', 'q'])
    expect(w.lines).toEqual([
      '180 chat open Agent p of eu is silent: no results from it',
      '300 chat close Agent p of eu is no longer silent: it was silent for 4 minutes',
    ])
    expect(w.received[0]?.delivery.message.subjects).toMatchObject([
      { check: null, since: start + minute, reason: 'Other agents of eu run its checks.' },
    ])
  })
  test('is reported after a minute at the earliest, even if its checks run more often', () => {
    const w = world({ checks: [{ ...shop, everyMs: 10_000 }] })
    w.hearAgent('eu', 'p')
    for (let i = 0; i < 7; i++) {
      w.advance(10_000)
      w.result('shop', 'up')
    }
    expect(w.lines).toEqual(['60 chat open Agent p of eu is silent: no results from it'])
  })
  test('that announced its stop is not silent, whatever other processes report later', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    w.hearAgent('eu', 'p', { isStopped: true })
    w.hearAgent('eu', 'p')
    pass(w, 5, ['q'])
    w.restart()
    pass(w, 5, ['q'])
    expect(w.lines).toEqual([])
  })
  test('that stops while it counts as silent is no longer monitored', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    pass(w, 3, ['q'])
    w.hearAgent('eu', 'p', { isStopped: true, session: '2' })
    expect(w.lines).toEqual([
      '180 chat open Agent p of eu is silent: no results from it',
      '240 chat close Agent p of eu was silent, and is no longer monitored',
    ])
  })
  test('is not reported while its location is silent, but once other agents send results again', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    w.advance(5 * minute)
    expect(w.lines).toEqual(['180 chat open eu is silent: no results from it'])
    w.hearAgent('eu', 'q')
    pass(w, 1, ['q'])
    expect(w.lines.slice(1).sort()).toEqual([
      '420 chat close eu is no longer silent: it was silent for 6 minutes',
      '420 chat open Agent p of eu is silent: no results from it',
    ])
  })
  test('is remembered across a restart, and reported once a report is overdue', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    w.restart()
    pass(w, 2, ['q'])
    expect(w.lines).toEqual(['180 chat open Agent p of eu is silent: no results from it'])
    w.restart()
    pass(w, 5, ['q'])
    expect(w.lines).toHaveLength(1)
  })
  test('that does not return is removed after seven days, which is reported', () => {
    const w = world({ checks: [{ ...shop, everyMs: 60 * minute }] })
    pass(w, 1, ['p', 'q'])
    for (let hour = 0; hour < 7 * 24 + 1; hour++) {
      w.advance(60 * minute)
      w.result('shop', 'up')
      w.hearAgent('eu', 'q')
    }
    expect(w.lines.map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'chat open Agent p of eu is silent: no results from it',
      'chat close Agent p of eu was silent, and is no longer monitored',
    ])
  })
  test('is not expected at a location that agents no longer run', () => {
    const w = world()
    pass(w, 1, ['p', 'q'])
    pass(w, 3, ['q'])
    w.reconfigure([{ ...shop, agentLocations: [] }], [silent])
    expect(w.lines.at(-1)).toBe('240 chat close Agent p of eu was silent, and is no longer monitored')
  })
  test('shares a message with others if the rule groups by location', () => {
    const w = world({ rules: [{ ...silent, group: { by: 'location', waitMs: 30_000 } }] })
    pass(w, 1, ['p', 'q', 'r'])
    pass(w, 3, ['r'])
    expect(w.lines).toEqual(['210 chat open 2 in eu are silent since 10:03 UTC'])
  })
  test('is named in explanations of the checks of its location', () => {
    const other = alertCheck('other', { locations: ['us'], createdAt: start })
    const w = world({ checks: [shop, other] })
    pass(w, 1, ['p', 'q'])
    pass(w, 2, ['q'])
    const textsOf = (check = shop) =>
      explainAlerts(w.state, { ...w.input('all'), trouble: () => null }, check)[0]?.reasons.map(({ text }) => text) ?? []
    expect(textsOf()).toEqual([
      'eu: the condition does not hold.',
      'Agent q of eu: the condition does not hold.',
      'Agent p of eu: an alert has been open since 2026-11-16T10:05:00.000Z.',
      'chat was notified at 2026-11-16T10:05:00.000Z.',
    ])
    expect(textsOf(other)).not.toContainEqual(expect.stringContaining('Agent'))
  })
})

import { describe, expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start, type WorldOptions } from '../../../test/support/alert-world.ts'
import { utc } from '../../calendar/zone.ts'
import type { AlertStep } from '../../catalogue/policies/policies.ts'

const minute = 60_000
const world = (options: Partial<WorldOptions> = {}) => new AlertWorld({ checks: [alertCheck('shop')], ...options }, start)
const step = (more: Partial<AlertStep>): AlertStep => ({ afterMs: 0, to: ['chat'], during: null, outside: 'hold', ...more })

describe('a failing check', () => {
  test('is reported once, and so is its recovery', () => {
    const w = world()
    w.result('shop', 'up')
    w.advance(minute)
    w.result('shop', 'down')
    w.advance(minute)
    w.result('shop', 'down')
    w.advance(minute)
    w.result('shop', 'up')
    w.advance(minute)
    expect(w.lines).toEqual(['60 chat open shop is failing', '180 chat close shop is no longer failing: it was down for 2 minutes'])
    expect(w.received[0]?.delivery.message).toMatchObject({
      severity: 'critical',
      rule: 'rule',
      subjectCount: 1,
      subjects: [
        { name: 'shop', isNew: true, since: start + minute, until: null, reason: 'refused', locations: { down: ['eu'], known: 1 } },
      ],
    })
  })
  test('is reported after a number of runs, or after a time', () => {
    const w = world({
      rules: [alertRule({ after: { runs: 2 } }), alertRule({ id: 'slow', after: { timeMs: 90_000 }, steps: [step({ to: ['mail'] })] })],
    })
    w.result('shop', 'down')
    w.advance(minute)
    w.result('shop', 'down')
    w.advance(minute)
    expect(w.lines).toEqual(['60 chat open shop is failing', '90 mail open shop is failing'])
  })
  test('has recovered only after as many runs or as long as the rule requires', () => {
    const w = world({ rules: [alertRule({ recoverAfter: { runs: 2 } })] })
    w.result('shop', 'down')
    w.advance(minute)
    w.result('shop', 'up')
    expect(w.lines).toHaveLength(1)
    w.advance(minute)
    w.result('shop', 'up')
    expect(w.lines).toHaveLength(2)
  })
  test('keeps its state while it is unknown', () => {
    const w = world()
    w.result('shop', 'down')
    w.advance(10 * minute)
    expect(w.lines).toHaveLength(1)
    w.result('shop', 'up')
    expect(w.lines).toHaveLength(2)
  })
  test('is not reported for results of the past', () => {
    const w = world()
    w.result('shop', 'up')
    w.result('shop', 'down', { startedAt: start - 5 * minute })
    expect(w.lines).toEqual([])
  })
  test('lists the locations where it fails now, and after it recovered, where it failed last', () => {
    const w = world({
      checks: [alertCheck('shop', { locations: ['eu', 'us', 'ap'] })],
      rules: [alertRule({ remind: { everyMs: 5 * minute, times: 1 } })],
    })
    const at = (down: readonly string[]) =>
      w.results(['eu', 'us', 'ap'].map((runLocation) => ['shop', down.includes(runLocation) ? 'down' : 'up', { runLocation }] as const))
    const where = () => w.incidents()[0]?.members[0]?.locations
    at(['eu'])
    w.advance(minute)
    at(['us', 'ap'])
    expect(where()).toEqual({ down: ['ap', 'us'], known: 3 })
    for (let i = 0; i < 4; i++) {
      w.advance(minute)
      at(['ap'])
    }
    w.advance(minute)
    at([])
    expect(w.received.map(({ delivery: { message } }) => [message.event, message.subjects[0]?.locations])).toEqual([
      ['open', { down: ['eu'], known: 3 }],
      ['reminder', { down: ['ap'], known: 3 }],
      ['close', { down: ['ap'], known: 3 }],
    ])
  })

  test('lists the locations where it is degraded', () => {
    const w = world({ checks: [alertCheck('shop', { locations: ['eu', 'us'] })], rules: [alertRule({ when: { kind: 'degraded' } })] })
    w.results([
      ['shop', 'degraded', { runLocation: 'us' }],
      ['shop', 'up', { runLocation: 'eu' }],
    ])
    expect(w.received[0]?.delivery.message.subjects[0]?.locations).toEqual({ down: ['us'], known: 2 })
  })

  test('in a group of many, has changed locations updated at most once a minute', () => {
    const ids = Array.from({ length: 30 }, (_, i) => `c${i}`)
    const checks = ids.map((id) => alertCheck(id, { locations: [`${id}-1`, `${id}-2`] }))
    const w = world({ checks, rules: [alertRule({ group: { by: 'tag', waitMs: 0 } })] })
    const at = (place: number) =>
      w.results(ids.flatMap((id) => [1, 2].map((n) => [id, n === place ? 'down' : 'up', { runLocation: `${id}-${n}` }] as const)))
    const where = () =>
      new Set(
        w.incidents().flatMap(({ members }) => members.flatMap(({ locations }) => locations?.down.map((name) => name.slice(-1)) ?? [])),
      )
    at(1)
    w.advance(20_000)
    at(2)
    expect([...where()]).toEqual(['1'])
    w.advance(40_000)
    expect([...where()]).toEqual(['2'])
  })

  test('with a quorum, states how many locations fail', () => {
    const w = world({ checks: [alertCheck('shop', { locations: ['eu', 'us', 'ap'] })], rules: [alertRule({ quorum: 2 })] })
    w.results([
      ['shop', 'up', { runLocation: 'ap' }],
      ['shop', 'up', { runLocation: 'us' }],
      ['shop', 'down'],
    ])
    expect(w.lines).toEqual([])
    w.advance(1000)
    w.result('shop', 'down', { runLocation: 'us' })
    expect(w.received[0]?.delivery.message.subjects[0]?.locations).toEqual({ down: ['eu', 'us'], known: 3 })
  })
})

test('a degraded check is reported until it is up, even while it is down', () => {
  const w = world({ rules: [alertRule({ when: { kind: 'degraded' } })] })
  w.result('shop', 'degraded')
  w.advance(minute)
  w.result('shop', 'down')
  w.advance(minute)
  w.result('shop', 'up')
  expect(w.lines).toEqual(['0 chat open shop is degraded', '120 chat close shop is no longer degraded: it was degraded for 2 minutes'])
})

describe('steps', () => {
  const rules = [alertRule({ steps: [step({}), step({ afterMs: 10 * minute, to: ['boss'] })] })]
  test('notify further channels later, unless it has recovered', () => {
    const w = world({ rules })
    for (let i = 0; i < 15; i++) {
      w.result('shop', 'down')
      w.advance(minute)
    }
    w.result('shop', 'up')
    expect(w.lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      '0 chat open',
      '600 boss open',
      '900 chat close',
      '900 boss close',
    ])
  })
  test('stop after an acknowledgement', () => {
    const w = world({ rules })
    w.result('shop', 'down')
    w.acknowledge()
    w.advance(15 * minute)
    w.result('shop', 'up')
    expect(w.lines.map((line) => line.split(' ')[1])).toEqual(['chat', 'chat'])
  })
  const office = { name: 'office', days: ['tue'], fromMinutes: 480, toMinutes: 1020, zone: utc } as const
  test('outside of their hours are postponed', () => {
    const w = world({ rules: [alertRule({ steps: [step({ during: office })] })] })
    w.result('shop', 'down')
    w.advance(24 * 60 * minute)
    expect(w.lines).toEqual([`${(22 * 60 - 2) * 60} chat open shop is failing`])
  })
  test('outside of their hours are dropped if the rule says so', () => {
    const w = world({ rules: [alertRule({ steps: [step({ during: office, outside: 'drop' })] })] })
    w.result('shop', 'down')
    w.advance(24 * 60 * minute)
    expect(w.lines).toEqual([])
    expect(w.notified('chat')).toMatchObject([{ dropped: true }])
  })
})

describe('while notifications are held back', () => {
  test('a failure is reported once they are no longer held back, if it still lasts', () => {
    const w = world({ policies: { maintenance: [{ name: 'move', checks: [], tags: [], from: start, to: start + 5 * minute }] } })
    w.result('shop', 'down')
    w.advance(10 * minute)
    expect(w.lines).toEqual(['300 chat open shop is failing'])
  })
  test('a failure that begins and ends is not reported', () => {
    const w = world({ policies: { maintenance: [{ name: 'move', checks: [], tags: [], from: start, to: start + 5 * minute }] } })
    w.result('shop', 'down')
    w.advance(minute)
    w.result('shop', 'up')
    w.advance(10 * minute)
    expect(w.lines).toEqual([])
  })
  test('by a silence, recoveries are not sent either, and nothing unchanged is reported again', () => {
    const w = world()
    w.result('shop', 'down')
    w.silences = [{ id: 's', account: 'acme', checks: ['shop'], tags: [], from: w.now, to: w.now + 5 * minute, by: 'ann', comment: '' }]
    w.decide('all')
    w.advance(minute)
    w.result('shop', 'up')
    w.advance(minute)
    w.result('shop', 'down')
    w.advance(10 * minute)
    expect(w.lines.map((line) => line.split(' ')[2])).toEqual(['open', 'close', 'open'])
  })
  test('a muted check is not reported', () => {
    const w = world({ checks: [alertCheck('shop', { muted: true })] })
    w.result('shop', 'down')
    w.advance(minute)
    expect(w.lines).toEqual([])
  })
})

describe('after a change of the config file', () => {
  test('a check that is paused or removed is reported as no longer monitored', () => {
    const w = world()
    w.result('shop', 'down')
    w.reconfigure([alertCheck('shop', { activated: false })], [alertRule()])
    expect(w.lines[1]).toBe('0 chat close shop was down, and is paused now')
  })
  test('so is one whose rule was removed, to channels that still exist', () => {
    const w = world()
    w.result('shop', 'down')
    w.reconfigure([alertCheck('shop')], [alertRule({ id: 'other', checks: ['nothing'] })])
    expect(w.lines[1]).toBe('0 chat close shop was down, and is no longer monitored')
  })
  test('a channel that is added during an outage is notified of it', () => {
    const w = world()
    w.result('shop', 'down')
    w.advance(minute)
    w.reconfigure([alertCheck('shop')], [alertRule({ steps: [step({ to: ['chat', 'mail'] })] })])
    expect(w.lines).toEqual(['0 chat open shop is failing', '60 mail open shop is failing'])
  })
})

test('a channel that returns to the config file within a week is notified of what ended in the meantime', () => {
  const lines = (days: number) => {
    const [checks, without] = [[alertCheck('shop')], [alertRule({ steps: [step({ to: ['mail'] })] })]]
    const w = world({ checks, rules: [alertRule({ steps: [step({ to: ['chat', 'mail'] })] })] })
    w.result('shop', 'down')
    w.reconfigure(checks, without)
    w.advance(minute)
    w.result('shop', 'up')
    w.advance(days * 24 * 60 * minute)
    w.reconfigure(checks, [alertRule({ steps: [step({ to: ['chat', 'mail'] })] })])
    return w.lines.filter((line) => line.includes(' chat ')).map((line) => line.split(' ')[2])
  }
  expect(lines(6)).toEqual(['open', 'close'])
  expect(lines(8)).toEqual(['open'])
})

test('a restart repeats no message', () => {
  const w = world()
  w.result('shop', 'down')
  w.restart()
  w.advance(minute)
  w.restart()
  expect(w.lines).toHaveLength(1)
})

describe('groups', () => {
  const checks = Array.from({ length: 4 }, (_, i) => alertCheck(`c${i}`, { tags: ['shop'] }))
  const rules = [alertRule({ group: { by: 'tag', waitMs: 30_000 } })]
  test('send changes within the wait as one message, which names the new ones', () => {
    const w = world({ checks, rules })
    w.result('c0', 'down')
    w.advance(10_000)
    w.result('c1', 'down')
    w.advance(20_000)
    expect(w.lines).toEqual(['30 chat open 2 of 4 in shop fail since 10:02 UTC'])
    w.result('c2', 'down')
    w.advance(30_000)
    const { message } = w.received[1]?.delivery ?? {}
    expect(message).toMatchObject({ event: 'update', subjectCount: 1, subjects: [{ name: 'c2', isNew: true }] })
    for (const id of ['c0', 'c1', 'c2']) w.result(id, 'up')
    w.advance(minute)
    expect(w.lines[2]).toMatch(/^90 chat close c0 and 2 more have recovered/)
    expect(w.incidents()).toHaveLength(1)
  })
  test('do not report what opened and closed within the wait', () => {
    const w = world({ checks, rules })
    w.result('c0', 'down')
    w.advance(10_000)
    w.result('c0', 'up')
    w.advance(minute)
    expect(w.lines).toEqual([])
  })
})

describe('reminders', () => {
  test('are sent as often as the rule says, until the incident is acknowledged', () => {
    const w = world({ rules: [alertRule({ remind: { everyMs: 10 * minute, times: 2 } })] })
    w.result('shop', 'down')
    w.advance(60 * minute)
    expect(w.lines.slice(1)).toEqual([
      '600 chat reminder shop is still failing, for 10 minutes',
      '1200 chat reminder shop is still failing, for 20 minutes',
    ])
    const acknowledged = world({ rules: [alertRule({ remind: { everyMs: 10 * minute, times: 2 } })] })
    acknowledged.result('shop', 'down')
    acknowledged.acknowledge()
    acknowledged.advance(60 * minute)
    expect(acknowledged.lines).toHaveLength(1)
  })
  test('continue without end for channels that need repeats', () => {
    const w = world({ rules: [alertRule({ steps: [step({ to: ['repeat'] })] })], repeatEveryMs: minute })
    w.result('shop', 'down')
    w.advance(3 * minute)
    expect(w.lines.map((line) => line.split(' ')[2])).toEqual(['open', 'reminder', 'reminder', 'reminder'])
  })
})

describe('a channel that is unreachable', () => {
  test('is sent the same message again while it is still true', () => {
    const w = world()
    w.weather.set('chat', 'fails')
    w.result('shop', 'down')
    const [first] = [...(w.state.inFlight.values().next().value?.values() ?? [])]
    w.advance(minute)
    w.weather.delete('chat')
    w.retry()
    expect(w.received.map(({ delivery }) => delivery.message.id)).toEqual([first?.message.id])
  })
  test('is notified of a failure and its recovery in one message', () => {
    const w = world()
    w.weather.set('chat', 'fails')
    w.result('shop', 'down')
    w.advance(2 * minute)
    w.result('shop', 'up')
    w.advance(minute)
    w.weather.delete('chat')
    w.retry()
    w.retry()
    expect(w.lines).toEqual(['180 chat missed shop was down from 10:02 to 10:04 UTC'])
  })
  test('is notified of the current state once it is reachable', () => {
    const w = world({
      checks: ['a', 'b'].map((id) => alertCheck(id, { tags: ['shop'] })),
      rules: [alertRule({ group: { by: 'tag', waitMs: 0 } })],
    })
    w.weather.set('chat', 'fails')
    w.result('a', 'down')
    w.advance(1000)
    w.result('b', 'down')
    w.weather.delete('chat')
    w.retry()
    expect(w.lines).toEqual(['1 chat open 2 of 2 in shop fail since 10:02 UTC'])
  })
})

describe('dependents of a check', () => {
  const checks = [alertCheck('router'), alertCheck('shop', { dependsOn: ['router'] })]
  test('are listed in the message about its failure, even if they fail later', () => {
    const many = Array.from({ length: 25 }, (_, i) => alertCheck(`c${i}`, { dependsOn: ['router'] }))
    const paused = alertCheck('paused', { dependsOn: ['router'], activated: false })
    const w = world({ checks: [alertCheck('router'), paused, ...many] })
    w.result('c7', 'up')
    w.advance(1000)
    w.results([
      ['router', 'down'],
      ['c7', 'down'],
    ])
    const [subject] = w.received[0]?.delivery.message.subjects ?? []
    expect(subject?.dependents).toEqual(['c7', ...many.map(({ id }) => id).filter((id) => id !== 'c7')].slice(0, 20))
    expect(subject?.dependentCount).toBe(25)
    w.advance(minute)
    w.results([
      ['router', 'up'],
      ['c7', 'up'],
    ])
    expect(w.received.map(({ delivery }) => delivery.message.subjects[0]?.dependentCount)).toEqual([25, 0])
  })
  test('that fail at the same time are not reported, and neither is their recovery', () => {
    const w = world({ checks })
    w.results([
      ['shop', 'down'],
      ['router', 'down'],
    ])
    expect(w.lines).toEqual(['0 chat open router is failing'])
    expect(w.received[0]?.delivery.message.subjects[0]?.dependents).toEqual(['shop'])
    w.advance(minute)
    w.results([
      ['shop', 'up'],
      ['router', 'up'],
    ])
    expect(w.lines).toHaveLength(2)
  })
  test('include those that depend on it through checks that are up', () => {
    const w = world({
      checks: [alertCheck('router'), alertCheck('switch', { dependsOn: ['router'] }), alertCheck('shop', { dependsOn: ['switch'] })],
    })
    w.results([
      ['router', 'down'],
      ['switch', 'up'],
      ['shop', 'down'],
    ])
    expect(w.lines).toEqual(['0 chat open router is failing'])
  })
  test('wait for its result for one and a half of its periods', () => {
    const w = world({ checks: [alertCheck('router', { everyMs: 10_000 }), alertCheck('shop', { dependsOn: ['router'] })] })
    w.result('shop', 'down')
    w.advance(minute)
    expect(w.lines).toEqual(['15 chat open shop is failing'])
  })
  test('are reported if no rule covers it, or it is muted', () => {
    const w = world({ checks, rules: [alertRule({ checks: ['shop'] })] })
    const muted = world({ checks: [alertCheck('router', { muted: true }), alertCheck('shop', { dependsOn: ['router'] })] })
    for (const each of [w, muted])
      each.results([
        ['shop', 'down'],
        ['router', 'down'],
      ])
    const late = world({ checks, rules: [alertRule({ checks: ['shop'] }), alertRule({ id: 'old', when: { kind: 'degraded' } })] })
    late.result('router', 'up')
    late.advance(1000)
    late.result('shop', 'down')
    expect([w.lines, muted.lines]).toEqual([['0 chat open shop is failing'], ['0 chat open shop is failing']])
    expect(late.lines).toEqual(['1 chat open shop is failing'])
  })
  test('that are still down after its recovery are reported then', () => {
    const w = world({ checks })
    w.results([
      ['shop', 'down'],
      ['router', 'down'],
    ])
    w.advance(minute)
    w.results([
      ['shop', 'down'],
      ['router', 'up'],
    ])
    expect(w.lines.at(-1)).toBe('60 chat open shop is failing')
  })
  test('wait for its next result, though not for long', () => {
    const w = world({ checks })
    w.result('router', 'up')
    w.advance(1000)
    w.result('shop', 'down')
    expect(w.lines).toEqual([])
    w.advance(5000)
    w.result('router', 'down')
    expect(w.lines).toEqual(['6 chat open router is failing'])
    const silent = world({ checks })
    silent.result('shop', 'down')
    silent.advance(2 * minute)
    expect(silent.lines).toEqual(['60 chat open shop is failing'])
  })
})

describe('a storm', () => {
  const checks = Array.from({ length: 10 }, (_, i) => alertCheck(`c${i}`))
  test('is reported as one message about the location', () => {
    const w = world({ checks })
    w.results(checks.map(({ id }) => [id, 'up']))
    w.advance(minute)
    w.results(checks.slice(0, 8).map(({ id }) => [id, 'down']))
    w.advance(minute)
    expect(w.lines).toEqual(['60 chat open eu cannot reach 8 of 10 checks'])
    w.results(checks.slice(0, 6).map(({ id }) => [id, 'up']))
    expect(w.lines[1]).toBe('120 chat close eu can reach its checks again: it could not reach its checks for 1 minute')
    w.advance(minute)
    w.result('c7', 'down')
    expect(w.lines.slice(2)).toEqual(['180 chat open c7 is failing'])
  })
  test('that does not follow leaves failures to be sent one by one', () => {
    const many = Array.from({ length: 20 }, (_, i) => alertCheck(`c${i}`))
    const w = world({ checks: many })
    w.results(many.map(({ id }) => [id, 'up']))
    w.advance(minute)
    w.results(many.slice(0, 5).map(({ id }) => [id, 'down']))
    expect(w.lines).toEqual([])
    w.advance(minute)
    expect(w.lines).toHaveLength(5)
  })
  test('is assumed if no canary can be reached', () => {
    const w = world({ checks })
    w.unreachable.set('eu', start)
    w.result('c0', 'down')
    expect(w.lines).toEqual(['0 chat open eu cannot reach 1 of 1 checks'])
    w.unreachable.clear()
    w.advance(minute)
    w.result('c0', 'up')
    expect(w.lines.map((line) => line.split(' ')[2])).toEqual(['open', 'close'])
  })
  test('is awaited while canaries are probed, before a check is reported alone', () => {
    const w = world({ checks })
    w.probed.set('eu', start - 1)
    w.result('c0', 'down')
    w.advance(5000)
    expect(w.lines).toEqual([])
    w.unreachable.set('eu', w.now)
    w.decide('all')
    expect(w.lines).toEqual(['5 chat open eu cannot reach 1 of 1 checks'])
  })
  test('that canaries do not confirm lets a check be reported after the probe, or after a while', () => {
    const w = world({ checks })
    w.probed.set('eu', start - 1)
    w.result('c0', 'down')
    w.probed.set('eu', start)
    w.decide('all')
    w.advance(minute)
    w.result('c1', 'down')
    w.advance(minute)
    expect(w.lines).toEqual(['0 chat open c0 is failing', '70 chat open c1 is failing'])
  })
  test('is not awaited if a check fails at another location, too', () => {
    const w = world({ checks: [alertCheck('shop', { locations: ['eu', 'us'] })] })
    w.probed.set('eu', start - 1)
    w.results([
      ['shop', 'down', { runLocation: 'eu' }],
      ['shop', 'down', { runLocation: 'us' }],
    ])
    expect(w.lines).toEqual(['0 chat open shop is failing'])
  })
  test('that is over explains late results from before its end', () => {
    const w = world({ checks })
    w.unreachable.set('eu', start)
    w.decide('all')
    w.advance(minute)
    w.unreachable.clear()
    w.decide('all')
    w.advance(1000)
    w.result('c0', 'down', { startedAt: start + 30_000 })
    expect(w.lines.map((line) => line.split(' ')[2])).toEqual(['open', 'close'])
    w.result('c0', 'down')
    expect(w.lines.at(-1)).toBe('61 chat open c0 is failing')
  })
})

describe('a message with an unknown outcome', () => {
  const grouped = () => world({ checks: [alertCheck('shop'), alertCheck('bank')], rules: [alertRule({ group: { by: 'tag', waitMs: 0 } })] })
  const idsOf = (w: AlertWorld) => w.received.map(({ delivery }) => delivery.message.id)
  test('is sent again with the same id before anything else', () => {
    const w = grouped()
    w.weather.set('chat', 'ambiguous')
    w.result('shop', 'down')
    w.weather.set('chat', 'delivers')
    w.stop()
    w.result('bank', 'down')
    w.restart()
    w.decide()
    expect(w.received.map(({ delivery }) => delivery.message.subjects.filter(({ isNew }) => isNew).map(({ name }) => name))).toEqual([
      ['shop'],
      ['shop'],
      ['bank'],
    ])
    expect(idsOf(w)[1]).toBe(idsOf(w)[0])
  })
  test('is held by a silence, and sent later', () => {
    const w = world()
    w.weather.set('chat', 'ambiguous')
    w.result('shop', 'down')
    w.weather.set('chat', 'delivers')
    w.silences = [{ id: 's', account: 'acme', checks: [], tags: [], from: w.now, to: w.now + 5 * minute, by: 'ann', comment: '' }]
    w.decide('all')
    w.advance(minute)
    w.result('shop', 'up')
    expect(w.received).toHaveLength(1)
    w.advance(10 * minute)
    expect(w.received.map(({ delivery }) => delivery.message.event)).toEqual(['open', 'missed'])
  })
  test('about a check that was removed is followed by one that corrects it', () => {
    const w = world()
    w.weather.set('chat', 'ambiguous')
    w.result('shop', 'down')
    w.weather.set('chat', 'delivers')
    w.reconfigure([], [alertRule()])
    expect(w.received.map(({ delivery }) => delivery.message.event)).toEqual(['open', 'missed'])
  })
  test('that was given up is not decided again, and the next change is sent', () => {
    const w = world()
    w.weather.set('chat', 'fails')
    w.result('shop', 'down')
    w.giveUp('chat')
    w.weather.set('chat', 'delivers')
    w.advance(minute)
    expect(w.lines).toEqual([])
    w.result('shop', 'up')
    expect(w.lines).toEqual(['60 chat close shop is no longer failing: it was down for 1 minute'])
  })
})

describe('many failing checks', () => {
  const count = 2500
  const ids = Array.from({ length: count }, (_, i) => `c${i}`)
  /** Twice as many are up, so that no location fails as a whole. */
  const others = Array.from({ length: count + 100 }, (_, i) => `u${i}`)
  const open = (rule = alertRule()) => {
    const w = world({ checks: [...ids, ...others].map((id) => alertCheck(id)), rules: [rule] })
    w.results([...ids, ...others].map((id) => [id, 'up']))
    w.advance(minute)
    return w
  }
  const listed = (w: AlertWorld) => w.received.reduce((sum, { delivery }) => sum + delivery.message.subjectCount, 0)

  test('are sent as ten messages and then digests, and so are their recoveries', () => {
    const w = open()
    w.results([...ids.map((id) => [id, 'down'] as const), ...others.map((id) => [id, 'up'] as const)])
    w.advance(2 * minute)
    expect(w.received).toHaveLength(13)
    expect(listed(w)).toBe(count)
    expect(w.lines.at(-1)).toContain(`490 of ${2 * count + 100} fail since`)
    w.results([...ids, ...others].map((id) => [id, 'up']))
    w.advance(2 * minute)
    expect(w.received).toHaveLength(26)
    expect(listed(w)).toBe(2 * count)
    expect(w.incidents().every(({ closedAt }) => closedAt !== null)).toBe(true)
  })
  test('that fail one after the other within a minute are sent in a few messages, which name the new ones', () => {
    const w = open()
    for (let second = 0; second < 60; second++) {
      w.results(ids.slice(second * 40, second * 40 + 40).map((id) => [id, 'down']))
      w.advance(1000)
    }
    for (let round = 0; round < 3; round++) {
      w.results(others.map((id) => [id, 'up']))
      w.advance(minute)
    }
    expect(w.received.length).toBeLessThan(30)
    expect(new Set(w.notified('chat').flatMap((notified) => notified.open)).size).toBe(2400)
  })
  test('do not keep single failures afterwards from being sent one by one', () => {
    const w = open()
    w.results(ids.slice(0, 50).map((id) => [id, 'down']))
    w.advance(3 * minute)
    const before = w.received.length
    w.results([['u1', 'down']])
    w.advance(minute)
    expect(w.lines.slice(before)).toEqual([expect.stringContaining('chat open u1 is failing')])
  })
})

test('a recovery that is not delivered yet is reported before the next failure', () => {
  const w = world()
  w.result('shop', 'down')
  w.advance(minute)
  w.weather.set('chat', 'fails')
  w.result('shop', 'up')
  w.advance(minute)
  w.result('shop', 'down')
  w.weather.set('chat', 'delivers')
  w.retry()
  w.decide()
  expect(w.received.map(({ delivery }) => delivery.message.event)).toEqual(['open', 'close', 'open'])
})

test('flapping is reported once, and so is its end', () => {
  const w = world()
  for (let i = 0; i < 12; i++) {
    w.result('shop', i % 2 === 0 ? 'down' : 'up')
    w.advance(minute)
  }
  for (let i = 0; i < 60; i++) {
    w.result('shop', 'up')
    w.advance(minute)
  }
  expect(w.lines.map((line) => line.split(' ').slice(2).join(' '))).toEqual([
    'open shop is failing',
    'close shop is no longer failing: it was down for 1 minute',
    'open shop is failing',
    'close shop is no longer failing: it was down for 1 minute',
    'flapping shop changes often: 5 changes in 30 minutes',
    'settled shop has settled: it is no longer failing',
  ])
})

test('a flapping check that is removed is closed, and flapping is reported again only for what flaps again', () => {
  const checks = ['shop', 'bank'].map((id) => alertCheck(id, { tags: ['web'] }))
  const rules = [alertRule({ group: { by: 'tag', waitMs: 0 } })]
  const w = world({ checks, rules })
  for (let i = 0; i < 12; i++) {
    w.results(checks.map(({ id }) => [id, i % 2 === 0 ? 'down' : 'up']))
    w.advance(minute)
  }
  const flapping = () => w.notified('chat').flatMap(({ flapping }) => [...flapping].sort())
  expect(flapping()).toEqual(['bank', 'shop'])
  w.reconfigure(checks.slice(0, 1), rules)
  expect(flapping()).toEqual(['shop'])
})

test('a certificate is reported at each threshold, and when it is renewed', () => {
  const w = world({ rules: [alertRule({ when: { kind: 'certificate', days: [30, 14, 7] } })] })
  for (const days of [40, 30, 29, 13, 7, 6, 89]) {
    w.result('shop', 'up', { values: { sslDaysRemaining: days } })
    w.advance(minute)
  }
  expect(w.lines.map((line) => line.split(' ').slice(2).join(' '))).toEqual([
    'open Certificate of shop expires in 30 days',
    'update Certificate of shop expires in 13 days',
    'update Certificate of shop expires in 7 days',
    'close Certificate of shop was renewed',
  ])
})

test('a certificate threshold that is removed from its rule is closed, and the others stay open', () => {
  const rule = (...days: readonly number[]) => alertRule({ when: { kind: 'certificate', days } })
  const w = world({ rules: [rule(30, 14)] })
  w.result('shop', 'up', { values: { sslDaysRemaining: 13 } })
  w.advance(minute)
  w.reconfigure([alertCheck('shop')], [rule(14)])
  expect(w.notified('chat').map(({ open }) => open)).toEqual([['shop 14']])
  w.reconfigure([alertCheck('shop')], [rule(7)])
  expect(w.incidents().map(({ closedAt }) => closedAt)).toEqual([w.now])
  expect(w.notified('chat').map(({ open }) => open)).toEqual([[]])
})

test('an SLO that is removed, or no longer named by its rule, is closed', () => {
  const slo = (id: string) => ({
    id,
    name: id,
    checks: ['shop'],
    tags: [],
    objective: { kind: 'availability', by: 'runs', target: 99 } as const,
    window: { kind: 'rolling', duration: '30d', durationMs: 1 } as const,
  })
  const pairs = [{ factor: 14.4, longMs: 60 * minute, shortMs: 5 * minute }]
  const rule = (...slos: readonly string[]) => alertRule({ when: { kind: 'sloBurn', slos, pairs } })
  const w = world({ rules: [rule()], policies: { slos: [slo('one'), slo('two')] } })
  w.burn = { long: 20, short: 20, badRuns: 9 }
  w.decide()
  const open = () => w.notified('chat').flatMap((each) => each.open)
  expect(open()).toEqual(['one', 'two'])
  w.policies = { slos: [slo('two')] }
  w.reconfigure([alertCheck('shop')], [rule()])
  expect(open()).toEqual(['two'])
  expect(w.lines.at(-1)).toBe('0 chat close one burnt its error budget too fast, and is no longer monitored')
  w.policies = { slos: [slo('one'), slo('two')] }
  w.burn = null
  w.reconfigure([alertCheck('shop')], [rule('one')])
  expect(open()).toEqual([])
})

test('a rule about burn rates without SLOs covers all SLOs with a check that it selects', () => {
  const slo = (id: string, checks: readonly string[]) => ({
    id,
    name: id,
    checks,
    tags: [],
    objective: { kind: 'availability', by: 'runs', target: 99 } as const,
    window: { kind: 'rolling', duration: '30d', durationMs: 1 } as const,
  })
  const pairs = [{ factor: 14.4, longMs: 60 * minute, shortMs: 5 * minute }]
  const rules = [alertRule({ checks: ['shop'], when: { kind: 'sloBurn', slos: [], pairs } })]
  const checks = [alertCheck('shop'), alertCheck('bank')]
  const w = world({ checks, rules, policies: { slos: [slo('of-shop', ['shop']), slo('of-bank', ['bank'])] } })
  w.burn = { long: 20, short: 20, badRuns: 9 }
  w.decide()
  expect(w.lines).toEqual(['0 chat open of-shop burns its error budget too fast'])
})

test('an SLO that burns too fast in both windows is reported, until the short one recovers', () => {
  const pairs = [{ factor: 14.4, longMs: 60 * minute, shortMs: 5 * minute }]
  const slo = {
    id: 'slo',
    name: 'Shop',
    checks: [],
    tags: [],
    objective: { kind: 'availability', by: 'runs', target: 99 },
    window: { kind: 'rolling', duration: '30d', durationMs: 1 },
  } as const
  const w = world({ rules: [alertRule({ when: { kind: 'sloBurn', slos: [], pairs } })], policies: { slos: [slo] } })
  const burn = (long: number, short: number, badRuns: number) => {
    w.burn = { long, short, badRuns }
    w.decide()
    w.advance(minute)
  }
  burn(20, 20, 2)
  burn(20, 10, 9)
  burn(10, 20, 9)
  expect(w.lines).toEqual([])
  burn(20, 20, 9)
  burn(10, 15, 9)
  expect(w.lines).toHaveLength(1)
  burn(16, 10, 9)
  expect(w.lines.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual(['chat open', 'chat close'])
})

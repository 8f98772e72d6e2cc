import { describe, expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import { utc } from '../../calendar/zone.ts'

const minute = 60_000
const ids = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`)
const open = (count: number, locationOf = (id: string) => id) =>
  new AlertWorld({ checks: ids(count).map((id) => alertCheck(id, { locations: [locationOf(id)] })) }, start)
const fail = (w: AlertWorld, some: readonly string[], outcome: 'down' | 'up' = 'down') =>
  w.results(some.map((id) => [id, outcome, { runLocation: id }]))

describe('a digest', () => {
  test('waits ten seconds for other failures, and then sends changes once a minute', () => {
    const w = open(15)
    fail(w, ids(12))
    expect(w.lines).toHaveLength(10)
    w.advance(10_000)
    expect(w.lines.slice(10)).toEqual(['10 chat open 2 of 15 fail since 10:02 UTC'])
    w.advance(10_000)
    fail(w, ['c12', 'c13', 'c14'])
    w.advance(minute)
    expect(w.lines.slice(11)).toEqual(['70 chat update 5 of 15 fail since 10:02 UTC, 3 new'])
    fail(w, ['c10', 'c11', 'c12', 'c13', 'c14'], 'up')
    w.advance(minute)
    expect(w.lines.slice(12).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual(['130 chat close'])
  })
  test('reports that a check recovered before its next failure, which is sent alone', () => {
    const w = open(12)
    fail(w, ids(12))
    w.advance(5 * minute)
    fail(w, ['c10', 'c11'], 'up')
    fail(w, ['c11'])
    w.advance(minute)
    expect(w.lines.slice(10).map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'chat open 2 of 12 fail since 10:02 UTC',
      'chat close c10 and 1 more have recovered: the first was down for 5 minutes',
      'chat open c11 is failing',
    ])
  })
})

describe('flapping', () => {
  const change = (w: AlertWorld, minutes: readonly number[]) => {
    for (const [i, at] of minutes.entries()) {
      w.advance(start + at * minute - w.now)
      w.result('c0', i % 2 === 0 ? 'down' : 'up', { runLocation: 'c0' })
    }
  }
  const events = (w: AlertWorld) => w.lines.map((line) => line.split(' ').slice(0, 3).join(' '))
  test('ends once there was no more than one change in 30 minutes', () => {
    const w = open(1)
    change(w, [0, 1, 2, 3, 4])
    expect(events(w).at(-1)).toBe('240 chat flapping')
    for (let i = 0; i < 40; i++) {
      w.advance(minute)
      w.result('c0', 'down', { runLocation: 'c0' })
    }
    expect(events(w).at(-1)).toBe('1980 chat settled')
  })
  test('continues only after as many runs as the rule requires', () => {
    const w = new AlertWorld({ checks: [alertCheck('c0')], rules: [alertRule({ after: { runs: 2 } })] }, start)
    for (const outcome of ['down', 'down', 'up', 'down', 'down', 'up', 'down', 'down', 'up', 'down'] as const) {
      w.result('c0', outcome)
      w.advance(minute)
    }
    const member = () => w.incidents().at(-1)?.members[0]
    expect(member()).toMatchObject({ flappingSince: start + 7 * minute, until: start + 8 * minute })
    w.result('c0', 'down')
    expect(member()).toMatchObject({ flappingSince: start + 7 * minute, until: null })
  })
  test('does not count changes older than 30 minutes', () => {
    const w = open(1)
    change(w, [0, 1, 2, 3, 31])
    expect(events(w).at(-1)).toBe('1860 chat open')
  })
})

describe('a storm', () => {
  const at = (count: number, failing: number) => {
    const w = open(count, () => 'eu')
    w.results(ids(count).map((id) => [id, 'up']))
    w.advance(minute)
    w.results(ids(failing).map((id) => [id, 'down']))
    return w
  }
  test('requires that half of the checks of a location fail', () => {
    expect(at(10, 5).lines).toEqual(['60 chat open eu cannot reach 5 of 10 checks'])
    expect(at(11, 5).lines).toEqual([])
  })
  test('requires five failing checks', () => {
    expect(at(8, 4).lines).toEqual(ids(4).map((id) => `60 chat open ${id} is failing`))
  })
  test('requires that they fail within a minute', () => {
    const w = at(8, 4)
    w.advance(minute)
    w.results(ids(5).map((id) => [id, 'down']))
    expect(w.lines.at(-1)).toBe('120 chat open c4 is failing')
  })
  test('ends once less than half of the checks fail', () => {
    const w = at(10, 8)
    w.advance(minute)
    w.results(ids(10).map((id, i) => [id, i >= 3 && i < 8 ? 'down' : 'up']))
    expect(w.lines).toHaveLength(1)
    w.result('c3', 'up')
    expect(w.lines).toHaveLength(2)
  })
})

describe('a message about a changed group', () => {
  const checks = ids(4).map((id) => alertCheck(id, { tags: ['shop'] }))
  const rules = [alertRule({ group: { by: 'tag', waitMs: 1000 } })]
  const notified = (states: readonly (readonly ('up' | 'down')[])[]) => {
    const w = new AlertWorld({ checks, rules }, start)
    for (const outcomes of states) {
      w.results(outcomes.map((outcome, i) => [`c${i}`, outcome]))
      w.advance(minute)
    }
    return w.received.map(({ delivery: { message } }) => `${message.event}: ${message.title}`)
  }
  test('states how many fail since when, how many are new, and how many have recovered', () => {
    expect(
      notified([
        ['down', 'down', 'down', 'up'],
        ['up', 'down', 'down', 'up'],
        ['down', 'up', 'down', 'down'],
        ['up', 'up', 'up', 'down'],
        ['up', 'up', 'up', 'up'],
      ]),
    ).toEqual([
      'open: 3 of 4 in shop fail since 10:02 UTC',
      'update: 2 of 4 in shop fail since 10:02 UTC, 1 resolved',
      'update: 3 of 4 in shop fail since 10:02 UTC, 2 new, 1 resolved',
      'update: 1 of 4 in shop fails since 10:04 UTC, 2 resolved',
      'close: c3 is no longer failing: it was down for 2 minutes',
    ])
  })
  test('names what has recovered where the rule no longer groups', () => {
    const w = new AlertWorld({ checks, rules }, start)
    w.results(ids(2).map((id) => [id, 'down']))
    w.advance(minute)
    w.reconfigure(checks, [alertRule()])
    w.results([
      ['c0', 'up'],
      ['c1', 'down'],
    ])
    expect(w.lines.at(-1)).toBe('60 chat update c0 is no longer failing: it was down for 1 minute')
  })
})

const silence = (w: AlertWorld, untilMinute: number) => {
  w.silences = [{ id: '1', account: 'acme', checks: [], tags: [], from: w.now, to: start + untilMinute * minute, by: 'ann', comment: '' }]
}

test('a reminder about several subjects names their number', () => {
  const rules = [alertRule({ group: { by: 'tag', waitMs: 0 }, remind: { everyMs: 10 * minute, times: 1 } })]
  const w = new AlertWorld({ checks: ['shop', 'bank'].map((id) => alertCheck(id)), rules }, start)
  w.results([
    ['shop', 'down'],
    ['bank', 'down'],
  ])
  w.advance(10 * minute)
  expect(w.lines.at(-1)).toBe('600 chat reminder shop and 1 more are still failing, for 10 minutes')
})

test('no reminders are sent during a silence', () => {
  const w = new AlertWorld({ checks: [alertCheck('c0')], rules: [alertRule({ remind: { everyMs: 10 * minute, times: 5 } })] }, start)
  w.result('c0', 'down')
  w.advance(5 * minute)
  silence(w, 25)
  w.advance(31 * minute)
  expect(w.lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual(['0 chat open', '1500 chat reminder', '2100 chat reminder'])
})

test('a step that was due within its hours is not dropped if a silence ends after them', () => {
  const during = { name: 'office', days: ['mon'], fromMinutes: 480, toMinutes: 605, zone: utc } as const
  const rules = [alertRule({ steps: [{ afterMs: 0, to: ['chat'], during, outside: 'drop' }] })]
  const w = new AlertWorld({ checks: [alertCheck('c0')], rules }, start)
  silence(w, 10)
  w.result('c0', 'down')
  w.advance(7 * 24 * 60 * minute)
  expect(w.lines).toEqual([`${(7 * 24 * 60 - 122) * 60} chat open c0 is failing`])
})

import { expect, test } from 'vitest'
import type { Unreachable } from '../outbox/alert-database.ts'
import { createReachability } from './reachability.ts'

const minute = 60_000
const place = { account: 'acme', location: 'eu' }

function open({ stored = [] as readonly (typeof place & { since: number | null })[] } = {}) {
  const clock = { now: 1_000_000 }
  const configured = new Set(['eu'])
  const spells: Unreachable[] = []
  const changes: string[] = []
  const reachability = createReachability({
    now: () => clock.now,
    hasCanary: ({ location }) => configured.has(location),
    stored,
    record: (spell) => spells.push(spell),
    onChange: (account) => changes.push(account),
  })
  const hear = (by: string, isReached: boolean) => reachability.hear([{ ...place, by, isReached }])
  const since = () => reachability.of('acme').get('eu') ?? null
  return { clock, configured, spells, changes, reachability, hear, since }
}

test('a location of which nobody has reported counts as reachable', () => {
  expect(open().since()).toBeNull()
})

test('a location is unreachable once nobody there reaches a canary, and reachable once anybody does', () => {
  const { hear, since, clock, changes } = open()
  hear('a', true)
  hear('b', false)
  expect([since(), changes]).toEqual([null, []])
  hear('a', false)
  expect([since(), changes]).toEqual([clock.now, ['acme']])
  clock.now += 30_000
  hear('b', true)
  expect([since(), changes.length]).toEqual([null, 2])
})

test('what was said a minute ago by one that is silent counts no more, but the last word stands', () => {
  const { hear, since, clock } = open()
  hear('a', true)
  clock.now += minute
  hear('b', false)
  const lostAt = clock.now
  expect(since()).toBe(lostAt)
  clock.now += 10 * minute
  expect(since()).toBe(lostAt)
})

test('changes are recorded from the first report on', () => {
  const { hear, clock, spells } = open()
  const first = clock.now
  hear('a', true)
  clock.now += minute
  const lostAt = clock.now
  hear('a', false)
  clock.now += minute
  hear('a', true)
  expect(spells).toEqual([
    { ...place, from: first, to: first },
    { ...place, from: lostAt, to: null },
    { ...place, from: lostAt, to: clock.now },
  ])
})

test('after a restart a location is what it was, without a change', () => {
  const { hear, since, changes, spells } = open({ stored: [{ ...place, since: 5 }] })
  expect(since()).toBe(5)
  hear('a', false)
  expect([since(), changes, spells]).toEqual([5, [], []])
})

test('a location without canaries in the config file counts as reachable, and is not heard of', () => {
  const { hear, since, configured, reachability, spells, clock } = open({ stored: [{ ...place, since: 5 }] })
  configured.clear()
  reachability.follow()
  expect([since(), spells]).toEqual([null, [{ ...place, from: 5, to: clock.now }]])
  hear('a', false)
  expect(since()).toBeNull()
})

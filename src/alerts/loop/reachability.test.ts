import { expect, test } from 'vitest'
import type { UnreachableSpell } from '../outbox/alert-records.ts'
import { createReachability } from './reachability.ts'

const minute = 60_000
const place = { account: 'acme', location: 'eu' }

function open({ stored = [] as readonly (typeof place & { since: number | null })[] } = {}) {
  const clock = { now: 1_000_000 }
  const configured = new Set(['eu'])
  const spells: UnreachableSpell[] = []
  const changes: string[] = []
  const probed: string[] = []
  const reachability = createReachability({
    now: () => clock.now,
    hasCanary: ({ location }) => configured.has(location),
    stored,
    record: (spell) => spells.push(spell),
    onChange: (account) => changes.push(account),
    onProbed: (account) => probed.push(account),
  })
  const hear = (by: string, isReached: boolean, agoMs = 0) => reachability.hear([{ ...place, by, isReached, agoMs }])
  const waits = (failedAt: number) => reachability.waitUntil('acme', 'eu', failedAt)
  const since = () => reachability.of('acme').get('eu') ?? null
  return { clock, configured, spells, changes, probed, reachability, hear, since, waits }
}

test('a location without reports counts as reachable', () => {
  expect(open().since()).toBeNull()
})

test('a location is unreachable once no agent there reaches a canary, and reachable once any does', () => {
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

test('reports older than a minute do not count, unless there are no others', () => {
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

test('after a restart a location keeps its state, without an event', () => {
  const { hear, since, changes, spells } = open({ stored: [{ ...place, since: 5 }] })
  expect(since()).toBe(5)
  hear('a', false)
  expect([since(), changes, spells]).toEqual([5, [], []])
})

test('a location without canaries in the config file counts as reachable, and its reports are ignored', () => {
  const { hear, since, configured, reachability, spells, clock } = open({ stored: [{ ...place, since: 5 }] })
  configured.clear()
  reachability.follow()
  expect([since(), spells]).toEqual([null, [{ ...place, from: 5, to: clock.now }]])
  hear('a', false)
  expect(since()).toBeNull()
})

test('a failure waits up to ten seconds for a probe that began after it', () => {
  const { hear, clock, waits, probed } = open()
  hear('a', true)
  clock.now += 5000
  const failedAt = clock.now
  expect(waits(failedAt)).toBe(failedAt + 10_000)
  clock.now += 1000
  hear('a', true, 1001)
  expect([waits(failedAt), probed]).toEqual([failedAt + 10_000, ['acme']])
  hear('a', true, 1000)
  expect([waits(failedAt), probed]).toEqual([null, ['acme', 'acme']])
  const later = clock.now + 1
  clock.now += 10_001
  expect(waits(later)).toBeNull()
})

test('a waiting decision is not resumed without a probe', () => {
  const { hear, probed } = open()
  hear('a', true)
  expect(probed).toEqual([])
})

test('if one agent reaches nothing since a failure, reports of the others are awaited for longer', () => {
  const { hear, clock, waits, since } = open()
  hear('a', true)
  hear('b', true)
  clock.now += 5000
  const failedAt = clock.now
  hear('a', false)
  expect([since(), waits(failedAt)]).toEqual([null, failedAt + 30_000])
  clock.now += 15_000
  hear('b', false)
  expect([since(), waits(failedAt)]).toEqual([clock.now, null])
})

test('a location without reports is awaited only during the first minute', () => {
  const { clock, waits } = open()
  expect(waits(clock.now)).toBe(clock.now + 10_000)
  clock.now += minute
  expect(waits(clock.now)).toBeNull()
})

test('the first minute is over if the clock was set back', () => {
  const { clock, waits } = open()
  clock.now -= 10 * minute
  expect(waits(clock.now)).toBeNull()
})

test('a location without canaries is not awaited, and neither is one after the clock was set back', () => {
  const { clock, configured, hear, waits } = open()
  hear('a', true)
  clock.now += 1
  expect(waits(clock.now + 1)).toBeNull()
  configured.clear()
  expect(waits(clock.now)).toBeNull()
})

import { expect, test } from 'vitest'
import type { SeenAgent } from '../outbox/alert-records.ts'
import { type AgentSighting, createAgentSightings } from './agent-sightings.ts'

const minute = 60_000
const noon = Date.UTC(2026, 10, 17, 12)
const sighting = (instance: string, more: Partial<AgentSighting> = {}): AgentSighting => ({
  ...{ account: 'acme', location: 'eu', instance, name: instance, session: '1', isStopped: false, agoMs: 0 },
  ...more,
})

function open(stored: readonly SeenAgent[] = [], now = noon) {
  const clock = { now }
  const writes: string[] = []
  const disk = new Map(stored.map((agent) => [agent.instance, agent]))
  const news: string[] = []
  const sightings = createAgentSightings({
    now: () => clock.now,
    stored,
    async record(seen, forgotten) {
      for (const { instance } of forgotten) disk.delete(instance)
      for (const agent of seen) disk.set(agent.instance, agent)
      writes.push([...seen.map(({ instance }) => instance), ...forgotten.map(({ instance }) => `no ${instance}`)].join(', '))
    },
    onNews: (account) => news.push(account),
  })
  const known = () => sightings.of('acme', 'eu').map(({ instance, lastAt }) => [instance, lastAt - noon])
  return { sightings, clock, writes, disk, news, known, hear: (...all: AgentSighting[]) => sightings.hear(all) }
}

test('the latest report to any process counts, in whatever order they arrive', async () => {
  const { hear, known } = open()
  await hear(sighting('a', { agoMs: 1000 }))
  await hear(sighting('a', { agoMs: 20_000 }))
  expect(known()).toEqual([['a', -1000]])
})

test('an agent is written when it appears, hourly, when it falls silent, and when it stops', async () => {
  const { hear, sightings, clock, writes, disk } = open()
  for (let i = 0; i < 61; i++) {
    clock.now = noon + i * minute
    await hear(sighting('a'))
    clock.now += minute / 2
    await sightings.flush()
  }
  expect(writes).toEqual(['a', 'a'])
  expect(disk.get('a')?.lastAt).toBe(noon + 60 * minute)
  clock.now = noon + 90 * minute
  await hear(sighting('a'))
  clock.now += minute
  await sightings.flush()
  expect([writes.length, disk.get('a')?.lastAt]).toEqual([3, noon + 90 * minute])
  await hear(sighting('a', { isStopped: true }))
  expect([writes.length, disk.get('a')?.stoppedSession]).toEqual([4, '1'])
})

test('everything is written when the process stops', async () => {
  const { hear, sightings, clock, disk } = open()
  await hear(sighting('a'))
  clock.now += minute
  await hear(sighting('a'))
  await sightings.flush(true)
  expect(disk.get('a')?.lastAt).toBe(noon + minute)
})

test('an event is emitted when an agent appears, returns or stops, not when it reports', async () => {
  const { hear, clock, news } = open()
  await hear(sighting('a'), sighting('b'))
  clock.now += 15_000
  await hear(sighting('a'))
  expect(news).toEqual(['acme'])
  clock.now += minute
  await hear(sighting('a'))
  await hear(sighting('a', { isStopped: true }))
  await hear(sighting('a'))
  expect(news).toHaveLength(3)
  clock.now += minute
  await hear(sighting('a', { session: '2' }))
  expect(news).toHaveLength(4)
})

test('an agent that has stopped is expected again once it has restarted, even without a session', async () => {
  const { hear, clock, known } = open()
  await hear(sighting('a'), sighting('old', { session: '' }))
  await hear(sighting('a', { isStopped: true }), sighting('old', { session: '', isStopped: true }))
  clock.now += 10_000
  await hear(sighting('a', { session: '2', agoMs: 20_000 }), sighting('old', { session: '' }))
  expect(known()).toEqual([])
  clock.now += minute
  await hear(sighting('a', { session: '2' }), sighting('old', { session: '' }))
  expect(known()).toEqual([
    ['a', 70_000],
    ['old', 70_000],
  ])
})

test('a newer agent of the same name replaces the earlier one, which is no longer expected', async () => {
  const { hear, clock, known, disk } = open()
  await hear(sighting('a', { name: 'probe' }), sighting('b', { name: 'probe' }))
  clock.now += minute
  await hear(sighting('b', { name: 'probe' }))
  expect(known().map(([instance]) => instance)).toEqual(['b', 'a'])
  await hear(sighting('c', { name: 'probe' }))
  expect(known().map(([instance]) => instance)).toEqual(['b', 'c'])
  expect([...disk.keys()]).toEqual(['b', 'c'])
})

test('agents are removed after seven days without reports, and of more than a hundred the least recent', async () => {
  const { hear, sightings, clock, known, disk } = open()
  await hear(sighting('a'))
  clock.now += minute
  await hear(...Array.from({ length: 100 }, (_, i) => sighting(`b${i}`)))
  expect(known().some(([instance]) => instance === 'a')).toBe(false)
  expect(disk.size).toBe(100)
  clock.now += 7 * 24 * 60 * minute
  await sightings.flush()
  expect([known(), disk.size]).toEqual([[], 0])
})

test('agents are still tracked after the clock was set back', async () => {
  const { hear, clock, known } = open()
  await hear(sighting('a'))
  clock.now -= 60 * minute
  await hear(sighting('a'))
  expect(known()).toEqual([['a', -60 * minute]])
})

test('a process that starts knows what the last one wrote, and forgets it as that one would have', async () => {
  const first = open()
  await first.hear(sighting('a'), sighting('b', { isStopped: true }))
  const second = open([...first.disk.values()], noon + minute)
  expect(second.known()).toEqual([['a', 0]])
  second.clock.now = noon + 7 * 24 * 60 * minute
  await second.sightings.flush()
  expect([second.known(), second.disk.size, second.writes]).toEqual([[], 0, ['no a, no b']])
})

import { expect, test } from 'vitest'
import { type AgentEvent, createLocationAgents } from './location-agents.ts'

const ids = Array.from({ length: 30 }, (_, i) => `check-${i}`)
const report = (instance: string, session = '1') => ({
  instance,
  name: null,
  session,
  version: '0.2.0',
  protocol: 1,
  clockOffsetMs: null,
  stampsServerTime: false,
  backlog: 0,
  agentDropped: 0,
  canary: null,
  canaryAgeMs: null,
})

function place() {
  const clock = { now: 1_000_000 }
  const events: AgentEvent['kind'][] = []
  const agents = createLocationAgents({ now: () => clock.now, silentAfterMs: 20_000, onEvent: ({ kind }) => events.push(kind) })
  const stateOf = (instance: string) => agents.agents().find((one) => one.instance === instance)?.state
  return { agents, clock, events, stateOf }
}

test('an agent is live while it reports, silent after 20 s, and live again when it returns; each change is emitted once', () => {
  const { agents, clock, events, stateOf } = place()
  agents.contact(report('a'))
  clock.now += 20_000
  agents.expireSilent()
  expect(stateOf('a')).toBe('live')
  clock.now += 1
  agents.expireSilent()
  agents.expireSilent()
  expect(stateOf('a')).toBe('silent')
  agents.contact(report('a'))
  expect(events).toEqual(['appeared', 'lost', 'returned'])
})

test('an agent whose request is pending is not silent, and counts as seen until it is answered', () => {
  const { agents, clock, stateOf } = place()
  agents.contact(report('a'))
  const release = agents.hold('a')
  clock.now += 60_000
  agents.expireSilent()
  expect(stateOf('a')).toBe('live')
  expect(agents.deal(ids).get('a')).toHaveLength(30)
  release()
  clock.now += 20_000
  agents.expireSilent()
  expect(stateOf('a')).toBe('live')
  clock.now += 1
  agents.expireSilent()
  expect(stateOf('a')).toBe('silent')
})

test('a pending response does not revive an agent that has stopped', () => {
  const { agents, stateOf } = place()
  agents.contact(report('a'))
  const release = agents.hold('a')
  agents.stop(report('a'))
  release()
  expect(stateOf('a')).toBe('stopped')
  expect(agents.deal(ids)).toEqual(new Map())
})

test('the first agent has no missed slots; one that restarts has those since its last contact', () => {
  const { agents, clock } = place()
  agents.contact(report('a'))
  expect(
    agents
      .deal(ids)
      .get('a')
      ?.every(({ since }) => since === null),
  ).toBe(true)
  clock.now += 3000
  agents.contact(report('a'))
  clock.now += 5000
  agents.contact(report('a', '2'))
  expect(
    agents
      .deal(ids)
      .get('a')
      ?.every(({ since }) => since === 1_003_000),
  ).toBe(true)
  clock.now += 5000
  agents.contact(report('a', '2'))
  expect(
    agents
      .deal(ids)
      .get('a')
      ?.every(({ since }) => since === 1_003_000),
  ).toBe(true)
})

test('an agent is removed after a day without contact, and so is the assignment of a removed check', () => {
  const { agents, clock } = place()
  agents.contact(report('a'))
  agents.deal(ids)
  agents.deal(ids.slice(0, 1))
  expect(agents.agents()).toMatchObject([{ checks: 1 }])
  clock.now += 24 * 3_600_000 + 1
  agents.expireSilent()
  agents.expireSilent()
  expect(agents.agents()).toEqual([])
})

test('an agent that stopped has missed slots since shortly before it stopped, not since its last contact', () => {
  const { agents, clock } = place()
  agents.contact(report('a'))
  agents.deal(ids)
  clock.now += 30_000
  agents.stop(report('a'))
  clock.now += 5000
  agents.contact(report('a', '2'))
  expect(
    new Set(
      agents
        .deal(ids)
        .get('a')
        ?.map(({ since }) => since),
    ),
  ).toEqual(new Set([1_028_000]))
})

test('a hundred agents are accepted; another one replaces the one that has been gone for longest', () => {
  const { agents, clock, stateOf } = place()
  for (let i = 0; i < 100; i++) expect(agents.contact(report(`a${i}`))).toBe(true)
  expect(agents.contact(report('late'))).toBe(false)
  expect(agents.contact(report('a7'))).toBe(true)
  agents.stop(report('a50'))
  clock.now += 1000
  agents.stop(report('a3'))
  expect(agents.contact(report('late'))).toBe(true)
  expect([stateOf('a50'), stateOf('a3'), stateOf('late')]).toEqual([undefined, 'stopped', 'live'])
  expect(agents.contact(report('later'))).toBe(true)
  expect(agents.contact(report('latest'))).toBe(false)
})

test('no agent gets more than a quarter above the average number of checks', () => {
  const { agents } = place()
  agents.contact(report('a'))
  agents.contact(report('b'))
  const dealt = agents.deal(ids.slice(0, 19))
  expect(Math.max(...[...dealt.values()].map(({ length }) => length))).toBeLessThanOrEqual(12)
})

test("the start of an agent's canary probe is known; without an age it is up to 15 s ago", () => {
  const { agents, clock } = place()
  agents.contact({ ...report('a'), canary: 'reached', canaryAgeMs: 1200 })
  agents.contact({ ...report('b'), canary: 'reached' })
  clock.now += 5000
  expect(agents.agents().map(({ canaryAt }) => canaryAt)).toEqual([1_000_000 - 1200, 1_000_000 - 15_000])
})

test('an agent that stops counts as stopped, even if it reported to another process or was silent before', () => {
  const { agents, clock, events, stateOf } = place()
  agents.stop(report('elsewhere'))
  expect([stateOf('elsewhere'), events]).toEqual(['stopped', []])
  agents.contact(report('a'))
  clock.now += 20_001
  agents.expireSilent()
  agents.stop(report('a', '2'))
  agents.stop(report('a', '2'))
  expect(stateOf('a')).toBe('stopped')
  expect(agents.agents().find(({ instance }) => instance === 'a')?.session).toBe('2')
  expect(events).toEqual(['appeared', 'lost', 'stopped'])
})

test('an agent that is gone is silent 20 s after the clock was set back', () => {
  const { agents, clock, stateOf } = place()
  agents.contact(report('a'))
  clock.now -= 600_000
  agents.expireSilent()
  expect(stateOf('a')).toBe('live')
  clock.now += 20_001
  agents.expireSilent()
  expect(stateOf('a')).toBe('silent')
})

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

test('an agent is live while it reports, silent after 20 s, and live again when it returns; each is announced once', () => {
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

test('an agent whose request waits for an answer is not silent, and is heard of until it has it', () => {
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

test('an answer that was pending while an agent stopped does not bring it back', () => {
  const { agents, stateOf } = place()
  agents.contact(report('a'))
  const release = agents.hold('a')
  agents.stop(report('a'))
  release()
  expect(stateOf('a')).toBe('stopped')
  expect(agents.deal(ids)).toEqual(new Map())
})

test('the first agent owes nothing; one that starts again owes what came due since its last contact', () => {
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

test('an agent that has been away for a day is forgotten, and so is the deal of a check that is gone', () => {
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

test('one that stopped owes what came due from shortly before it stopped, not from its last contact', () => {
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

test('a hundred agents have room, beyond that only in place of one that has gone: the one that is away for longest', () => {
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

test('no agent gets more than a quarter above the average', () => {
  const { agents } = place()
  agents.contact(report('a'))
  agents.contact(report('b'))
  const dealt = agents.deal(ids.slice(0, 19))
  expect(Math.max(...[...dealt.values()].map(({ length }) => length))).toBeLessThanOrEqual(12)
})

test('knows when an agent began to probe its canaries; one that does not say did so up to 15 s before', () => {
  const { agents, clock } = place()
  agents.contact({ ...report('a'), canary: 'reached', canaryAgeMs: 1200 })
  agents.contact({ ...report('b'), canary: 'reached' })
  clock.now += 5000
  expect(agents.agents().map(({ canaryAt }) => canaryAt)).toEqual([1_000_000 - 1200, 1_000_000 - 15_000])
})

test('one that stops is known to have stopped, though it reported to another process, or was silent before', () => {
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

test('an agent that has gone is silent 20 s after the clock was set back', () => {
  const { agents, clock, stateOf } = place()
  agents.contact(report('a'))
  clock.now -= 600_000
  agents.expireSilent()
  expect(stateOf('a')).toBe('live')
  clock.now += 20_001
  agents.expireSilent()
  expect(stateOf('a')).toBe('silent')
})

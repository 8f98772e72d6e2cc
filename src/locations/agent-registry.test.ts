import { expect, onTestFinished, test } from 'vitest'
import { account, testCatalogue, testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { recordingLog } from '../../test/support/log.ts'
import { createAgentRegistry } from './agent-registry.ts'

const silentAfterMs = 15_000
const start = Date.UTC(2026, 10, 14, 12)
const place = { account, location: 'eu' }
const noAgent = { level: 'warn', fields: place, message: 'A location has no agent: its checks are not run.' }
const noneYet = { ...noAgent, message: 'No agent of a location has reported to this process yet.' }

function world() {
  const clock = { now: start }
  const log = recordingLog()
  const checks = [testCheck(anyRunType(), { locations: ['eu', 'us'], agentLocations: ['eu'] })]
  const registry = createAgentRegistry({
    catalogue: testCatalogue({ checks }),
    now: () => clock.now,
    log,
    configFile: 'tidemark.yaml',
    silentAfterMs,
  })
  onTestFinished(registry.close)
  const pass = (ms: number) => {
    clock.now += ms
    registry.tick()
  }
  const state = { clockOffsetMs: null, stampsServerTime: false, backlog: 0, agentDropped: 0, canary: null, canaryAgeMs: null }
  const agent = { instance: 'a', name: 'probe-1', session: '1', version: '0.2.0', protocol: 1, ...state }
  const report = (location = 'eu') => registry.contact({ account, location }, agent)
  const stop = () => registry.stop(place, agent)
  return { registry, log, pass, report, stop }
}

test('each loss and return of an agent is logged with its name, and the loss of the last one of a location', () => {
  const { log, pass, report, stop } = world()
  const agent = { ...place, agent: 'a', agentName: 'probe-1', version: '0.2.0' }
  report()
  pass(silentAfterMs + 1)
  report()
  stop()
  expect(log.entries).toEqual([
    { level: 'info', fields: { ...agent, liveAgents: 1 }, message: 'An agent reported for the first time since the start.' },
    {
      level: 'warn',
      fields: { ...agent, liveAgents: 0, lastContact: '2026-11-14T12:00:00.000Z' },
      message: 'An agent stopped reporting.',
    },
    noAgent,
    { level: 'info', fields: { ...agent, liveAgents: 1 }, message: 'An agent has returned.' },
    { level: 'info', fields: { ...agent, liveAgents: 0 }, message: 'An agent has stopped.' },
    noAgent,
  ])
})

test('a location whose agents do not report after the start is logged, once', () => {
  const { log, pass } = world()
  pass(2 * silentAfterMs - 1)
  expect(log.entries).toEqual([])
  pass(1)
  pass(silentAfterMs)
  expect(log.entries).toEqual([noneYet])
})

test('a location whose agents report in time is not logged', () => {
  const { log, pass, report } = world()
  pass(silentAfterMs)
  report()
  pass(silentAfterMs)
  expect(log.entries).not.toContainEqual(noneYet)
})

test('locations are those that agents have reported from, whether or not a check has them', () => {
  const { registry, report } = world()
  expect(registry.locations(account)).toEqual([])
  report()
  report('mars')
  expect(registry.locations(account)).toEqual(['eu', 'mars'])
  expect(registry.locations('other')).toEqual([])
})

const other = { account, location: 'us' }

test('agents that report at once share one assignment, and do not wake other locations', async () => {
  const { registry, report, stop } = world()
  report()
  const [first, second] = await Promise.all([registry.deal(place), registry.deal(place)])
  expect(second).toBe(first)
  expect(first.of('a')).toBe(first.of('a'))
  const elsewhere = await registry.deal(other)
  const end = new AbortController()
  const changedHere = registry.changed(place, first, end.signal)
  const changedElsewhere = registry.changed(other, elsewhere, end.signal)
  stop()
  expect(await changedHere).toBe(true)
  expect((await registry.deal(place)).of('a').checks).toEqual([])
  expect(await registry.deal(other)).toBe(elsewhere)
  end.abort()
  expect(await changedElsewhere).toBe(false)
})

test('a registry that closes ends all waits, also for an assignment that was not made yet', async () => {
  const { registry, report } = world()
  const deal = await registry.deal(place)
  const waiting = registry.changed(place, deal, new AbortController().signal)
  report()
  const next = registry.deal(place)
  registry.close()
  expect(await waiting).toBe(false)
  expect(await next).toBe(deal)
  expect(await registry.changed(place, deal, new AbortController().signal)).toBe(false)
  expect((await registry.deal(other)).of(null).checks).toEqual([])
})

test('while the config file is unchanged, a tick reads no checks', () => {
  let scans = 0
  const fixed = testCatalogue({ checks: [testCheck(anyRunType())] })
  const count = <T>(found: T): T => {
    scans += 1
    return found
  }
  const catalogue = { ...fixed, checks: (id: string) => count(fixed.checks(id)), allChecks: () => count(fixed.allChecks()) }
  const registry = createAgentRegistry({ catalogue, now: () => start, log: recordingLog(), configFile: 'tidemark.yaml' })
  onTestFinished(registry.close)
  for (let i = 0; i < 20; i++) registry.tick()
  expect(scans).toBe(1)
})

test('who listens hears of each agent that stops and of each probe of canaries, until it does not listen any more', () => {
  const { registry, report, stop } = world()
  const heard: string[] = []
  const ends = [
    registry.onStopped(({ location }) => heard.push(`stopped at ${location}`)),
    registry.onCanary(({ location }) => heard.push(`probed at ${location}`)),
  ]
  report()
  stop()
  registry.announceCanary(other)
  for (const end of ends) end()
  stop()
  registry.announceCanary(other)
  expect(heard).toEqual(['stopped at eu', 'probed at us'])
})

test('a location whose agents do not report is logged even if the clock was set back', () => {
  const { log, pass } = world()
  pass(-3_600_000)
  pass(2 * silentAfterMs)
  expect(log.entries).toEqual([noneYet])
})

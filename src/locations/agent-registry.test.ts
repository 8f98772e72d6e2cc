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
    registry.sweep()
  }
  const state = { clockOffsetMs: null, stampsServerTime: false, backlog: 0, agentDropped: 0 }
  const report = (location = 'eu') =>
    registry.contact({ account, location }, { instance: 'a', name: 'probe-1', session: '1', version: '0.2.0', protocol: 1, ...state })
  return { registry, log, pass, report }
}

test('each loss and return of an agent is logged with its name, and that a location has none left', () => {
  const { registry, log, pass, report } = world()
  const agent = { ...place, agent: 'a', agentName: 'probe-1', version: '0.2.0' }
  report()
  pass(silentAfterMs + 1)
  report()
  registry.stop(place, 'a')
  expect(log.entries).toEqual([
    { level: 'info', fields: { ...agent, liveAgents: 1 }, message: 'An agent has reported for the first time since the start.' },
    {
      level: 'warn',
      fields: { ...agent, liveAgents: 0, lastContact: '2026-11-14T12:00:00.000Z' },
      message: 'An agent has gone silent.',
    },
    noAgent,
    { level: 'info', fields: { ...agent, liveAgents: 1 }, message: 'An agent has returned.' },
    { level: 'info', fields: { ...agent, liveAgents: 0 }, message: 'An agent has stopped.' },
    noAgent,
  ])
})

test('a location whose agents do not report after the start is logged once', () => {
  const { log, pass } = world()
  pass(2 * silentAfterMs - 1)
  expect(log.entries).toEqual([])
  pass(1)
  pass(silentAfterMs)
  expect(log.entries).toEqual([noneYet])
})

test('a location whose agents report in time is not', () => {
  const { log, pass, report } = world()
  pass(silentAfterMs)
  report()
  pass(silentAfterMs)
  expect(log.entries).not.toContainEqual(noneYet)
})

test('knows the locations that agents have reported from, whether or not a check has them', () => {
  const { registry, report } = world()
  expect(registry.locations(account)).toEqual([])
  report()
  report('mars')
  expect(registry.locations(account)).toEqual(['eu', 'mars'])
  expect(registry.locations('other')).toEqual([])
})

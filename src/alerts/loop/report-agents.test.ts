import { expect, test } from 'vitest'
import type { AgentSighting } from './agent-sightings.ts'
import { reportAgents } from './report-agents.ts'

const sighting = (isStopped: boolean): AgentSighting => ({
  ...{ account: 'acme', location: 'eu', instance: 'a', name: null, session: '1', isStopped, agoMs: 0 },
})

function open(report: (sightings: readonly AgentSighting[]) => Promise<void>) {
  const heard: AgentSighting[] = []
  const failures: unknown[] = []
  const reports = reportAgents({ sightings: () => heard, report, onFailure: (error) => failures.push(error) })
  return { heard, failures, reports }
}

test('an agent that stops is reported at once, and all are reported once more at shutdown', async () => {
  const notified: boolean[] = []
  const { heard, reports } = open(async ([agent]) => void notified.push(agent?.isStopped === true))
  heard.push(sighting(false))
  reports.hurry()
  expect(notified).toEqual([false])
  heard[0] = sighting(true)
  await reports.close()
  expect(notified).toEqual([false, true])
})

test('nothing is reported without agents, and failed reports are logged', async () => {
  const problem = new Error('nobody leads')
  const { heard, failures, reports } = open(() => Promise.reject(problem))
  reports.hurry()
  expect(failures).toEqual([])
  heard.push(sighting(false))
  await reports.close()
  expect(failures).toEqual([problem])
})

test('a process stops even if the leader does not respond', async () => {
  const { heard, reports } = open(() => new Promise(() => {}))
  heard.push(sighting(true))
  await reports.close()
})

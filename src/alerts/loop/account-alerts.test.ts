import { expect, onTestFinished, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import type { Decision } from '../decide/alert-state.ts'
import { checksATurn, openAccountAlerts } from './account-alerts.ts'

const minute = 60_000
const ids = Array.from({ length: 1000 }, (_, i) => `c${i}`)

/** Each check has a location of its own, so that no storm begins. */
function open() {
  const checks = ids.map((id) => alertCheck(id, { locations: [id] }))
  const world = new AlertWorld({ checks, rules: [alertRule({ after: { timeMs: minute } })] }, start)
  const decisions: Decision[] = []
  const clock = { now: start }
  const { newId, links, burn } = world.input('all')
  const alerts = openAccountAlerts({
    plan: world.plan,
    stored: { incidents: [], notified: [], inFlight: [] },
    now: () => clock.now,
    newId,
    links,
    burn,
    progress: () => 'unsent',
    silences: () => world.silences,
    unreachable: () => new Map(),
    canaryWaitUntil: () => null,
    agents: () => [],
    commit: async () => {},
    onDecided: (decision) => decisions.push(decision),
    onChanged: () => {},
    onFailure: (error) => expect(error).toBeUndefined(),
  })
  onTestFinished(() => alerts.close())
  const fail = async () => {
    alerts.add(ids.map((id) => world.filed(id, 'down', { runLocation: id })))
    await alerts.review({ incidents: [] })
  }
  const read = () => decisions.splice(0).map(({ dueChecks }) => dueChecks.size)
  return { alerts, world, clock, fail, read }
}

const most = (counts: readonly number[]) => Math.max(...counts)
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

test('a change of everything is decided in turns of limited size', async () => {
  const { alerts, fail, read } = open()
  await fail()
  read()
  await alerts.review('all')
  const counts = read()
  expect([sum(counts), most(counts)]).toEqual([ids.length, checksATurn])
})

test('everything that is due at the same time is decided in several turns', async () => {
  const { alerts, clock, fail, read } = open()
  await fail()
  read()
  clock.now += minute
  await alerts.review({ incidents: [] })
  const counts = read()
  expect([sum(counts), most(counts)]).toEqual([ids.length, checksATurn])
  expect([...alerts.state.incidents.values()].flatMap(({ members }) => members)).toHaveLength(ids.length)
})

test('a removed rule closes its incidents in several turns', async () => {
  const { alerts, world, clock, fail } = open()
  await fail()
  clock.now += minute
  await alerts.review({ incidents: [] })
  clock.now += minute
  alerts.redefine({ ...world.plan, rules: new Map(), rulesOf: new Map() })
  await alerts.review({ incidents: [] })
  expect([...alerts.state.incidents.values()].filter(({ closedAt }) => closedAt === null)).toEqual([])
})

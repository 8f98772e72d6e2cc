import { expect, test } from 'vitest'
import { AlertWorld, alertCheck, alertRule, start } from '../../../test/support/alert-world.ts'
import type { ClientFields } from '../../catalogue/config-file/config-schema.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'

const minute = 60_000
const settings: NonNullable<ClientFields['alertSettings']> = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
}
const subscribed = (more: ClientFields = {}): { readonly clientFields: ClientFields } => ({
  clientFields: { alertChannelSubscriptions: [{ alertChannelId: 7, activated: true }], ...more },
})
const own = (more: Partial<typeof settings>) => subscribed({ useGlobalAlertSettings: false, alertSettings: { ...settings, ...more } })
const rule = (more: Partial<AlertRule> = {}) => alertRule({ subscription: 7, ...more })

test('a rule of a channel covers the checks that subscribe to it, whatever other rules they name', () => {
  const paused: ClientFields = { alertChannelSubscriptions: [{ alertChannelId: 7, activated: false }] }
  const checks = [
    alertCheck('shop', { ...subscribed(), alerts: ['another'] }),
    alertCheck('mail', { clientFields: paused }),
    alertCheck('blog'),
  ]
  const world = new AlertWorld({ checks, rules: [rule()] }, start)
  for (const id of ['shop', 'mail', 'blog']) world.result(id, 'down')
  expect(world.lines).toEqual(['0 chat open shop is failing'])
})

test('each check is reported after the number of runs or the time in its own settings', () => {
  const checks = [
    alertCheck('first', subscribed({ alertSettings: { ...settings, runBasedEscalation: { failedRunThreshold: 3 } } })),
    alertCheck('second', own({ runBasedEscalation: { failedRunThreshold: 2 } })),
    alertCheck('late', own({ escalationType: 'TIME_BASED' })),
  ]
  const world = new AlertWorld({ checks, rules: [rule()] }, start)
  for (let run = 0; run < 7; run++) {
    for (const { id } of checks) world.result(id, 'down')
    world.advance(minute)
  }
  expect(world.lines).toEqual(['0 chat open first is failing', '60 chat open second is failing', '300 chat open late is failing'])
})

test('with parallel runs, a percentage of the locations must fail', () => {
  const locations = ['eu', 'us', 'asia']
  const checks = [alertCheck('shop', { locations, ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 60 } }) })]
  const world = new AlertWorld({ checks, rules: [rule()] }, start)
  for (const runLocation of locations) world.result('shop', 'up', { runLocation })
  world.advance(minute)
  world.result('shop', 'down', { runLocation: 'eu' })
  expect(world.lines).toEqual([])
  world.result('shop', 'down', { runLocation: 'us' })
  expect(world.lines).toHaveLength(1)
})

test('reminders follow the settings of the check', () => {
  const world = new AlertWorld({ checks: [alertCheck('shop', own({ reminders: { amount: 2, interval: 5 } }))], rules: [rule()] }, start)
  for (let run = 0; run < 20; run++) {
    world.result('shop', 'down')
    world.advance(minute)
  }
  expect(world.lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    '0 chat open',
    '300 chat reminder',
    '600 chat reminder',
  ])
})

test('changed settings of a check do not report it again', () => {
  const world = new AlertWorld({ checks: [alertCheck('shop', subscribed())], rules: [rule()] }, start)
  world.result('shop', 'down')
  world.reconfigure([alertCheck('shop', own({ reminders: { amount: 1, interval: 5 } }))], [rule()])
  world.advance(minute)
  expect(world.lines).toHaveLength(1)
})

test('a channel without recoveries is notified of the next failure, but not of recoveries', () => {
  const world = new AlertWorld({ checks: [alertCheck('shop', subscribed())], rules: [rule({ omitsRecovery: true })] }, start)
  for (const outcome of ['down', 'up', 'up', 'down'] as const) {
    world.result('shop', outcome)
    world.advance(20 * minute)
  }
  expect(world.lines.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual(['chat open', 'chat open'])
})

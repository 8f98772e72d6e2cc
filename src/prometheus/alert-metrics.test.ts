import { expect, test } from 'vitest'
import { alertMetrics } from './alert-metrics.ts'

const alerts = {
  account: 'acme',
  open: 2,
  deliveries: [{ channel: 'ops', outcome: 'retry', count: 3 }],
  oldestUnsentAt: 1000,
  isLeader: true,
}
const samples = (more: Partial<typeof alerts | { oldestUnsentAt: null }>) =>
  alertMetrics({ ...alerts, ...more }, 'text', 3500)
    .split('\n')
    .filter((line) => !line.startsWith('# HELP'))

test('alerts have metrics', () => {
  expect(samples({})).toEqual([
    '# TYPE tidemark_alerts_open gauge',
    'tidemark_alerts_open{account="acme"} 2',
    '# TYPE tidemark_alert_deliveries_total counter',
    'tidemark_alert_deliveries_total{account="acme",channel="ops",outcome="retry"} 3',
    '# TYPE tidemark_alert_oldest_unsent_seconds gauge',
    'tidemark_alert_oldest_unsent_seconds 2.5',
    '# TYPE tidemark_alerts_leader gauge',
    'tidemark_alerts_leader 1',
    '',
  ])
})

test('without waiting messages, or with future ones, the age of the oldest is zero', () => {
  for (const oldestUnsentAt of [null, 4000]) expect(samples({ oldestUnsentAt })).toContain('tidemark_alert_oldest_unsent_seconds 0')
  expect(samples({ isLeader: false })).toContain('tidemark_alerts_leader 0')
})

test('in OpenMetrics the age has a unit, and each family a help text', () => {
  const lines = alertMetrics(alerts, 'openmetrics', 3500).split('\n')
  expect(lines.filter((line) => line.startsWith('# UNIT'))).toEqual(['# UNIT tidemark_alert_oldest_unsent_seconds seconds'])
  expect(lines.filter((line) => line.startsWith('# HELP'))).toEqual([
    '# HELP tidemark_alerts_open Open alerts.',
    '# HELP tidemark_alert_deliveries Attempts to deliver messages: delivered, retry, broken or givenUp.',
    '# HELP tidemark_alert_oldest_unsent_seconds Age of the oldest undelivered message, over all accounts; 0 if there is none.',
    '# HELP tidemark_alerts_leader Whether this process sends alerts: 1 for one of the processes that share a database.',
  ])
})

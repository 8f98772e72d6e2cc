import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import type { AccountPolicies } from '../../catalogue/policies/parse-policies.ts'
import { maintenanceRows } from './maintenance-rows.ts'

const now = Date.parse('2026-11-14T12:00:00Z')

test('current and upcoming windows are listed by their start, with the next of recurring ones', () => {
  const night = { at: '02:00', for: '1h', timezone: 'Europe/Berlin' }
  const repeated = { from: '2026-11-01T09:00:00Z', to: '2026-11-01T10:00:00Z', timezone: 'UTC' }
  const maintenance = [
    { name: 'Patch', every: 'day', ...night, tags: ['web', 'api'] },
    { name: 'Month end', every: 'month', on: 31, ...night },
    { name: 'Now', from: '2026-11-14T12:00:00Z', to: '2026-11-14T13:00:00Z', checks: ['a', 'b'], tags: ['x'] },
    { name: 'Over', from: '2026-11-13T12:00:00Z', to: '2026-11-13T13:00:00Z' },
    { name: 'Weeks', ...repeated, repeat: { every: 'week', interval: 3 } },
    { name: 'Days', ...repeated, repeat: { every: 'day', interval: 1 } },
  ]
  expect(rowsOf(maintenance, now)).toEqual([
    'acme | Now | current | 2026-11-14T12:00:00Z | 2026-11-14T13:00:00Z | once | a, b if tagged x',
    'acme | Patch | upcoming | 2026-11-15T02:00:00+01:00 | 2026-11-15T03:00:00+01:00 | every day | tagged web or api',
    'acme | Days | upcoming | 2026-11-15T09:00:00Z | 2026-11-15T10:00:00Z | every day | all',
    'acme | Weeks | upcoming | 2026-11-22T09:00:00Z | 2026-11-22T10:00:00Z | every 3 weeks | all',
    'acme | Month end | upcoming | 2026-12-31T02:00:00+01:00 | 2026-12-31T03:00:00+01:00 | every month | all',
  ])
})

test.each([
  ['2026-07-31', 2, '2027-01-31'],
  ['2024-02-29', 12, '2028-02-29'],
])('a maintenance of %s that repeats every %i months is listed before the next one, on %s', (first, interval, next) => {
  const times = { from: `${first}T09:00:00Z`, to: `${first}T10:00:00Z`, timezone: 'UTC' }
  const maintenance = [{ name: 'Rare', ...times, repeat: { every: 'month', interval } }]
  expect(rowsOf(maintenance, Date.parse(`${first}T11:00:00Z`))).toEqual([
    `acme | Rare | upcoming | ${next}T09:00:00Z | ${next}T10:00:00Z | every ${interval} months | all`,
  ])
})

function rowsOf(maintenance: readonly object[], at: number): readonly string[] {
  const checks = ['a', 'b'].map((id) => ({ ...exampleCheck(anyRunType()), id, tags: ['x', 'web'] }))
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', maintenance, checks }] }), {})
  const policies = 'config' in parsed ? parsed.config.policies.get('acme') : undefined
  const accounts = [{ account: { id: 'acme' }, policies }] as unknown as readonly AccountPolicies[]
  return maintenanceRows(accounts, at).map((cells) => cells.join(' | '))
}

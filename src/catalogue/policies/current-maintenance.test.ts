import { expect, test } from 'vitest'
import { findZone, utc } from '../../calendar/zone.ts'
import { currentMaintenance } from './current-maintenance.ts'
import { type MaintenancePolicy, noPolicies } from './policies.ts'

const at = (text: string) => Date.parse(text)
const all = { checks: [], tags: [] }
const shop = { id: 'shop', tags: ['web'] }

test('a check is in maintenance from the first instant of a window until its end, in any order of queries', () => {
  const patching: MaintenancePolicy = { name: 'Patching', ...all, from: at('2026-11-20T22:00:00Z'), to: at('2026-11-20T23:30:00Z') }
  const nameAt = (time: string) => currentMaintenance({ ...noPolicies, maintenance: [patching] }, at(time))(shop)?.name ?? null
  const asked = [
    '2026-11-20T21:59:59.999Z',
    '2026-11-20T22:00:00Z',
    '2026-11-20T23:29:59.999Z',
    '2026-11-20T23:30:00Z',
    '2026-11-20T22:10:00Z',
  ]
  expect(asked.map(nameAt)).toEqual([null, 'Patching', 'Patching', null, 'Patching'])
})

test('a recurring window applies at each of its times, and only to selected checks', () => {
  const zone = findZone('Europe/Berlin') ?? utc
  const nightly: MaintenancePolicy = { name: 'Nightly', checks: [], tags: ['web'], every: 'day', atMinutes: 120, forMs: 3_600_000, zone }
  const nameAt = (time: string, check = shop) =>
    currentMaintenance({ ...noPolicies, maintenance: [nightly] }, at(time))(check)?.name ?? null
  expect(nameAt('2026-11-20T01:30:00Z')).toBe('Nightly')
  expect(nameAt('2026-11-20T02:00:00Z')).toBeNull()
  expect(nameAt('2026-11-21T01:00:00Z')).toBe('Nightly')
  expect(nameAt('2026-11-21T01:00:00Z', { id: 'other', tags: [] })).toBeNull()
})

test('a current maintenance window has its end', () => {
  const patching: MaintenancePolicy = { name: 'Patching', ...all, from: at('2026-11-20T22:00:00Z'), to: at('2026-11-20T23:30:00Z') }
  const policies = { ...noPolicies, maintenance: [patching] }
  expect(currentMaintenance(policies, at('2026-11-20T22:10:00Z'))(shop)?.until).toBe(patching.to)
  expect(currentMaintenance(policies, patching.to)(shop)).toBeNull()
})

import { expect, test } from 'vitest'
import { utc } from '../../calendar/zone.ts'
import type { AlertStep, ServiceHoursPolicy } from '../../catalogue/policies/policies.ts'
import { accessOf } from './steps.ts'

const hour = 3_600_000
const monday = Date.UTC(2026, 4, 4)
const at = (hours: number) => monday + hours * hour
const during: ServiceHoursPolicy = { name: 'office', days: ['mon'], fromMinutes: 9 * 60, toMinutes: 17 * 60, zone: utc }
const open = { openedAt: at(10), closedAt: null, acknowledged: null }
const step = (more: Partial<AlertStep> = {}): AlertStep => ({ afterMs: 0, to: ['chat'], during: null, outside: 'hold', ...more })
const later = step({ afterMs: hour })
const held = step({ during })
const dropped = step({ during, outside: 'drop' })

test.each([
  ['no step includes it', [step({ to: ['mail'] })], open, 10, { code: 'none', at: null }],
  ['at once', [step()], open, 10, { code: 'active', at: null }],
  ['before its time', [later], open, 10.9, { code: 'waits', at: at(11) }],
  ['at its time', [later], open, 11, { code: 'active', at: null }],
  ['acknowledged before', [later], { ...open, acknowledged: { at: at(10.9), by: 'me' } }, 12, { code: 'stopped', at: null }],
  ['acknowledged at its time', [later], { ...open, acknowledged: { at: at(11), by: 'me' } }, 12, { code: 'active', at: null }],
  ['closed before', [later], { ...open, closedAt: at(10.9) }, 12, { code: 'stopped', at: null }],
  ['closed at its time', [later], { ...open, closedAt: at(11) }, 12, { code: 'active', at: null }],
  ['acknowledged, at once', [step()], { ...open, acknowledged: { at: at(9), by: 'me' } }, 12, { code: 'active', at: null }],
  ['one that waits and one that does not', [later, step()], open, 10, { code: 'active', at: at(11) }],
  ['two that wait', [step({ afterMs: 2 * hour }), later], open, 10, { code: 'waits', at: at(11) }],
  ['in its hours', [held], open, 10, { code: 'active', at: null }],
  ['at their end', [held], open, 17, { code: 'held', at: at(7 * 24 + 9) }],
  ['before them', [held], open, 8, { code: 'held', at: at(9) }],
  ['opened in hours to be left out of', [dropped], open, 10, { code: 'active', at: null }],
  ['opened outside of them', [dropped], { ...open, openedAt: at(8) }, 10, { code: 'dropped', at: null }],
  ['opened in them, and later', [dropped], open, 18, { code: 'held', at: at(7 * 24 + 9) }],
  ['held and dropped', [dropped, held], { ...open, openedAt: at(8) }, 8.5, { code: 'held', at: at(9) }],
] as const)('%s', (_, steps, incident, hours, access) => {
  expect(accessOf(steps, 'chat', incident, at(hours))).toEqual(access)
})

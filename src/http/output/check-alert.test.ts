import { expect, test } from 'vitest'
import type { MemberChange } from '../../alerts/outbox/alert-records.ts'
import { checkAlertEntry } from './check-alert.ts'

test.each([
  ['failing', 'opened', 'ALERT_FAILURE'],
  ['failing', 'closed', 'ALERT_RECOVERY'],
  ['degraded', 'opened', 'ALERT_DEGRADED'],
  ['degraded', 'closed', 'ALERT_DEGRADED_RECOVERY'],
  ['certificate', 'opened', 'ALERT_SSL'],
  ['certificate', 'closed', 'ALERT_RECOVERY'],
] as const)('%s, %s: %s', (condition, kind, alertType) => {
  const member = { subject: 'check shop', checkId: 'shop', name: 'Shop', reason: 'status 503', result: null }
  const entry = checkAlertEntry({ incident: 'i', condition, member, kind, at: 0 } as unknown as MemberChange, () => 'A_TYPE')
  expect(entry).toMatchObject({ alertType, checkId: 'shop', checkType: 'A_TYPE', error: kind === 'opened' ? 'status 503' : null })
})

import { describe, expect, test } from 'vitest'
import type { DeliveryRecord, MemberChange } from '../../alerts/outbox/alert-records.ts'
import { checkAlertEntry, notificationEntry } from './check-alert.ts'

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

const at = Date.parse('2026-11-14T10:00:00Z')
const result = { id: 'run', startedAt: at - 1000, runLocation: 'eu', responseTimeMs: 12.5, statusCode: 503 }

test('a check that began to fail is shown with its failing run', () => {
  const member = { subject: 'check shop', checkId: 'shop', name: 'Shop', reason: 'status 503', result }
  const change = { incident: 'i', condition: 'failing', member, kind: 'opened', at } as unknown as MemberChange
  const entry = checkAlertEntry(change, () => null)
  expect(entry).toEqual({
    ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Shop', checkId: 'shop', alertType: 'ALERT_FAILURE', checkType: null },
    ...{ runLocation: 'eu', responseTime: 12.5, error: 'status 503', statusCode: '503' },
    ...{ created_at: '2026-11-14T10:00:00.000Z', startedAt: '2026-11-14T09:59:59.000Z' },
  })
  const ids = [
    change,
    { ...change, kind: 'closed' as const },
    { ...change, incident: 'j' },
    { ...change, member: { ...change.member, subject: 'check blog' } },
  ].map((one) => checkAlertEntry(one, () => null).id)
  expect(new Set(ids).size).toBe(4)
  expect(checkAlertEntry({ ...change }, () => 'T').id).toBe(entry.id)
})

test.each([
  [null, { runLocation: null, responseTime: null, statusCode: null, startedAt: null }],
  [
    { ...result, responseTimeMs: null, statusCode: null },
    { runLocation: 'eu', responseTime: null, statusCode: null },
  ],
  [{ ...result, statusCode: 0 }, { statusCode: '0' }],
])('the run %j is shown as %j', (run, expected) => {
  const member = { subject: 's', checkId: null, name: 'Shop', reason: null, result: run }
  const change = { incident: 'i', condition: 'failing', member, kind: 'opened', at } as unknown as MemberChange
  expect(checkAlertEntry(change, (id) => (id === '' ? null : 'T'))).toMatchObject({ checkId: '', checkType: null, ...expected })
})

describe('a message to a channel', () => {
  const subject = (id: string | null, more: object = {}) => ({
    ...{ check: id === null ? null : { id, type: 'A_TYPE', tags: [] }, until: null, result: null },
    ...more,
  })
  const channel = { type: 'WEBHOOK', alertConfig: { name: 'ops' }, alertChannelId: 7 }
  const recordOf = (subjects: readonly object[], more: object = {}, condition = 'failing') =>
    ({
      ...{ state: 'delivered', attempts: 1, lastAt: at, answer: '200 ok', nextAt: null },
      delivery: {
        ...{ incident: 'i', decidedAt: at - 5000, notifiedAfter: { open: ['blog 7', 'shop 30'] } },
        message: { id: 'message', condition, subjects },
      },
      ...more,
    }) as unknown as DeliveryRecord
  const alertId = (id: string, kind: 'opened' | 'closed') =>
    checkAlertEntry(
      { incident: 'i', condition: 'failing', member: { subject: id, checkId: id, name: id }, kind, at } as unknown as MemberChange,
      () => null,
    ).id

  test('has the id of its first check', () => {
    expect(notificationEntry(recordOf([subject(null), subject('shop', { result }), subject('blog')]), channel)).toEqual({
      ...{ id: 'message', type: 'WEBHOOK', status: 'SUCCESS', alertConfig: { name: 'ops' }, notificationResult: '200 ok' },
      ...{ timestamp: '2026-11-14T10:00:00.000Z', checkType: 'A_TYPE', checkId: 'shop', checkAlertId: alertId('shop', 'opened') },
      ...{ alertChannelId: 7, checkResultId: 'run' },
    })
  })
  test('without a check has no ids', () => {
    const entry = notificationEntry(recordOf([subject(null)], { lastAt: null }), channel)
    expect(entry).toMatchObject({ checkType: null, checkId: null, checkAlertId: null, checkResultId: null })
    expect(entry.timestamp).toBe('2026-11-14T09:59:55.000Z')
  })
  test('has the id of its alert', () => {
    const idOf = (subjects: readonly object[], condition?: string) =>
      notificationEntry(recordOf(subjects, {}, condition), channel).checkAlertId
    expect(idOf([subject('shop', { until: at })])).toBe(alertId('shop', 'closed'))
    expect(idOf([subject('shop')], 'certificate')).toBe(alertId('shop 30', 'opened'))
    expect(idOf([subject('sho')], 'certificate')).toBeNull()
  })
  test.each([
    [{ state: 'delivered', attempts: 3 }, 'SUCCESS'],
    [{ state: 'waiting', attempts: 0, answer: null }, 'IN_PROGRESS'],
    [{ state: 'waiting', attempts: 1, answer: '503 busy' }, 'FAILURE'],
    [{ state: 'waiting', attempts: 1, answer: '429 too many' }, 'RATE_LIMITED'],
    [{ state: 'givenUp', attempts: 9, answer: '4290' }, 'FAILURE'],
    [{ state: 'superseded', attempts: 0, answer: null }, 'FAILURE'],
  ])('as %j has the status %s', (more, status) => {
    expect(notificationEntry(recordOf([subject('shop')], more), channel).status).toBe(status)
  })
})

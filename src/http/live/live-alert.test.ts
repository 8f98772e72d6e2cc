import { describe, expect, test } from 'vitest'
import type { Incident, Member } from '../../alerts/decide/model.ts'
import { channelNotice } from '../../alerts/loop/channel-notice.ts'
import type { DeliveryAttempt } from '../../alerts/outbox/alert-records.ts'
import { liveAlert } from './live-alert.ts'

const at = Date.parse('2026-11-14T10:00:00Z')
const member = (id: string, more: Partial<Member> = {}): Member => ({
  ...{ subject: `check ${id}`, checkId: id, name: id, since: at, openedAt: at, closedAt: null, until: null, endedBy: null },
  ...{ reason: null, locations: null, result: null, certificateDays: null, changes: [], flappingSince: null },
  ...more,
})
const incidentOf = (members: readonly Member[]): Incident => ({
  ...{ id: 'incident', account: 'acme', rule: 'all', key: 'k', condition: 'failing', severity: 'critical' },
  ...{ openedAt: at, closedAt: null, acknowledged: null, members },
})
const ofIncident = (members: readonly Member[]) => liveAlert({ kind: 'incident', change: 'opened', incident: incidentOf(members) } as never)
const dataOf = (alert: ReturnType<typeof liveAlert>) => JSON.parse(alert.data())

describe('a change of an alert', () => {
  test('is sent with its checks, without duplicates', () => {
    const alert = ofIncident([member('a'), member('b'), member('a', { subject: 'again' }), member('x', { checkId: null })])
    expect([alert.name, alert.checkIds]).toEqual(['alert', ['a', 'b']])
    expect(dataOf(alert)).toMatchObject({ change: 'opened', alert: { id: 'incident', title: expect.any(String), memberCount: 4 } })
  })
  test('is sent with its first twenty members, open ones first', () => {
    const many = Array.from({ length: 25 }, (_, i) => member(`m${i}`, { closedAt: i < 6 ? at : null }))
    const { alert } = dataOf(ofIncident(many))
    const open = Array.from({ length: 19 }, (_, i) => `m${i + 6}`)
    expect(alert.members.map(({ checkId }: { checkId: string }) => checkId)).toEqual([...open, 'm0'])
    expect([alert.memberCount, ofIncident(many).checkIds.length]).toEqual([25, 25])
  })
  test('counts with about the length of its texts in bytes', () => {
    expect(ofIncident([member('a')]).bytes).toBe(500 + 8 + 400 + 1)
    const locations = { down: ['eu', 'us'], known: 3 }
    expect(ofIncident([member('a', { name: 'Shop', reason: 'status 503', locations }), member('b')]).bytes).toBe(
      500 + 16 + (400 + 4 + 10 + 40) + (400 + 1),
    )
  })
})

describe('a delivery attempt', () => {
  const subject = (id: string | null) => ({ check: id === null ? null : { id, type: 'T', tags: [] } })
  const attempt = {
    ...{ account: 'acme', at, outcome: 'failed', answer: '503 busy', nextAt: at + 60_000 },
    delivery: {
      ...{ channel: 'ops', incident: 'incident' },
      message: {
        id: 'message',
        event: 'open',
        title: 'Shop is failing',
        subjects: [subject('a'), subject(null), subject('b'), subject('a')],
      },
    },
  } as unknown as DeliveryAttempt

  test('is sent with the checks of its message', () => {
    const alert = liveAlert({ kind: 'attempt', attempt })
    expect([alert.name, alert.checkIds, alert.bytes]).toEqual(['delivery', ['a', 'b'], 500 + 15 + 8])
    expect(dataOf(alert)).toEqual({
      ...{ id: 'message', alertId: 'incident', channel: 'ops', event: 'open', title: 'Shop is failing' },
      ...{ at: '2026-11-14T10:00:00.000Z', outcome: 'failed', answer: '503 busy', nextAt: '2026-11-14T10:01:00.000Z' },
    })
  })
  test('that is the last one has no next time, and one about a channel has no alert', () => {
    expect(dataOf(liveAlert({ kind: 'attempt', attempt: { ...attempt, nextAt: null } })).nextAt).toBeNull()
    const account = { account: { id: 'acme', name: 'Acme' } }
    const message = { ...attempt.delivery.message, ...account, links: { incident: null, acknowledge: null } }
    const notice = channelNotice({ ...attempt, delivery: { ...attempt.delivery, message } as never })
    expect(dataOf(liveAlert({ kind: 'attempt', attempt: { ...attempt, delivery: notice } })).alertId).toBeNull()
  })
})

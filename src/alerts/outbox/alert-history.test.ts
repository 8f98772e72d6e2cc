import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Incident, Member, Silence } from '../decide/model.ts'
import { openAlertDatabase } from './alert-database.ts'
import { noHistory, readAlertHistory } from './alert-history.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 10, 17, 12)
const day = { from: now - 24 * hour, to: now }

function open() {
  const directory = temporaryFolder()
  const database = openAlertDatabase({ directory })
  onTestFinished(() => database.close())
  return { directory, database, history: (window = day, account = 'acme') => readAlertHistory(directory, account, window) }
}

const silence = (id: string, from: number, to: number): Silence => ({
  id,
  account: 'acme',
  checks: [],
  tags: [],
  from,
  to,
  by: 'ann',
  comment: '',
})

const incident = (id: string, acknowledged: Incident['acknowledged']): Incident => ({
  id,
  account: 'acme',
  rule: 'all',
  key: id,
  condition: 'failing',
  severity: 'critical',
  openedAt: now - 3 * hour,
  closedAt: null,
  acknowledged,
  members: ['shop', 'bank'].map((subject) => ({ subject, checkId: subject }) as Member),
})

test('a folder without an alert database has no history', () => {
  expect(readAlertHistory(temporaryFolder(), 'acme', day)).toEqual(noHistory)
})

test('a file of an earlier version is read as far as possible', () => {
  const directory = temporaryFolder()
  const file = new DatabaseSync(join(directory, 'alerts.db'))
  file.exec('CREATE TABLE silences (id TEXT, account TEXT, ends_at INTEGER, body TEXT)')
  file.prepare('INSERT INTO silences VALUES (?, ?, ?, ?)').run('a', 'acme', now, JSON.stringify(silence('a', now - hour, now)))
  file.close()
  expect(readAlertHistory(directory, 'acme', day)).toEqual({ ...noHistory, silences: [silence('a', now - hour, now)] })
})

test('silences are kept for the time in which they were active, even if they were ended early', () => {
  const { database, history } = open()
  database.putSilence(silence('early', now - 2 * hour, now + hour), now - 2 * hour)
  database.putSilence(silence('over', now - 2 * hour, now - hour), now - 2 * hour)
  database.putSilence(silence('later', now + hour, now + 2 * hour), now)
  expect([database.endSilence('acme', 'early', now), database.endSilence('acme', 'later', now)]).toEqual([true, true])
  expect([database.endSilence('acme', 'early', now), database.endSilence('acme', 'over', now)]).toEqual([false, false])
  expect(database.load(now).silences).toEqual([])
  expect(history({ ...day, to: now + hour }).silences).toEqual([
    silence('early', now - 2 * hour, now),
    silence('over', now - 2 * hour, now - hour),
  ])
  expect(history({ from: now - hour, to: now }).silences.map(({ id }) => id)).toEqual(['early'])
  expect(history(day, 'other').silences).toEqual([])
  database.expire(now - hour + 1)
  expect(history().silences.map(({ id }) => id)).toEqual(['early'])
})

test('of many past silences, the newest are kept', () => {
  const { directory, database, history } = open()
  const file = new DatabaseSync(join(directory, 'alerts.db'))
  file.exec('BEGIN')
  const put = file.prepare('INSERT INTO silences VALUES (?, ?, ?, ?)')
  for (let i = 0; i < 10_001; i++) put.run(`${i}`, 'acme', now - 20_000 + i, JSON.stringify(silence(`${i}`, 0, now - 20_000 + i)))
  file.exec('COMMIT')
  file.close()
  database.putSilence(silence('new', now, now + hour), now)
  const kept = history().silences
  expect([kept.length, kept.some(({ id }) => id === '0'), kept.some(({ id }) => id === '1')]).toEqual([10_001, false, true])
})

test('acknowledgements name the subjects of their incident', () => {
  const { database, history } = open()
  const change = { account: 'acme', notified: [], deliveries: [], superseded: [], finished: ['a'], now }
  database.commit({ ...change, incidents: [incident('a', { at: now - hour, by: 'ann' }), incident('b', null)] })
  expect(history().acknowledgements).toEqual([{ rule: 'all', condition: 'failing', subjects: ['shop', 'bank'], at: now - hour, by: 'ann' }])
})

test('times at which canaries were unreachable are kept, and the start of monitoring them', () => {
  const { database, history } = open()
  const place = { account: 'acme', location: 'eu' }
  database.recordUnreachable({ ...place, from: now - 9 * hour, to: now - 9 * hour })
  database.recordUnreachable({ ...place, from: now - 8 * hour, to: null })
  database.recordUnreachable({ ...place, from: now - 8 * hour, to: now - 7 * hour })
  database.recordUnreachable({ ...place, from: now - hour, to: null })
  expect(history()).toMatchObject({
    unreachable: [
      { location: 'eu', from: now - 8 * hour, to: now - 7 * hour },
      { location: 'eu', from: now - hour, to: null },
    ],
    watchedFrom: { eu: now - 9 * hour },
  })
  expect(database.load(now).unreachable).toEqual([{ ...place, since: now - hour }])
  database.expire(now)
  expect(history().unreachable).toEqual([{ location: 'eu', from: now - hour, to: null }])
})

test('the history is complete since the first start', () => {
  const { database, history } = open()
  expect(history().since).toBeNull()
  database.beginHistory(now - hour)
  database.beginHistory(now)
  expect(history().since).toBe(now - hour)
})

import { type Database, transaction } from '../../store/embedded/disk/sqlite.ts'
import type { Notified, Silence } from '../decide/model.ts'
import { parsedBody } from './alert-file.ts'
import {
  type AlertChange,
  type ChannelHealth,
  type DeliveryAttempt,
  type DeliveryState,
  deliveryBody,
  type SeenAgent,
  type UnreachableSpell,
} from './alert-records.ts'

/** Every change is one transaction, synced. */
export type AlertWriter = {
  /** Idempotent. */
  commit(change: AlertChange): void
  /** Writes the outcome of an attempt and the health of its channel. `notified` is null unless the message was delivered or given up. */
  recordAttempt(attempt: DeliveryAttempt, notified: Notified | null, health: ChannelHealth): void
  putSilence(silence: Silence, now: number): void
  /** False if there is no such current silence. The time that it was in force is kept. */
  endSilence(account: string, id: string, now: number): boolean
  /** Records when a location could reach none of its canaries. */
  recordUnreachable(spell: UnreachableSpell): void
  /** Records when agents reported, and drops those that are no longer expected. */
  recordAgents(seen: readonly SeenAgent[], forgotten: readonly SeenAgent[]): void
  /** Drops rows that ended before an instant. */
  expire(before: number): void
}

/** Limits of ended records, so that silences created in a loop, or a flapping network, do not fill the disk. */
const keptSilences = 10_000
const keptSpells = 10_000

export function createAlertWriter(database: Database): AlertWriter {
  const putIncident = database.prepare(
    `INSERT INTO incidents (id, account, opened_at, closed_at, is_finished, body) VALUES (?, ?, ?, ?, 0, ?)
     ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, is_finished = 0, body = excluded.body`,
  )
  const finish = database.prepare('UPDATE incidents SET is_finished = 1 WHERE id = ?')
  const putNotified = database.prepare(
    'INSERT INTO told (incident, channel, body) VALUES (?, ?, ?) ON CONFLICT (incident, channel) DO UPDATE SET body = excluded.body',
  )
  const putDelivery = database.prepare(
    `INSERT INTO deliveries (id, account, incident, channel, decided_at, state, attempts, next_at, body) VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
  )
  const supersede = database.prepare(`UPDATE deliveries SET state = 'superseded', next_at = NULL WHERE id = ? AND state = 'waiting'`)
  const attempted = database.prepare(
    'UPDATE deliveries SET state = ?, attempts = attempts + 1, last_at = ?, answer = ?, next_at = ? WHERE id = ?',
  )
  const silence = database.prepare('SELECT body FROM silences WHERE account = ? AND id = ? AND ends_at > ?')
  const putSilence = database.prepare(
    'INSERT INTO silences (id, account, ends_at, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET ends_at = excluded.ends_at, body = excluded.body',
  )
  const deleteSilence = database.prepare('DELETE FROM silences WHERE id = ?')
  const dropSilences = database.prepare(
    `DELETE FROM silences WHERE id IN (SELECT id FROM silences WHERE account = ? AND ends_at <= ? ORDER BY ends_at DESC LIMIT -1 OFFSET ${keptSilences})`,
  )
  const putSpell = database.prepare(
    `INSERT INTO unreachable (account, location, began_at, ended_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account, location, began_at) DO UPDATE SET ended_at = excluded.ended_at`,
  )
  const dropSpells = database.prepare(
    `DELETE FROM unreachable WHERE rowid IN
     (SELECT rowid FROM unreachable WHERE account = ? AND location = ? ORDER BY began_at DESC LIMIT -1 OFFSET ${keptSpells})`,
  )
  const putAgent = database.prepare(
    `INSERT INTO agents (account, location, instance, last_at, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account, location, instance) DO UPDATE SET last_at = excluded.last_at, body = excluded.body`,
  )
  const dropAgent = database.prepare('DELETE FROM agents WHERE account = ? AND location = ? AND instance = ?')
  const putHealth = database.prepare('INSERT OR REPLACE INTO health (account, channel, body) VALUES (?, ?, ?)')

  const writeSilence = (each: Silence) => void putSilence.run(each.id, each.account, each.to, JSON.stringify(each))
  /** Joins the current transaction, if there is one. */
  const atomically = (work: () => void) => (database.isTransaction ? work() : transaction(database, work))

  return {
    commit({ account, incidents, notified, deliveries, superseded, finished, now }) {
      atomically(() => {
        for (const incident of incidents)
          putIncident.run(incident.id, account, incident.openedAt, incident.closedAt, JSON.stringify(incident))
        for (const each of notified) putNotified.run(each.incident, each.channel, JSON.stringify(each))
        for (const { message } of superseded) supersede.run(message.id)
        for (const delivery of deliveries) {
          const { message, incident, channel, decidedAt } = delivery
          putDelivery.run(message.id, account, incident, channel, decidedAt, now, deliveryBody(delivery))
        }
        for (const id of finished) finish.run(id)
      })
    },
    recordAttempt({ delivery, at, outcome, answer, nextAt }, notified, health) {
      const state: DeliveryState = outcome === 'delivered' || outcome === 'givenUp' ? outcome : 'waiting'
      atomically(() => {
        attempted.run(state, at, answer, nextAt, delivery.message.id)
        if (notified) putNotified.run(notified.incident, notified.channel, JSON.stringify(notified))
        putHealth.run(health.account, health.channel, JSON.stringify(health))
      })
    },
    putSilence(added, now) {
      atomically(() => {
        writeSilence(added)
        dropSilences.run(added.account, now)
      })
    },
    endSilence(account, id, now) {
      const found = silence.get(account, id, now)
      if (found === undefined) return false
      const known = parsedBody<Silence>(found)
      if (known.from >= now) deleteSilence.run(id)
      else writeSilence({ ...known, to: now })
      return true
    },
    recordUnreachable({ account, location, from, to }) {
      atomically(() => {
        putSpell.run(account, location, from, to)
        dropSpells.run(account, location)
      })
    },
    recordAgents(seen, forgotten) {
      atomically(() => {
        for (const { account, location, instance } of forgotten) dropAgent.run(account, location, instance)
        for (const agent of seen) putAgent.run(agent.account, agent.location, agent.instance, agent.lastAt, JSON.stringify(agent))
      })
    },
    expire(before) {
      atomically(() => {
        const old = 'SELECT id FROM incidents WHERE is_finished = 1 AND closed_at < ?'
        database.prepare(`DELETE FROM told WHERE incident IN (${old})`).run(before)
        database.prepare(`DELETE FROM deliveries WHERE decided_at < ? AND state <> 'waiting'`).run(before)
        database.prepare('DELETE FROM incidents WHERE is_finished = 1 AND closed_at < ?').run(before)
        database.prepare('DELETE FROM silences WHERE ends_at < ?').run(before)
        database.prepare('DELETE FROM unreachable WHERE ended_at < ?').run(before)
      })
    },
  }
}

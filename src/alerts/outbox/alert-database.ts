import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { copyDatabase } from '../../store/embedded/disk/backup.ts'
import { makePrivateFile, restrictFile } from '../../store/embedded/disk/private-files.ts'
import type { Database } from '../../store/embedded/disk/sqlite.ts'
import { transaction } from '../../store/embedded/disk/transaction.ts'
import type { DeliveryOutcome } from '../channels/channel.ts'
import type { AlertCondition, AlertEvent } from '../channels/message.ts'
import type { Delivery, Incident, Member, Silence, Told } from '../decide/model.ts'
import { changesIn, compareChanges, type PlacedChange } from './member-changes.ts'

/** Incidents, what channels were told of them, and messages on their way: a file in the data folder. Every change is one transaction, synced. */
export type AlertDatabase = {
  load(now: number): StoredAccounts
  commit(change: AlertChange): void
  /** The outcome of an attempt, and what is known of its channel now; `told` is what the channel knows, where it confirmed the message. */
  recordAttempt(attempt: DeliveryAttempt, told: Told | null, health: ChannelHealth): void
  putSilence(silence: Silence, now: number): void
  /** False where there is no such silence that is not over. That it was in force is kept. */
  endSilence(account: string, id: string, now: number): boolean
  /** When a location could reach none of its canaries. */
  recordUnreachable(spell: UnreachableSpell): void
  /** From when on silences and acknowledgements are recorded: from the first call on. */
  beginHistory(now: number): void
  /** The newest first, each with its first members and the last message to each channel. */
  incidents(query: IncidentQuery): readonly IncidentRecord[]
  /** With as many members and messages as are shown of one. */
  incident(account: string, id: string): IncidentRecord | null
  /** When checks became members of incidents and ceased to be, the newest first. */
  changes(query: ChangeQuery): readonly MemberChange[]
  /** Messages with their last attempts, the newest first. */
  deliveries(query: DeliveryQuery): readonly DeliveryRecord[]
  /** Drops what ended before an instant. */
  expire(before: number): void
  /** Signs the links of messages. */
  secret(): string
  close(): void
}

export type StoredAccounts = {
  readonly incidents: readonly Incident[]
  readonly told: readonly Told[]
  readonly inFlight: readonly WaitingDelivery[]
  /** Those that are not over. */
  readonly silences: readonly Silence[]
  readonly health: readonly ChannelHealth[]
  /** Since when each location whose canaries were ever watched can reach none of them; null where it can. */
  readonly unreachable: readonly (Pick<UnreachableSpell, 'account' | 'location'> & { readonly since: number | null })[]
}

/** A time in which a location could reach none of its canaries. `to` is null while it lasts. */
export type UnreachableSpell = { readonly account: string; readonly location: string; readonly from: number; readonly to: number | null }

/** Whether a channel takes messages: `failing` is tried again, `broken` will not work until somebody mends it. */
export type ChannelHealth = {
  readonly account: string
  readonly channel: string
  readonly state: 'ok' | 'failing' | 'broken'
  readonly since: number
  /** Of the last attempt, without secrets. */
  readonly answer: string
  readonly lastAt: number
}

/** A message that is still to be delivered. */
export type WaitingDelivery = {
  readonly account: string
  readonly delivery: Delivery
  readonly attempts: number
  /** Whether an attempt may have reached the channel, although no answer said so. Of what was read from disk that is not known. */
  readonly mayHaveArrived: boolean
  readonly nextAt: number
}

export type AlertChange = {
  readonly account: string
  readonly incidents: readonly Incident[]
  readonly told: readonly Told[]
  readonly deliveries: readonly Delivery[]
  readonly superseded: readonly Delivery[]
  /** Ids of incidents that are over and told. */
  readonly finished: readonly string[]
  readonly now: number
}

export type DeliveryAttempt = {
  readonly account: string
  readonly delivery: Delivery
  readonly at: number
  readonly outcome: DeliveryOutcome['outcome'] | 'givenUp'
  readonly answer: string
  /** When it is tried again; null where it is not. */
  readonly nextAt: number | null
}

/** Those that were open at any time of `[from, to)`. */
export type IncidentQuery = {
  readonly account: string
  readonly from: number
  readonly to: number
  readonly isOpen: boolean | null
  readonly checkId: string | null
  readonly limit: number
  readonly offset: number
}

export type IncidentRecord = {
  /** With some of its members. */
  readonly incident: Incident
  readonly memberCount: number
  readonly told: readonly Told[]
  /** The newest first. */
  readonly deliveries: readonly DeliverySummary[]
}

/** What became of a message, without the message. */
export type DeliverySummary = Omit<DeliveryRecord, 'delivery'> & {
  readonly id: string
  readonly channel: string
  readonly event: AlertEvent
  readonly title: string
  readonly decidedAt: number
}

/** Those in `[from, to)`. */
export type ChangeQuery = Omit<IncidentQuery, 'isOpen'>
export type MemberChange = {
  readonly incident: string
  readonly condition: AlertCondition
  readonly member: Member
  readonly kind: 'opened' | 'closed'
  readonly at: number
}

export const deliveryStates = ['waiting', 'delivered', 'superseded', 'givenUp'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Those decided in `[from, to)`. */
export type DeliveryQuery = {
  readonly account: string
  readonly from: number
  readonly to: number
  readonly channel: string | null
  readonly hasFailures: boolean | null
  readonly limit: number
  readonly offset: number
}

export type DeliveryRecord = {
  readonly delivery: Delivery
  readonly state: DeliveryState
  readonly attempts: number
  readonly lastAt: number | null
  readonly answer: string | null
  readonly nextAt: number | null
}

/** A group may have thousands of members, and an outage thousands of reminders. */
const listedMembers = 20
const shownMembers = 1000
const shownDeliveries = 200

type AttemptColumns = {
  readonly state: DeliveryState
  readonly attempts: number
  readonly last_at: number | null
  readonly answer: string | null
  readonly next_at: number | null
}
type DeliveryRow = AttemptColumns & { readonly body: string }
type SummaryRow = AttemptColumns & {
  readonly id: string
  readonly channel: string
  readonly event: AlertEvent
  readonly title: string
  readonly decided_at: number
}

const summaryColumns = `id, channel, body ->> '$.message.event' AS event, body ->> '$.message.title' AS title, decided_at, state, attempts, last_at, answer, next_at`

export const alertFileName = 'alerts.db'
/** The name of the setting that says from when on the history is complete. */
export const historyFromSetting = 'historyFrom'

/** Limits of closed records, so that silences made in a loop, or a flapping network, do not fill the disk. */
const keptSilences = 10_000
const keptSpells = 10_000

const schema = `
  CREATE TABLE IF NOT EXISTS incidents (
    id TEXT PRIMARY KEY, account TEXT NOT NULL, opened_at INTEGER NOT NULL, closed_at INTEGER, is_finished INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS incidents_by_time ON incidents (account, opened_at);
  CREATE INDEX IF NOT EXISTS incidents_unfinished ON incidents (is_finished) WHERE is_finished = 0;
  CREATE TABLE IF NOT EXISTS told (incident TEXT NOT NULL, channel TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (incident, channel)) STRICT;
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, account TEXT NOT NULL, incident TEXT NOT NULL, channel TEXT NOT NULL, decided_at INTEGER NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, last_at INTEGER, answer TEXT, next_at INTEGER, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_by_time ON deliveries (account, decided_at);
  CREATE INDEX IF NOT EXISTS deliveries_of_incident ON deliveries (incident);
  CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (state) WHERE state = 'waiting';
  CREATE TABLE IF NOT EXISTS silences (id TEXT PRIMARY KEY, account TEXT NOT NULL, ends_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS silences_by_end ON silences (account, ends_at);
  CREATE TABLE IF NOT EXISTS unreachable (
    account TEXT NOT NULL, location TEXT NOT NULL, began_at INTEGER NOT NULL, ended_at INTEGER, PRIMARY KEY (account, location, began_at)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS health (account TEXT NOT NULL, channel TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (account, channel)) STRICT;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`

export function openAlertDatabase({ directory }: { readonly directory: string }): AlertDatabase {
  return openAlertFile(directory).alerts
}

/** For those who also work on the file itself. */
export function openAlertFile(directory: string): { readonly database: Database; readonly alerts: AlertDatabase } {
  const file = join(directory, alertFileName)
  makePrivateFile(file)
  for (const suffix of ['-wal', '-shm']) restrictFile(`${file}${suffix}`)
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -2048')
  database.exec(schema)
  const putIncident = database.prepare(
    `INSERT INTO incidents (id, account, opened_at, closed_at, is_finished, body) VALUES (?, ?, ?, ?, 0, ?)
     ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at, is_finished = 0, body = excluded.body`,
  )
  const finish = database.prepare('UPDATE incidents SET is_finished = 1 WHERE id = ?')
  const putTold = database.prepare(
    'INSERT INTO told (incident, channel, body) VALUES (?, ?, ?) ON CONFLICT (incident, channel) DO UPDATE SET body = excluded.body',
  )
  const putDelivery = database.prepare(
    `INSERT INTO deliveries (id, account, incident, channel, decided_at, state, attempts, next_at, body) VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?)`,
  )
  const supersede = database.prepare(`UPDATE deliveries SET state = 'superseded', next_at = NULL WHERE id = ? AND state = 'waiting'`)
  const attempted = database.prepare(
    'UPDATE deliveries SET state = ?, attempts = attempts + 1, last_at = ?, answer = ?, next_at = ? WHERE id = ?',
  )
  const unfinished = database.prepare('SELECT body FROM incidents WHERE is_finished = 0')
  const toldOfUnfinished = database.prepare('SELECT told.body FROM told JOIN incidents ON id = incident WHERE is_finished = 0')
  const waiting = database.prepare(`SELECT account, body, attempts, next_at FROM deliveries WHERE state = 'waiting'`)
  const currentSilences = database.prepare('SELECT body FROM silences WHERE ends_at > ? ORDER BY rowid')
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
  const lastSpells = database.prepare(
    'SELECT account, location, max(iif(ended_at IS NULL, began_at, NULL)) AS since FROM unreachable GROUP BY account, location',
  )
  const putHealth = database.prepare('INSERT OR REPLACE INTO health (account, channel, body) VALUES (?, ?, ?)')
  const allHealth = database.prepare('SELECT body FROM health')
  const toldOf = database.prepare('SELECT body FROM told WHERE incident = ? ORDER BY channel')
  const deliveriesOf = database.prepare(
    `SELECT ${summaryColumns} FROM deliveries WHERE incident = ? ORDER BY decided_at DESC, rowid DESC LIMIT ${shownDeliveries}`,
  )
  const lastDeliveriesOf = database.prepare(
    `SELECT ${summaryColumns} FROM deliveries WHERE rowid IN (SELECT max(rowid) FROM deliveries WHERE incident = ? GROUP BY channel)
     ORDER BY decided_at DESC, rowid DESC LIMIT ${shownDeliveries}`,
  )
  const oneIncident = database.prepare('SELECT body FROM incidents WHERE id = ? AND account = ?')
  const incidentsAt = database.prepare(
    'SELECT body FROM incidents WHERE account = ? AND opened_at < ? AND (closed_at IS NULL OR closed_at >= ?)',
  )
  const findIncidents = database.prepare(
    `SELECT body FROM incidents WHERE account = :account AND opened_at < :to AND (closed_at IS NULL OR closed_at >= :from)
     AND (:isOpen IS NULL OR (closed_at IS NULL) = :isOpen)
     AND (:checkId IS NULL OR EXISTS (SELECT 1 FROM json_each(body, '$.members') WHERE value ->> 'checkId' = :checkId))
     ORDER BY opened_at DESC, id LIMIT :limit OFFSET :offset`,
  )
  const findDeliveries = database.prepare(
    `SELECT * FROM deliveries WHERE account = :account AND decided_at >= :from AND decided_at < :to AND (:channel IS NULL OR channel = :channel)
     AND (:hasFailures IS NULL OR (state IN ('givenUp', 'superseded') OR (state = 'waiting' AND attempts > 0)) = :hasFailures)
     ORDER BY decided_at DESC, rowid DESC LIMIT :limit OFFSET :offset`,
  )
  /** Open members first. */
  function incidentRecord(row: unknown, maxMembers: number, deliveries: { all(incident: string): unknown[] }): IncidentRecord {
    const incident = parsedBody<Incident>(row)
    const { id, members } = incident
    const first = members.toSorted((a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null)).slice(0, maxMembers)
    return {
      incident: { ...incident, members: first },
      memberCount: members.length,
      told: toldOf.all(id).map(parsedBody<Told>),
      deliveries: (deliveries.all(id) as SummaryRow[]).map(deliverySummary),
    }
  }

  const writeSilence = (each: Silence) => void putSilence.run(each.id, each.account, each.to, JSON.stringify(each))

  /** What is part of a transaction begins none. */
  const atomically = (work: () => void) => (database.isTransaction ? work() : transaction(database, work))
  const readSetting = database.prepare('SELECT value FROM settings WHERE name = ?')
  const addSetting = database.prepare('INSERT INTO settings (name, value) VALUES (?, ?)')

  const alerts: AlertDatabase = {
    load: (now) => ({
      incidents: unfinished.all().map(parsedBody<Incident>),
      told: toldOfUnfinished.all().map(parsedBody<Told>),
      inFlight: (waiting.all() as (DeliveryRow & { readonly account: string })[]).map((row) => ({
        account: row.account,
        delivery: parsedBody<Delivery>(row),
        attempts: row.attempts,
        mayHaveArrived: true,
        nextAt: row.next_at ?? 0,
      })),
      silences: currentSilences.all(now).map(parsedBody<Silence>),
      health: allHealth.all().map(parsedBody<ChannelHealth>),
      unreachable: lastSpells.all() as StoredAccounts['unreachable'],
    }),
    commit({ account, incidents, told, deliveries, superseded, finished, now }) {
      atomically(() => {
        for (const incident of incidents)
          putIncident.run(incident.id, account, incident.openedAt, incident.closedAt, JSON.stringify(incident))
        for (const each of told) putTold.run(each.incident, each.channel, JSON.stringify(each))
        for (const { message } of superseded) supersede.run(message.id)
        for (const delivery of deliveries) {
          const { message, incident, channel, decidedAt } = delivery
          putDelivery.run(message.id, account, incident, channel, decidedAt, now, JSON.stringify(delivery))
        }
        for (const id of finished) finish.run(id)
      })
    },
    recordAttempt({ delivery, at, outcome, answer, nextAt }, told, health) {
      const state: DeliveryState = outcome === 'delivered' || outcome === 'givenUp' ? outcome : 'waiting'
      atomically(() => {
        attempted.run(state, at, answer, nextAt, delivery.message.id)
        if (told) putTold.run(told.incident, told.channel, JSON.stringify(told))
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
    beginHistory(now) {
      if (readSetting.get(historyFromSetting) === undefined) addSetting.run(historyFromSetting, String(now))
    },
    incidents: ({ isOpen, ...query }) =>
      findIncidents
        .all({ ...query, isOpen: isOpen === null ? null : Number(isOpen) })
        .map((row) => incidentRecord(row, listedMembers, lastDeliveriesOf)),
    incident(account, id) {
      const row = oneIncident.get(id, account)
      return row === undefined ? null : incidentRecord(row, shownMembers, deliveriesOf)
    },
    changes(query) {
      const { account, from, to, limit, offset } = query
      const found: PlacedChange[] = []
      for (const row of incidentsAt.iterate(account, to, from)) for (const each of changesIn(parsedBody(row), query)) found.push(each)
      const page = found.sort(compareChanges).slice(offset, offset + limit)
      const named = new Map<PlacedChange, MemberChange>()
      for (const id of new Set(page.map(({ incident }) => incident))) {
        const { condition, members } = parsedBody<Incident>(oneIncident.get(id, account))
        for (const change of page) {
          const member = change.incident === id ? members[change.place] : undefined
          if (member) named.set(change, { incident: id, condition, member, kind: change.kind, at: change.at })
        }
      }
      return page.flatMap((change) => named.get(change) ?? [])
    },
    deliveries: ({ hasFailures, ...query }) =>
      (findDeliveries.all({ ...query, hasFailures: hasFailures === null ? null : Number(hasFailures) }) as DeliveryRow[]).map(
        deliveryRecord,
      ),
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
    secret() {
      const known = readSetting.get('secret') as { readonly value: string } | undefined
      if (known) return known.value
      const value = randomBytes(32).toString('base64url')
      addSetting.run('secret', value)
      return value
    },
    close: () => database.close(),
  }
  return { database, alerts }
}

/** Copies what channels were told into another data folder, where there is any, so that a restored one does not tell it again. */
export async function backUpAlerts(directory: string, destination: string): Promise<void> {
  const file = join(directory, alertFileName)
  if (!existsSync(file)) return
  await copyDatabase(new DatabaseSync(file, { readOnly: true, timeout: 10_000 }), join(destination, alertFileName))
}

export function parsedBody<T>(row: unknown): T {
  return JSON.parse((row as { readonly body: string }).body)
}

function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return { delivery: parsedBody<Delivery>(row), ...attemptsOf(row) }
}

function deliverySummary(row: SummaryRow): DeliverySummary {
  const { id, channel, event, title, decided_at: decidedAt } = row
  return { id, channel, event, title, decidedAt, ...attemptsOf(row) }
}

const attemptsOf = ({ state, attempts, last_at: lastAt, answer, next_at: nextAt }: AttemptColumns) => ({
  state,
  attempts,
  lastAt,
  answer,
  nextAt,
})

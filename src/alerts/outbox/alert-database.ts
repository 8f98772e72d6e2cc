import { randomBytes } from 'node:crypto'
import type { Database } from '../../store/embedded/disk/sqlite.ts'
import type { Incident, Notified, Silence } from '../decide/model.ts'
import { historyFromSetting, openAlertFile, parsedBody } from './alert-file.ts'
import { type AlertReader, createAlertReader } from './alert-reader.ts'
import { type ChannelHealth, parsedDelivery, type SeenAgent, type StoredAccounts } from './alert-records.ts'
import { type AlertWriter, createAlertWriter } from './alert-writer.ts'

/** Incidents, notifications and undelivered messages: a file in the data folder. */
export type AlertDatabase = AlertReader &
  AlertWriter & {
    load(now: number): StoredAccounts
    /** The first call records its time: from then on, silences and acknowledgements are complete. */
    beginHistory(now: number): void
    /** Signs the links of messages. */
    secret(): string
    close(): void
  }

export function openAlertDatabase({ directory }: { readonly directory: string }): AlertDatabase {
  return alertDatabaseOf(openAlertFile(directory))
}

type WaitingRow = { readonly account: string; readonly body: string; readonly attempts: number; readonly next_at: number | null }

export function alertDatabaseOf(database: Database): AlertDatabase {
  const unfinished = database.prepare('SELECT body FROM incidents WHERE is_finished = 0')
  const notifiedOfUnfinished = database.prepare('SELECT told.body FROM told JOIN incidents ON id = incident WHERE is_finished = 0')
  const waiting = database.prepare(`SELECT account, body, attempts, next_at FROM deliveries WHERE state = 'waiting'`)
  const currentSilences = database.prepare('SELECT body FROM silences WHERE ends_at > ? ORDER BY rowid')
  const lastSpells = database.prepare(
    'SELECT account, location, max(iif(ended_at IS NULL, began_at, NULL)) AS since FROM unreachable GROUP BY account, location',
  )
  const allHealth = database.prepare('SELECT body FROM health')
  const allAgents = database.prepare('SELECT body FROM agents')
  const readSetting = database.prepare('SELECT value FROM settings WHERE name = ?')
  const addSetting = database.prepare('INSERT INTO settings (name, value) VALUES (?, ?)')

  return {
    ...createAlertReader(database),
    ...createAlertWriter(database),
    load: (now) => ({
      incidents: unfinished.all().map(parsedBody<Incident>),
      notified: notifiedOfUnfinished.all().map(parsedBody<Notified>),
      inFlight: (waiting.all() as WaitingRow[]).map((row) => ({
        account: row.account,
        delivery: parsedDelivery(row),
        attempts: row.attempts,
        mayHaveArrived: true,
        nextAt: row.next_at ?? 0,
      })),
      silences: currentSilences.all(now).map(parsedBody<Silence>),
      health: allHealth.all().map(parsedBody<ChannelHealth>),
      agents: allAgents.all().map(parsedBody<SeenAgent>),
      unreachable: lastSpells.all() as StoredAccounts['unreachable'],
    }),
    beginHistory(now) {
      if (readSetting.get(historyFromSetting) === undefined) addSetting.run(historyFromSetting, String(now))
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
}

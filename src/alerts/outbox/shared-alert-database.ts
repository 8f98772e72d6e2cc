import type { Silence } from '../decide/model.ts'
import { type AlertDatabase, alertDatabaseOf } from './alert-database.ts'
import { openAlertFile, parsedBody } from './alert-file.ts'
import type { ChannelHealth } from './alert-records.ts'
import { type AlertRows, openAlertRows } from './alert-rows.ts'

/** A replica of the alert database, for processes that share a ClickHouse database. */
export type SharedAlertDatabase = AlertDatabase &
  AlertRows & {
    summary(now: number): AlertSummary
  }

/** A summary that is cheap to read. */
export type AlertSummary = {
  readonly open: readonly { readonly account: string; readonly count: number }[]
  readonly waiting: number
  readonly oldestWaitingAt: number | null
  /** Current and future silences. */
  readonly silences: readonly Silence[]
  /** Incidents that are open, or not yet reported as over. */
  readonly incidents: readonly { readonly id: string; readonly isOpen: number; readonly isAcknowledged: number }[]
  readonly health: readonly ChannelHealth[]
  readonly secret: string | null
}

export function openSharedAlertDatabase({ directory }: { readonly directory: string }): SharedAlertDatabase {
  const database = openAlertFile(directory)
  const rows = openAlertRows(database, (name) => functionOf(shared, name))
  const open = database.prepare(
    'SELECT account, count(*) AS count FROM incidents WHERE is_finished = 0 AND closed_at IS NULL GROUP BY account',
  )
  const waiting = database.prepare(`SELECT count(*) AS waiting, min(decided_at) AS oldestWaitingAt FROM deliveries WHERE state = 'waiting'`)
  const unfinished = database.prepare(
    `SELECT id, closed_at IS NULL AS isOpen, body ->> '$.acknowledged.at' IS NOT NULL AS isAcknowledged FROM incidents WHERE is_finished = 0`,
  )
  const silences = database.prepare('SELECT body FROM silences WHERE ends_at > ? ORDER BY rowid')
  const health = database.prepare('SELECT body FROM health')
  const secret = database.prepare(`SELECT value FROM settings WHERE name = 'secret'`)
  const shared: SharedAlertDatabase = {
    ...alertDatabaseOf(database),
    ...rows,
    summary: (now) => ({
      open: open.all() as AlertSummary['open'],
      ...(waiting.get() as Pick<AlertSummary, 'waiting' | 'oldestWaitingAt'>),
      incidents: unfinished.all() as AlertSummary['incidents'],
      silences: silences.all(now).map(parsedBody<Silence>),
      health: health.all().map(parsedBody<ChannelHealth>),
      secret: (secret.get() as { readonly value: string } | undefined)?.value ?? null,
    }),
  }
  return shared
}

/** Sound because callers are checked against the type. */
function functionOf(module: SharedAlertDatabase, name: string): (...args: readonly unknown[]) => unknown {
  return module[name as keyof SharedAlertDatabase] as (...args: readonly unknown[]) => unknown
}

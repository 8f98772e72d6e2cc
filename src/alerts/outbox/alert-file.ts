import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { copyDatabase } from '../../store/embedded/disk/backup.ts'
import { openPrivateDatabase } from '../../store/embedded/disk/private-database.ts'
import type { Database } from '../../store/embedded/disk/sqlite.ts'

export const alertFileName = 'alerts.db'
/** The setting with the time from which the history is complete. */
export const historyFromSetting = 'historyFrom'

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
  CREATE TABLE IF NOT EXISTS agents (
    account TEXT NOT NULL, location TEXT NOT NULL, instance TEXT NOT NULL, last_at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (account, location, instance)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS health (account TEXT NOT NULL, channel TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (account, channel)) STRICT;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`

/** Opens the file of a data folder, and creates its tables if missing. */
export function openAlertFile(directory: string): Database {
  const database = openPrivateDatabase(join(directory, alertFileName))
  database.exec(schema)
  return database
}

/** Copies the file, if it exists, into another data folder, so that a restored folder does not send messages again. */
export async function backUpAlerts(directory: string, destination: string): Promise<void> {
  const file = join(directory, alertFileName)
  if (!existsSync(file)) return
  await copyDatabase(new DatabaseSync(file, { readOnly: true, timeout: 10_000 }), join(destination, alertFileName))
}

export function parsedBody<T>(row: unknown): T {
  return JSON.parse((row as { readonly body: string }).body)
}

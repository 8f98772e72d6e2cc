import type { DatabaseSyncInstance } from '@photostructure/sqlite'

export type Database = DatabaseSyncInstance

/** All of `work` is written, or nothing of it. */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const outcome = work()
    database.exec('COMMIT')
    return outcome
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Everything that `work` reads comes from one snapshot of the database. */
export function readSnapshot<T>(database: Database, work: () => T): T {
  database.exec('BEGIN')
  try {
    return work()
  } finally {
    if (database.isTransaction) database.exec('COMMIT')
  }
}

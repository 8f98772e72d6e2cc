import { crc32 } from 'node:zlib'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { DamagedData } from './errors.ts'

export type Database = DatabaseSyncInstance

/** Runs `work` in a transaction, which is rolled back on an error. */
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

/** Runs `work` on one snapshot of the database. */
export function readSnapshot<T>(database: Database, work: () => T): T {
  database.exec('BEGIN')
  try {
    return work()
  } finally {
    if (database.isTransaction) database.exec('COMMIT')
  }
}

/** A checksum that also covers the key, so that a row under a wrong key is detected. */
export function checksum(key: string, bytes: Uint8Array | string): number {
  return crc32(bytes, crc32(key))
}

/** A row: the key in its checksum, and its description in a damage report. */
type Row = { readonly key: string; readonly finding: string }

/** Accepts values of any type: damage may also change the type, and SQLite returns the value as it is. */
export function verify({ key, finding }: Row, stored: unknown, crc: unknown): void {
  const isWhole = (typeof stored === 'string' || stored instanceof Uint8Array) && checksum(key, stored) === crc
  if (!isWhole) throw new DamagedData(`The stored data at ${key} is damaged. Run: tidemark doctor`, finding)
}

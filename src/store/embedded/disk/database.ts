import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { makeFolder } from '../../../make-folder.ts'

export type Database = DatabaseSyncInstance

const layoutVersion = 4
const layout = `
  CREATE TABLE IF NOT EXISTS series (
    key INTEGER PRIMARY KEY, account TEXT NOT NULL, checkId TEXT NOT NULL,
    edition INTEGER NOT NULL DEFAULT 0, segments INTEGER NOT NULL DEFAULT 0, days INTEGER NOT NULL DEFAULT 0, fingerprint TEXT, createdAt INTEGER, updatedAt INTEGER,
    UNIQUE (account, checkId)
  );
  CREATE TABLE IF NOT EXISTS hot (
    segment INTEGER PRIMARY KEY, series INTEGER NOT NULL, firstAt INTEGER NOT NULL, results INTEGER NOT NULL,
    crc INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS hot_series ON hot (series, segment);
  CREATE TABLE IF NOT EXISTS day (
    series INTEGER NOT NULL, day INTEGER NOT NULL, edition INTEGER NOT NULL, results INTEGER NOT NULL, columns TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (series, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS column_name (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS chunk (key INTEGER PRIMARY KEY, crc INTEGER NOT NULL, bytes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS sealed_id (
    series INTEGER NOT NULL, hash INTEGER NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (series, hash, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS latest (
    series INTEGER NOT NULL, location TEXT NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (series, location)
  ) WITHOUT ROWID;
`

/** The data folder cannot be used as it is; the message tells a person why and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

/** Another process holds the data folder. */
export class DataFolderInUse extends DataFolderError {}

/** What was read is not what was written. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData'
}

export const databaseFile = (directory: string) => join(directory, 'tidemark.db')

/** Opens the database for the one writer, and makes it where there is none. */
export function openForWriting(directory: string): Database {
  makeFolder(directory)
  return explained(directory, () => {
    const database = new DatabaseSync(databaseFile(directory), { timeout: 10_000 })
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384')
    if (database.prepare('PRAGMA page_count').get().page_count > 1) requireLayout(database, directory)
    database.exec(`BEGIN; ${layout} PRAGMA user_version = ${layoutVersion}; COMMIT`)
    return database
  })
}

export function openForReading(directory: string): Database {
  return explained(directory, () => {
    const database = new DatabaseSync(databaseFile(directory), { readOnly: true, timeout: 10_000 })
    database.exec('PRAGMA cache_size = -8192')
    requireLayout(database, directory)
    return database
  })
}

/** Refuses what another version has written, and tables that are not as they were made: they would be searched in vain. */
function requireLayout(database: Database, directory: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get()
  if (version !== 0 && version !== layoutVersion)
    throw new DataFolderError(
      `The data in ${directory} was written by ${version > layoutVersion ? 'a newer' : 'an older'} Tidemark, in a layout that this one cannot read. Start that version, or choose another folder.`,
    )
  const fresh = new DatabaseSync(':memory:')
  fresh.exec(layout)
  const isSame = tablesOf(database) === tablesOf(fresh)
  fresh.close()
  if (!isSame) throw damagedFolder(directory, 'its tables are not as they were made')
}

function tablesOf(database: Database): string {
  const tables: readonly object[] = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  return tables.map((table) => Object.values(table).join(' ').replaceAll(/\s+/g, ' ')).join('\n')
}

/** A database that is not as it was written, and how. */
export function damagedFolder(directory: string, how: string): DataFolderError {
  return new DataFolderError(`The database in ${directory} is damaged (${how}). Run: tidemark doctor --data ${directory}`)
}

/** Holds the data folder for this process until it is called; the system lets go of it when the process dies. */
export function lock(directory: string): () => void {
  makeFolder(directory)
  const holder = new DatabaseSync(join(directory, 'lock'))
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch {
    holder.close()
    throw new DataFolderInUse(
      `Another Tidemark is using the data folder ${directory}. Stop it first, or choose another folder with --data.`,
    )
  }
  return () => holder.close()
}

/** All of `work` or nothing of it. */
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

const secondReading = new Error('What is read next must be of the same instant as what was read before.')

/**
 * All that `work` reads is of one instant. Most questions find all but one thing in memory, and one statement is of one instant by
 * itself; so a transaction is opened only for `work` that says, by `demandInstant`, that it reads on, and it starts anew then.
 */
export function readSnapshot<T>(database: Database, work: () => T): T {
  try {
    return work()
  } catch (problem) {
    if (problem !== secondReading) throw problem
  }
  database.exec('BEGIN')
  try {
    return work()
  } finally {
    if (database.isTransaction) database.exec('COMMIT')
  }
}

/** To be called before all but the first statement of a question. */
export function requireSnapshot(database: Database): void {
  if (!database.isTransaction) throw secondReading
}

/** A checksum that also covers where the bytes belong, so that what stands in the wrong place is noticed. */
export function checksum(place: string, bytes: Uint8Array | string): number {
  return crc32(bytes, crc32(place))
}

export function verify(place: string, bytes: Uint8Array | string, crc: number): void {
  if (checksum(place, bytes) !== crc) throw new DamagedData(`The stored data at ${place} is damaged. Run: tidemark doctor`)
}

const damageCodes = new Set([11, 26])

function explained<T>(directory: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (error instanceof Error && damageCodes.has((error as { sqliteCode?: number }).sqliteCode ?? 0))
      throw damagedFolder(directory, error.message)
    throw error
  }
}

const cannotWrite = /database or disk is full|disk I\/O error|readonly database|unable to open database file|database is locked/

/** Whether an error, also one that has come from another thread, says that nothing can be written at present. */
export function isUnwritable(problem: unknown): problem is Error {
  return problem instanceof Error && cannotWrite.test(problem.message)
}

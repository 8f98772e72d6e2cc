import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { DataFolderError, damagedFolder, damageText, isDamage, isUnwritable, unwritableFolder } from './errors.ts'
import { createLayout, hasLayout, layoutVersion } from './layout.ts'
import { migrate, oldestLayout } from './migrations.ts'
import { makePrivateFile, makePrivateFolder, restrictFile } from './private-files.ts'
import { type Database, transaction } from './sqlite.ts'

export const databaseFile = (directory: string) => join(directory, 'tidemark.db')

/** A data folder that was migrated to a newer layout. */
export type Migration = { readonly from: number; readonly to: number; readonly ms: number }

/** Opens the database for the single writer; creates it if missing, and migrates an older layout. */
export function openForWriting(directory: string, migrated: (migration: Migration) => void = () => {}): Database {
  makePrivateFolder(directory)
  return explained(directory, () => {
    makePrivateFile(databaseFile(directory))
    for (const suffix of ['-wal', '-shm']) restrictFile(`${databaseFile(directory)}${suffix}`)
    const database = new DatabaseSync(databaseFile(directory), { timeout: 10_000 })
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384')
    if (database.prepare('PRAGMA page_count').get().page_count > 1) bringUpToDate(database, directory, migrated)
    createLayout(database)
    return database
  })
}

export function openForReading(directory: string): Database {
  return explained(directory, () => {
    accessSync(databaseFile(directory), constants.R_OK)
    const database = new DatabaseSync(databaseFile(directory), { readOnly: true, timeout: 10_000 })
    database.exec('PRAGMA cache_size = -8192')
    const version = versionOf(database, directory)
    if (version < layoutVersion)
      throw new DataFolderError(
        `The data in ${directory} was written by an older Tidemark. Start the server once to upgrade it: tidemark serve --data ${directory}`,
      )
    requireLayout(database, directory)
    return database
  })
}

function bringUpToDate(database: Database, directory: string, migrated: (migration: Migration) => void): void {
  const version = versionOf(database, directory)
  const begun = performance.now()
  transaction(database, () => {
    if (version < layoutVersion) migrate(database, version)
    requireLayout(database, directory)
  })
  if (version < layoutVersion) migrated({ from: version, to: layoutVersion, ms: Math.round(performance.now() - begun) })
}

function requireLayout(database: Database, directory: string): void {
  if (!hasLayout(database)) throw damagedFolder(directory, 'its tables were altered')
}

/** The layout version of a database; throws if it can neither be read nor migrated. */
function versionOf(database: Database, directory: string): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get()
  if (version === 0) return layoutVersion
  if (version >= oldestLayout && version <= layoutVersion) return version
  const age = version > layoutVersion ? 'a newer' : 'an older'
  throw new DataFolderError(
    `The data in ${directory} was written by ${age} Tidemark, in a layout that this one cannot read. Start that version, or choose another folder.`,
  )
}

function explained<T>(directory: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (isDamage(error)) throw damagedFolder(directory, damageText(error))
    throw isUnwritable(error) ? unwritableFolder(directory, error) : error
  }
}

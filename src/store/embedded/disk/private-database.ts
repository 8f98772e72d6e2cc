import { DatabaseSync } from '@photostructure/sqlite'
import { makePrivateFile, restrictFile } from './private-files.ts'
import type { Database } from './sqlite.ts'

/** Opens a small database that only its owner may read; creates it if missing. Commits are durable. */
export function openPrivateDatabase(file: string): Database {
  makePrivateFile(file)
  for (const suffix of ['-wal', '-shm']) restrictFile(`${file}${suffix}`)
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -2048')
  return database
}

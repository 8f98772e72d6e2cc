import type { Reader } from '../query/question-reader.ts'
import { scanPages } from '../questions/questions.ts'
import type { CheckRef, Result, Store } from '../store.ts'
import { inlineWorker } from '../threads/worker.ts'
import { openForReading } from './disk/database.ts'
import { damagedFolder, damageText, isDamage } from './disk/errors.ts'
import { openFolderReader } from './query/folder-reader.ts'

/** Results held in memory at a time. */
const scanSize = 1000

/** Reads the results of a data folder, even while a server is using it. */
export function openReadOnly(directory: string): Pick<Store, 'scan' | 'close'> {
  const reader = inlineWorker<Reader>(explained(directory, () => openFolderReader(directory, 0)))
  return {
    async *scan(check, window, options): AsyncGenerator<readonly Result[]> {
      try {
        yield* scanPages(reader, { check, window, limit: scanSize }, options)
      } catch (error) {
        throw explanation(directory, error)
      }
    },
    close: () => reader.close(),
  }
}

function explained<T>(directory: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw explanation(directory, error)
  }
}

/** SQLite errors while reading also mean damage. */
function explanation(directory: string, error: unknown): unknown {
  const isSqlite = (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR'
  return isSqlite || isDamage(error) ? damagedFolder(directory, damageText(error)) : error
}

/** The checks with results in a data folder, by account and id, including those no longer in a config file. */
export function storedChecks(directory: string): readonly CheckRef[] {
  const database = openForReading(directory)
  try {
    return database.prepare('SELECT account, checkId FROM series WHERE segments + days > 0 ORDER BY account, checkId').all()
  } finally {
    database.close()
  }
}

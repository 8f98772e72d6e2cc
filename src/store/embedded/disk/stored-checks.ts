import type { CheckRef } from '../../store.ts'
import { openForReading } from './database.ts'

/** The checks that a data folder has results of, by account and id; also those that no config file has any more. */
export function storedChecks(directory: string): readonly CheckRef[] {
  const database = openForReading(directory)
  try {
    return database.prepare('SELECT account, checkId FROM series WHERE segments + days > 0 ORDER BY account, checkId').all()
  } finally {
    database.close()
  }
}

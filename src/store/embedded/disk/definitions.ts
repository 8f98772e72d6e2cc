import type { CheckRef } from '../../store.ts'
import { changesOf, type DefinitionChange } from '../../transfer/definition-changes.ts'
import { openRegimes } from './regimes.ts'
import type { Database } from './sqlite.ts'

/** Reads the definition changes of a check, oldest first; empty if it was never recorded. */
export function openDefinitions(database: Database) {
  const select = database.prepare(
    'SELECT fingerprint, createdAt, updatedAt FROM series WHERE account = ? AND checkId = ? AND fingerprint IS NOT NULL',
  )
  const regimesOf = openRegimes(database)
  return (check: CheckRef): readonly DefinitionChange[] => {
    const row = select.get(check.account, check.checkId)
    return row ? changesOf({ ...row, regimes: regimesOf(check) }) : []
  }
}

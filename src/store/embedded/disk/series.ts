import { checkKey } from '../../../ids/check-ref.ts'
import type { DefinitionRef, RecordedLifetime } from '../../definitions.ts'
import type { CheckRef } from '../../store.ts'
import { DamagedData } from './errors.ts'
import type { Database } from './sqlite.ts'

/** Maps checks to the short keys that identify them in every table. */
export function openSeries(database: Database) {
  const insert = database.prepare('INSERT INTO series (account, checkId) VALUES (?, ?) RETURNING key')
  const define = database.prepare('UPDATE series SET fingerprint = ?, createdAt = coalesce(createdAt, ?), updatedAt = ? WHERE key = ?')
  const selectDefinition = database.prepare('SELECT fingerprint, createdAt, updatedAt FROM series WHERE key = ?')
  const undefine = database.prepare('UPDATE series SET fingerprint = NULL, createdAt = NULL, updatedAt = NULL WHERE key = ?')
  const selectAll = database.prepare('SELECT key, account, checkId FROM series')
  const checks = new Map<number, CheckRef>()
  const keys = new Map<string, number>()
  const add = (key: number, check: CheckRef) => {
    checks.set(key, check)
    keys.set(checkKey(check), key)
    return key
  }
  const reload = () => {
    checks.clear()
    keys.clear()
    for (const { key, account, checkId } of selectAll.all()) add(key, { account, checkId })
  }
  reload()

  const keyOf = (check: CheckRef) => keys.get(checkKey(check)) ?? add(insert.get(check.account, check.checkId).key, check)
  return {
    keyOf,
    checkOf(key: number): CheckRef {
      const check = checks.get(key)
      if (!check) throw new DamagedData('Stored data belongs to no check. Run: tidemark doctor')
      return check
    },
    keys: () => [...checks.keys()],
    /** Reloads all keys, without those that a rolled-back transaction assigned. */
    reload,
    recordDefinition({ account, checkId, fingerprint }: DefinitionRef, now: number): RecordedLifetime {
      const key = keyOf({ account, checkId })
      if (selectDefinition.get(key).fingerprint !== fingerprint) define.run(fingerprint, now, now, key)
      const { createdAt, updatedAt } = selectDefinition.get(key)
      return { createdAt, updatedAt }
    },
    clearDefinition(key: number): void {
      undefine.run(key)
    },
  }
}

import type { DefinitionRef, Lifetime } from '../../definitions.ts'
import type { CheckRef } from '../../store.ts'
import type { Database } from './database.ts'

/** Checks by the short key that stands for them in every table. */
export function openSeries(database: Database) {
  const insert = database.prepare('INSERT INTO series (account, checkId) VALUES (?, ?) RETURNING key')
  const meet = database.prepare('UPDATE series SET fingerprint = ?, createdAt = coalesce(createdAt, ?), updatedAt = ? WHERE key = ?')
  const lifetime = database.prepare('SELECT fingerprint, createdAt, updatedAt FROM series WHERE key = ?')
  const checks = new Map<number, CheckRef>()
  const keys = new Map<string, number>()
  const remember = (key: number, check: CheckRef) => {
    checks.set(key, check)
    keys.set(nameOf(check), key)
    return key
  }
  for (const { key, account, checkId } of database.prepare('SELECT key, account, checkId FROM series').all())
    remember(key, { account, checkId })

  const keyOf = (check: CheckRef) => keys.get(nameOf(check)) ?? remember(insert.get(check.account, check.checkId).key, check)
  return {
    keyOf,
    checkOf: (key: number) => checks.get(key) as CheckRef,
    /** Forgets keys that a rolled-back transaction gave out. */
    reload(): void {
      const kept = new Set(
        database
          .prepare('SELECT key FROM series')
          .all()
          .map(({ key }) => key),
      )
      for (const [name, key] of keys) if (!kept.has(key)) keys.delete(name)
    },
    recordDefinition({ account, checkId, fingerprint }: DefinitionRef, now: number): Lifetime {
      const key = keyOf({ account, checkId })
      if (lifetime.get(key).fingerprint !== fingerprint) meet.run(fingerprint, now, now, key)
      const { createdAt, updatedAt } = lifetime.get(key)
      return { createdAt, updatedAt }
    },
  }
}

const nameOf = ({ account, checkId }: CheckRef) => JSON.stringify([account, checkId])

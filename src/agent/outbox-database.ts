import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { makePrivateFile, restrictFile } from '../store/embedded/disk/private-files.ts'
import { transaction } from '../store/embedded/disk/transaction.ts'

/** Results on disk that wait for delivery, oldest first, and what else an agent has to remember. */
export type OutboxDatabase = {
  /** On disk and synced once it returns. Beyond the limits the oldest results are dropped. */
  put(rows: readonly string[], now: number): OutboxCounts
  /** The oldest results after a position, as many as a batch may hold. */
  next(after: number): readonly OutboxRow[]
  /** Forgets results up to a position. */
  remove(upTo: number): OutboxCounts
  /** Drops results that are too old, and counts further ones that were dropped before they could be put here. */
  expire(now: number, furtherDropped: number): OutboxCounts
  read(name: string): string | null
  write(name: string, value: string): void
  close(): void
}

export type OutboxRow = { readonly position: number; readonly row: string }
export type OutboxCounts = { readonly waiting: number; readonly dropped: number }
export type OutboxLimits = { readonly maxBytes: number; readonly maxAgeMs: number }

const batchRows = 1000
const batchBytes = 1_000_000

export function openOutboxDatabase({ directory, limits }: { readonly directory: string; readonly limits: OutboxLimits }): OutboxDatabase {
  const file = join(directory, 'agent.db')
  makePrivateFile(file)
  for (const suffix of ['-wal', '-shm']) restrictFile(`${file}${suffix}`)
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -2048')
  database.exec(`
    CREATE TABLE IF NOT EXISTS results (position INTEGER PRIMARY KEY AUTOINCREMENT, put_at INTEGER NOT NULL, row TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`)
  const insert = database.prepare('INSERT INTO results (put_at, row) VALUES (?, ?)')
  const select = database.prepare('SELECT position, row FROM results WHERE position > ? ORDER BY position LIMIT ?')
  const totalsUpTo = database.prepare(
    'SELECT count(*) AS rows, coalesce(sum(length(CAST(row AS BLOB))), 0) AS bytes FROM results WHERE position <= ?',
  )
  const removeUpTo = database.prepare('DELETE FROM results WHERE position <= ?')
  const lastBefore = database.prepare('SELECT coalesce(max(position), 0) AS position FROM results WHERE put_at < ?')
  const oldest = database.prepare('SELECT position, length(CAST(row AS BLOB)) AS bytes FROM results ORDER BY position LIMIT 1000')
  const getSetting = database.prepare('SELECT value FROM settings WHERE name = ?')
  const setSetting = database.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  let held = totals(Number.MAX_SAFE_INTEGER)
  let dropped = Number(read('dropped') ?? 0)

  function totals(upTo: number): { readonly rows: number; readonly bytes: number } {
    const { rows, bytes } = totalsUpTo.get(upTo) as { rows: number; bytes: number }
    return { rows, bytes }
  }

  function read(name: string): string | null {
    return (getSetting.get(name) as { value: string } | undefined)?.value ?? null
  }

  /** What was held and dropped before stays true where the transaction fails. */
  function changing(work: () => void): OutboxCounts {
    const before = { held, dropped }
    try {
      transaction(database, work)
    } catch (error) {
      held = before.held
      dropped = before.dropped
      throw error
    }
    return { waiting: held.rows, dropped }
  }

  function removeRows(upTo: number): number {
    const gone = totals(upTo)
    if (gone.rows > 0) removeUpTo.run(upTo)
    held = { rows: held.rows - gone.rows, bytes: held.bytes - gone.bytes }
    return gone.rows
  }

  function drop(rows: number): void {
    if (rows === 0) return
    dropped += rows
    setSetting.run('dropped', String(dropped))
  }

  function put(rows: readonly string[], now: number): OutboxCounts {
    return changing(() => {
      for (const row of rows) insert.run(Math.floor(now), row)
      held = { rows: held.rows + rows.length, bytes: held.bytes + rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0) }
      while (held.bytes > limits.maxBytes && held.rows > 0) drop(removeRows(excessEnd()))
    })
  }

  /** The position up to which the oldest results have to go, up to 1000 of them at a time. */
  function excessEnd(): number {
    let excess = held.bytes - limits.maxBytes
    let end = 0
    for (const { position, bytes } of oldest.all() as { position: number; bytes: number }[]) {
      if (excess <= 0) break
      excess -= bytes
      end = position
    }
    return end
  }

  return {
    put,
    next(after) {
      let bytes = 0
      const found = select.all(after, batchRows) as OutboxRow[]
      const fitting = found.findIndex(({ row }) => {
        bytes += row.length
        return bytes > batchBytes
      })
      return found.slice(0, fitting === -1 ? found.length : Math.max(1, fitting)).map(({ position, row }) => ({ position, row }))
    },
    remove: (upTo) => changing(() => void removeRows(upTo)),
    expire: (now, furtherDropped) =>
      changing(() => {
        const { position } = lastBefore.get(now - limits.maxAgeMs) as { position: number }
        drop(removeRows(position) + furtherDropped)
      }),
    read,
    write: (name, value) => void setSetting.run(name, value),
    close: () => database.close(),
  }
}

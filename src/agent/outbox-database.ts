import { join } from 'node:path'
import { openPrivateDatabase } from '../store/embedded/disk/private-database.ts'
import { transaction } from '../store/embedded/disk/sqlite.ts'

/** Results on disk that wait for delivery, oldest first, and the agent's other persistent state. */
export type OutboxDatabase = {
  /** Synced to disk when it returns. Beyond the limits, the oldest evidence is dropped, and then the oldest results. */
  put(results: readonly OutboxResult[], now: number): OutboxCounts
  /** The oldest results after a position, as many as a batch may hold. */
  next(after: number): readonly OutboxRow[]
  /** The results at these positions, as many as a batch may hold; null for one that is gone. */
  find(positions: readonly number[]): readonly (OutboxRow | null)[]
  remove(positions: readonly number[]): OutboxCounts
  /** Drops results that are too old. `furtherDropped` are results that were dropped before they reached this database. */
  expire(now: number, furtherDropped: number): OutboxCounts
  read(name: string): string | null
  write(name: string, value: string): void
  close(): void
}

/** A result as a row of a body, and its encoded evidence. */
export type OutboxResult = { readonly row: string; readonly evidence: Uint8Array | null }
export type OutboxRow = OutboxResult & { readonly position: number }
export type OutboxCounts = { readonly waiting: number; readonly dropped: number }
export type OutboxLimits = { readonly maxBytes: number; readonly maxAgeMs: number }

type Held = { readonly rows: number; readonly rowBytes: number; readonly evidenceBytes: number }
type Sized = { readonly position: number; readonly bytes: number }

/** Small enough that the server answers queries between two batches. */
const batchRows = 250
const batchBytes = 1_000_000

export function openOutboxDatabase({ directory, limits }: { readonly directory: string; readonly limits: OutboxLimits }): OutboxDatabase {
  const database = openPrivateDatabase(join(directory, 'agent.db'))
  database.exec(`
    CREATE TABLE IF NOT EXISTS results (position INTEGER PRIMARY KEY AUTOINCREMENT, put_at INTEGER NOT NULL, row TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS evidence (position INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`)
  const insert = database.prepare('INSERT INTO results (put_at, row) VALUES (?, ?)')
  const insertEvidence = database.prepare('INSERT INTO evidence (position, body) VALUES (last_insert_rowid(), ?)')
  const select = database.prepare(
    'SELECT position, row, body AS evidence FROM results LEFT JOIN evidence USING (position) WHERE position > ? ORDER BY position LIMIT ?',
  )
  const selectOne = database.prepare(
    'SELECT position, row, body AS evidence FROM results LEFT JOIN evidence USING (position) WHERE position = ?',
  )
  const rowTotals = database.prepare(
    'SELECT count(*) AS rows, coalesce(sum(length(CAST(row AS BLOB))), 0) AS bytes FROM results WHERE position BETWEEN ? AND ?',
  )
  const evidenceTotals = database.prepare('SELECT coalesce(sum(length(body)), 0) AS bytes FROM evidence WHERE position BETWEEN ? AND ?')
  const deleteRows = database.prepare('DELETE FROM results WHERE position BETWEEN ? AND ?')
  const deleteEvidence = database.prepare('DELETE FROM evidence WHERE position BETWEEN ? AND ?')
  const firstSince = database.prepare('SELECT position FROM results WHERE put_at >= ? ORDER BY position LIMIT 1')
  const oldestRows = database.prepare('SELECT position, length(CAST(row AS BLOB)) AS bytes FROM results ORDER BY position LIMIT 1000')
  const oldestEvidence = database.prepare('SELECT position, length(body) AS bytes FROM evidence ORDER BY position LIMIT 1000')
  const getSetting = database.prepare('SELECT value FROM settings WHERE name = ?')
  const setSetting = database.prepare(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  let held = totals(0, Number.MAX_SAFE_INTEGER)
  let dropped = Number(read('dropped') ?? 0)

  function totals(from: number, to: number): Held {
    const { rows, bytes: rowBytes } = rowTotals.get(from, to) as { rows: number; bytes: number }
    const { bytes: evidenceBytes } = evidenceTotals.get(from, to) as { bytes: number }
    return { rows, rowBytes, evidenceBytes }
  }

  function read(name: string): string | null {
    return (getSetting.get(name) as { value: string } | undefined)?.value ?? null
  }

  /** Restores the counters if the transaction fails. */
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

  function removeRows(to: number, from = 0): number {
    removeEvidence(to, from)
    const { rows, rowBytes } = totals(from, to)
    if (rows > 0) deleteRows.run(from, to)
    held = { ...held, rows: held.rows - rows, rowBytes: held.rowBytes - rowBytes }
    return rows
  }

  function removeEvidence(to: number, from = 0): void {
    const { evidenceBytes } = totals(from, to)
    if (evidenceBytes > 0) deleteEvidence.run(from, to)
    held = { ...held, evidenceBytes: held.evidenceBytes - evidenceBytes }
  }

  function drop(rows: number): void {
    if (rows === 0) return
    dropped += rows
    setSetting.run('dropped', String(dropped))
  }

  function put(results: readonly OutboxResult[], now: number): OutboxCounts {
    return changing(() => {
      for (const { row, evidence } of results) {
        insert.run(Math.floor(now), row)
        if (evidence) insertEvidence.run(evidence)
        const { rows, rowBytes, evidenceBytes } = held
        held = { rows: rows + 1, rowBytes: rowBytes + Buffer.byteLength(row), evidenceBytes: evidenceBytes + (evidence?.length ?? 0) }
      }
      while (excess() > 0 && held.evidenceBytes > 0) removeEvidence(endOf(oldestEvidence.all() as Sized[]))
      while (excess() > 0 && held.rows > 0) drop(removeRows(endOf(oldestRows.all() as Sized[])))
    })
  }

  function* found(positions: readonly number[]): Iterable<OutboxRow | null> {
    for (const position of positions) yield (selectOne.get(position) as OutboxRow | undefined) ?? null
  }

  const excess = () => held.rowBytes + held.evidenceBytes - limits.maxBytes

  /** The position up to which the oldest rows must be removed, at most 1000 at a time. */
  function endOf(sized: readonly Sized[]): number {
    let left = excess()
    let end = 0
    for (const { position, bytes } of sized) {
      if (left <= 0) break
      left -= bytes
      end = position
    }
    return end
  }

  return {
    put,
    next: (after) => batchOf(select.iterate(after, batchRows) as Iterable<OutboxRow>),
    find: (positions) => batchOf(found(positions.slice(0, batchRows))),
    remove: (positions) =>
      changing(() => {
        for (const position of positions) removeRows(position, position)
      }),
    expire: (now, furtherDropped) =>
      changing(() => {
        // Up to the first that is not too old: the clock may have been behind for those after it. It may also be behind now.
        const first = firstSince.get(now - limits.maxAgeMs) as { position: number } | undefined
        drop(removeRows(first ? first.position - 1 : Number.MAX_SAFE_INTEGER) + furtherDropped)
      }),
    read,
    write: (name, value) => void setSetting.run(name, value),
    close: () => database.close(),
  }
}

function batchOf<Row extends OutboxRow | null>(rows: Iterable<Row>): readonly Row[] {
  const batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row === null ? 0 : row.row.length + base64Length(row.evidence)
    if (batch.length > 0 && bytes > batchBytes) break
    batch.push(row)
  }
  return batch
}

const base64Length = (bytes: Uint8Array | null) => Math.ceil((bytes?.length ?? 0) / 3) * 4

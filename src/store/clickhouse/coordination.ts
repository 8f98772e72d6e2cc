import type { Call, Claim, Coordination, VersionedRow } from '../coordination.ts'
import { fittingRows } from '../documents/document-log.ts'
import { createRowWriter } from './row-binary.ts'
import { type ClickHouseServer, connectConsistently } from './server.ts'

/** Far more claims than two terms ever have. */
const claimsRead = 100
/** How long a call may wait for an answer. */
const callSeconds = 20
const callsAtOnce = 100

/** Tables by which processes coordinate. They have their own connection, so that they never wait for questions or inserts. */
export async function connectCoordination(server: ClickHouseServer): Promise<Coordination> {
  // Failures are reported to the caller.
  const connection = await connectConsistently(server, { log: () => {} })

  async function writeCall(kind: 'call' | 'answer', { id, body }: Call): Promise<void> {
    const row = createRowWriter()
    for (const value of [id, kind, body]) row.text(value)
    await connection.insert('alert_calls (id, kind, body)', row.written())
  }
  /** Every server holds these tables whole, so a deletion on one of them is replicated to all. */
  const deleteRows = (table: string, where: string) => connection.submit(`ALTER TABLE ${table} DELETE WHERE ${where}`)

  async function readRows(where: string, params: { readonly version?: number; readonly kind?: string; readonly limit: number }) {
    const sql = `SELECT kind, key, version, expiresAt, body FROM alert_rows WHERE ${where} ORDER BY version LIMIT {limit:UInt64}`
    return (await connection.rows({ sql, params })).map(toRow)
  }

  return {
    claims: {
      async read() {
        const sql =
          'SELECT term, owner, max(beat), max(ended) FROM alert_leases GROUP BY term, owner ORDER BY term DESC, owner LIMIT {limit:UInt64}'
        return (await connection.rows({ sql, params: { limit: claimsRead } })).map(toClaim)
      },
      async write({ term, owner, beat, ended }) {
        const row = createRowWriter()
        row.uint64(BigInt(term))
        row.text(owner)
        row.uint64(BigInt(beat))
        row.uint8(Number(ended))
        await connection.insert('alert_leases (term, owner, beat, ended)', row.written())
      },
      async deleteBefore(term) {
        await deleteRows('alert_leases', `term < ${Math.floor(term)}`)
      },
    },
    rows: {
      /** Reads the lengths first: an incident may have thousands of members, and rows that are not merged yet have many versions of it. */
      async after(version, limit) {
        const sql = 'SELECT length(body) FROM alert_rows WHERE version > {version:UInt64} ORDER BY version LIMIT {limit:UInt64}'
        const lengths = await connection.rows({ sql, params: { version, limit } })
        const fitting = fittingRows(lengths.map(([length]) => Number(length)))
        return fitting === 0 ? [] : readRows('version > {version:UInt64}', { version, limit: fitting })
      },
      ofKind: (kind) => readRows('kind = {kind:String}', { kind, limit: 1_000_000 }),
      async write(rows) {
        const written = createRowWriter()
        for (const { kind, key, version, expiresAt, body } of rows) {
          written.text(kind)
          written.text(key)
          written.uint64(BigInt(version))
          written.int64(expiresAt ?? 0)
          written.text(body)
        }
        await connection.insert('alert_rows (kind, key, version, expiresAt, body)', written.written())
      },
      async expire(now, voids) {
        const ranges = voids.map(({ after, before }) => `(version > ${after} AND version < ${before})`)
        const dead = [`(expiresAt > 0 AND expiresAt < ${Math.floor(now)})`, ...ranges].join(' OR ')
        // A deletion rewrites parts of the table even if nothing matches.
        const [found] = await connection.rows({ sql: `SELECT count() FROM alert_rows WHERE ${dead}` })
        if (Number(found?.[0]) === 0) return
        await deleteRows('alert_rows', dead)
      },
    },
    calls: {
      ask: (call) => writeCall('call', call),
      answer: (call) => writeCall('answer', call),
      async unanswered() {
        const sql = `SELECT id, body FROM alert_calls WHERE kind = 'call' AND at > now() - ${callSeconds} AND id NOT IN (SELECT id FROM alert_calls WHERE kind = 'answer' AND at > now() - ${2 * callSeconds}) LIMIT ${callsAtOnce}`
        return (await connection.rows({ sql })).map(([id, body]) => ({ id: String(id), body: String(body) }))
      },
      async answerTo(id) {
        const sql = "SELECT body FROM alert_calls WHERE kind = 'answer' AND id = {id:String} LIMIT 1"
        const [row] = await connection.rows({ sql, params: { id } })
        return row === undefined ? null : String(row[0])
      },
    },
    close: () => connection.close(),
  }
}

function toClaim([term, owner, beat, ended]: readonly unknown[]): Claim {
  return { term: Number(term), owner: String(owner), beat: Number(beat), ended: Number(ended) === 1 }
}

function toRow([kind, key, version, expiresAt, body]: readonly unknown[]): VersionedRow {
  return {
    kind: String(kind),
    key: String(key),
    version: Number(version),
    expiresAt: Number(expiresAt) === 0 ? null : Number(expiresAt),
    body: String(body),
  }
}

import { randomUUID } from 'node:crypto'
import { type DocumentLog, fittingRows, type LoggedVersion, type LogPlace, type VersionRecord } from '../documents/document-log.ts'
import { StoreUnavailable } from '../store.ts'
import type { StatementParams } from './connection.ts'
import { createRowWriter } from './row-binary.ts'
import { changedTable } from './schema/tables.ts'
import { type ClickHouseServer, connectConsistently } from './server.ts'

const recordColumns = ['position', 'ordinal', 'kind', 'account', 'id', 'version', 'at', 'keyId', 'keyName', 'action', 'changes'] as const
const record = recordColumns.join(', ')
const whole = `${record}, isDeleted, body`
const insertedColumns = 'position, ordinal, writer, kind, account, id, version, at, keyId, keyName, action, changes, isDeleted, body'
const maxPerDrop = 5000
const tooOld = 'This ClickHouse is too old for managed checks: version 24 or newer is required.'
const greatestPlace: LogPlace = { position: Number.MAX_SAFE_INTEGER, ordinal: 0 }

/**
 * The log of documents in ClickHouse. The first insert at a position wins: the server drops later inserts with the same deduplication
 * token, and reading the position back shows which insert won.
 */
export async function connectDocumentLog(server: ClickHouseServer): Promise<DocumentLog> {
  const { database, cluster } = server
  const table = changedTable('documents', { database, cluster })
  // Failures are reported to the caller.
  const connection = await connectConsistently(server, { log: () => {} })
  const read = async (columns: string, rest: string, params: StatementParams) =>
    connection.rows({ sql: `SELECT ${columns} FROM documents WHERE ${rest}`, params })
  /** Does not wait for a cluster: unreachable servers do it later. */
  const change = (sql: string) => (cluster === null ? connection.command(sql) : connection.submit(sql))
  const versions = async (rest: string, params: StatementParams) => (await read(whole, rest, params)).map(toVersion)
  const beyond = '(position > {position:UInt64} OR (position = {position:UInt64} AND ordinal > {ordinal:UInt32}))'
  const before = '(position < {position:UInt64} OR (position = {position:UInt64} AND ordinal < {ordinal:UInt32}))'
  const newest = '(kind, account, id, version) IN (SELECT kind, account, id, max(version) FROM documents GROUP BY kind, account, id)'

  /** Reads the lengths first, which does not load the texts, to find how many versions fit into a page. */
  async function page(rest: string, place: LogPlace, limit: number): Promise<readonly LoggedVersion[]> {
    const params = { ...placeOf(place), limit }
    const ordered = 'ORDER BY position, ordinal LIMIT {limit:UInt64}'
    const lengths = await read('length(body) + length(changes)', `${rest} ${ordered}`, params)
    const fitting = fittingRows(lengths.map(([length]) => Number(length)))
    return fitting === 0 ? [] : versions(`${rest} ${ordered}`, { ...params, limit: fitting })
  }

  /** Deletes by place, since a statement must select the same rows on every replica. Skips rows that a cluster has yet to delete. */
  async function drop(rest: string, params: StatementParams): Promise<void> {
    const following = '(position > {lastPosition:UInt64} OR (position = {lastPosition:UInt64} AND ordinal > {lastOrdinal:UInt32}))'
    const ordered = `${rest} AND ${following} ORDER BY position, ordinal LIMIT {limit:UInt64}`
    let last = { lastPosition: 0, lastOrdinal: 0 }
    for (;;) {
      const rows = await read('position, ordinal', ordered, { ...params, ...last, limit: maxPerDrop })
      const places = rows.map(([position, ordinal]) => [Number(position), Number(ordinal)] as const)
      const [lastPosition, lastOrdinal] = places.at(-1) ?? [0, 0]
      if (places.length > 0)
        await change(`DELETE FROM ${table} WHERE (position, ordinal) IN (${places.map((place) => `(${place.join(', ')})`).join(', ')})`)
      if (places.length < maxPerDrop) return
      last = { lastPosition, lastOrdinal }
    }
  }

  /** Without deduplication tokens, two processes could both write at one position. */
  let hasTokens = false
  async function requireTokens(): Promise<void> {
    if (hasTokens) return
    const [setting] = await connection.rows({ sql: "SELECT name FROM system.settings WHERE name = 'insert_deduplication_token'" })
    if (!setting) throw new StoreUnavailable(`${tooOld} It has no setting insert_deduplication_token.`, 3600, { publicReason: tooOld })
    hasTokens = true
  }

  return {
    isShared: true,
    async append(added) {
      await requireTokens()
      const position = added[0]?.position ?? 0
      // Unique to this attempt: an earlier one that seemed to fail may still take the position.
      const writer = randomUUID()
      const rows = createRowWriter()
      for (const { ordinal, kind, account, id, version, at, keyId, keyName, action, changes, body } of added) {
        rows.uint64(BigInt(position))
        rows.uint32(ordinal)
        for (const text of [writer, kind, account, id]) rows.text(text)
        rows.uint64(BigInt(version))
        rows.int64(at)
        for (const text of [keyId, keyName, action, changes]) rows.text(text)
        rows.uint8(Number(body === null))
        rows.text(body ?? '')
      }
      const token = { insert_deduplicate: 1, insert_deduplication_token: `documents ${position}` }
      await connection.insert(`documents (${insertedColumns})`, rows.written(), token)
      const [found] = await read('writer', 'position = {position:UInt64} ORDER BY ordinal LIMIT 1', { position })
      return found?.[0] === writer
    },
    after: (place, limit) => page(beyond, place, limit),
    heads: (place, limit) => page(`${beyond} AND ${newest}`, place, limit),
    async records({ account, kind, id, before: end, limit }) {
      const chosen = `${kind === null ? '' : ' AND kind = {kind:String}'}${id === null ? '' : ' AND id = {id:String}'}`
      const params = { ...placeOf(end ?? greatestPlace), account, limit, ...(kind !== null && { kind }), ...(id !== null && { id }) }
      const rest = `account = {account:String} AND ${before}${chosen} ORDER BY position DESC, ordinal DESC LIMIT {limit:UInt64}`
      return (await read(record, rest, params)).map(toRecord)
    },
    async version({ kind, account, id }, version) {
      const rest = 'account = {account:String} AND kind = {kind:String} AND id = {id:String} AND version = {version:UInt64} LIMIT 1'
      const [found] = await versions(rest, { kind, account, id, version })
      return found ?? null
    },
    async expire(end, maxPerAccount) {
      // The last position stays, so that it is never written again.
      const droppable = `position < (SELECT max(position) FROM documents) AND (isDeleted = 1 OR NOT (${newest}))`
      await drop(`at < {end:Int64} AND ${droppable}`, { end: Math.floor(end) })
      const crowded = await connection.rows({
        sql: 'SELECT account FROM documents GROUP BY account HAVING count() > {max:UInt64}',
        params: { max: maxPerAccount },
      })
      for (const [account] of crowded) {
        const rest = 'account = {account:String} ORDER BY position DESC, ordinal DESC LIMIT 1 OFFSET {max:UInt64}'
        const [place] = await read('position', rest, { account: String(account), max: maxPerAccount })
        const position = Number(place?.[0] ?? 0)
        await drop(`account = {account:String} AND position <= {position:UInt64} AND ${droppable}`, {
          account: String(account),
          position,
        })
      }
    },
    close: () => connection.close(),
  }
}

const placeOf = ({ position, ordinal }: LogPlace) => ({ position, ordinal })

function toRecord([position, ordinal, kind, account, id, version, at, keyId, keyName, action, changes]: readonly unknown[]): VersionRecord {
  return {
    position: Number(position),
    ordinal: Number(ordinal),
    kind: String(kind),
    account: String(account),
    id: String(id),
    version: Number(version),
    at: Number(at),
    keyId: String(keyId),
    keyName: String(keyName),
    action: String(action),
    changes: String(changes),
  }
}

function toVersion(row: readonly unknown[]): LoggedVersion {
  const [isDeleted, body] = row.slice(recordColumns.length)
  return { ...toRecord(row), body: Number(isDeleted) === 1 ? null : String(body) }
}

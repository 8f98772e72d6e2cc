import { grouped } from '../../../collections/grouped.ts'
import type { CheckRef, FiledResult, Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow, ofCheck } from '../read/select-results.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { changedTable, type DatabaseRef, localName } from '../schema/tables.ts'
import type { Arrival } from './arrival.ts'
import { encodeResults } from './encode-rows.ts'
import { distinctChecks, resultsPerStatement, type StoredKey, windowAround } from './known-results.ts'
import type { ReadStoredRows } from './stored-rows.ts'

/** One of several rows of a result. */
type Row = StoredKey & { readonly precedence: bigint }

type RepeatsOptions = {
  readonly connection: Connection
  readonly place: DatabaseRef
  readonly metrics: MetricColumns
  readonly readStored: ReadStoredRows
}

/**
 * Two processes may store a result with the same id and another start at the same moment, as of a slot that two agents ran: their rows have
 * different keys. Each looks for such rows after it has stored its own, so that at least one of them finds both, and deletes all but the first.
 * In a cluster, a write that failed may have left the first on one replica alone: it is written again, to a quorum, before others are deleted.
 */
export function createRepeatedIds({ connection, place, metrics, readStored }: RepeatsOptions) {
  const table = changedTable(localName('results', place), place)
  const deletion = `DELETE FROM ${table} WHERE ${ofCheck} AND startedAt = {startedAt:Int64} AND runLocation = {runLocation:String} AND id = {id:String}`

  async function removeAmong(filed: readonly FiledResult[], arrival: Arrival): Promise<void> {
    const ids = filed.flatMap(({ result }) => result.id ?? [])
    const search = { checks: distinctChecks(filed), ids, window: windowAround(filed) }
    const repeated = await repeatedAmong(connection, search)
    if (repeated.length === 0) return
    const rows = await rowsOf(connection, { ...search, checks: distinctChecks(repeated), ids: repeated.map(({ id }) => id) })
    const byId = [...grouped(rows, ({ check, id }) => JSON.stringify([check.account, check.checkId, id])).values()]
    const sorted = byId.map((same) => same.sort(firstFirst))
    const firsts = sorted.flatMap(([first]) => first ?? [])
    if (place.cluster !== null && !(await secure(firsts, arrival))) return
    for (const { check, startedAt, runLocation, id } of sorted.flatMap((same) => same.slice(1)))
      await connection.command(deletion, { ...check, startedAt, runLocation, id })
  }

  /** Writes rows again; false where one of them cannot be seen any more, so that nothing may be deleted for its sake. */
  async function secure(rows: readonly Row[], arrival: Arrival): Promise<boolean> {
    const stored = await readStored(rows)
    if (stored.length < rows.length) return false
    const encoded = encodeResults(stored, metrics, arrival)
    await connection.insert(encoded.into, encoded.rows)
    return true
  }

  return {
    /** Leaves one row of each of these results, which are stored already. */
    async remove(filed: readonly FiledResult[], arrival: Arrival): Promise<void> {
      const named = filed.filter(({ result }) => result.id !== null)
      for (let from = 0; from < named.length; from += resultsPerStatement)
        await removeAmong(named.slice(from, from + resultsPerStatement), arrival)
    },
  }
}

type Search = { readonly checks: readonly CheckRef[]; readonly ids: readonly string[]; readonly window: Window }

async function repeatedAmong(connection: Connection, { checks, ids, window }: Search): Promise<readonly Pick<Row, 'check' | 'id'>[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, id FROM results WHERE ${among} AND ${inWindow} AND id IN {ids:Array(String)} GROUP BY account, checkId, id HAVING uniqExact(startedAt, runLocation) > 1`
  const rows = await connection.rows({ sql, params: { ...params, ...window, ids } })
  return rows.map(([account, checkId, id]) => ({ check: { account: String(account), checkId: String(checkId) }, id: String(id) }))
}

async function rowsOf(connection: Connection, { checks, ids, window }: Search): Promise<readonly Row[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, id, startedAt, runLocation, toString(max(precedence)) FROM results WHERE ${among} AND ${inWindow} AND id IN {ids:Array(String)} GROUP BY account, checkId, id, startedAt, runLocation`
  const rows = await connection.rows({ sql, params: { ...params, ...window, ids } })
  return rows.map(([account, checkId, id, startedAt, runLocation, precedence]) => ({
    check: { account: String(account), checkId: String(checkId) },
    id: String(id),
    startedAt: Number(startedAt),
    runLocation: String(runLocation),
    precedence: BigInt(String(precedence)),
  }))
}

/** All processes agree on the order. */
function firstFirst(a: Row, b: Row): number {
  if (a.precedence !== b.precedence) return a.precedence > b.precedence ? -1 : 1
  return a.startedAt - b.startedAt || (a.runLocation < b.runLocation ? -1 : 1)
}

import type { CheckRef, FiledResult } from '../../store.ts'
import type { Connection, StatementParams } from '../connection.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow } from '../read/select-results.ts'

/** A retry has the same id and start; the same slot that two agents ran has the same id, and starts close to each other. */
const marginMs = 3_600_000
const resultsPerStatement = 2000

/** The indexes, ascending, of results that are stored already or repeat an earlier one among them. */
export async function knownAmong(connection: Connection, filed: readonly FiledResult[]): Promise<readonly number[]> {
  const seen = new Set<string>()
  for (let from = 0; from < filed.length; from += resultsPerStatement) {
    const some = filed.slice(from, from + resultsPerStatement)
    if (filed.length > resultsPerStatement && !(await hasAny(connection, some))) continue
    for (const name of await storedAmong(connection, some)) seen.add(name)
  }
  return filed.flatMap(({ check, result }, i) => {
    const name = identityOf(check, { ...result, id: result.id ?? '' })
    if (seen.has(name)) return [i]
    seen.add(name)
    return []
  })
}

/** Long histories mostly come to where nothing is stored: then thousands of ids need not be sent. */
async function hasAny(connection: Connection, filed: readonly FiledResult[]): Promise<boolean> {
  const { sql, params } = around(filed)
  const [row] = await connection.rows({ sql: `SELECT startedAt FROM results WHERE ${sql} LIMIT 1`, params })
  return row !== undefined
}

async function storedAmong(connection: Connection, filed: readonly FiledResult[]): Promise<readonly string[]> {
  const derived = filed.filter(({ result }) => result.id === null).map(({ result }) => result.startedAt)
  const ids = filed.flatMap(({ result }) => result.id ?? [])
  const { sql: near, params } = around(filed)
  const sql = `SELECT account, checkId, id, startedAt, runLocation FROM results WHERE ${near} AND (id IN {ids:Array(String)} OR (id = '' AND startedAt IN {derived:Array(Int64)}))`
  const rows = await connection.rows({ sql, params: { ...params, ids, derived: [...new Set(derived)] } })
  return rows.map(([account, checkId, id, startedAt, runLocation]) =>
    identityOf(
      { account: String(account), checkId: String(checkId) },
      { id: String(id), startedAt: Number(startedAt), runLocation: String(runLocation) },
    ),
  )
}

/** The condition that a row is of one of these checks, and near their results in time. */
function around(filed: readonly FiledResult[]): { readonly sql: string; readonly params: StatementParams } {
  const checks = [...new Map(filed.map(({ check }) => [`${check.account}\n${check.checkId}`, check])).values()]
  const times = filed.map(({ result }) => result.startedAt)
  const window = { from: Math.min(...times) - marginMs, to: Math.max(...times) + marginMs }
  const { sql: among, params } = amongChecks(checks)
  return { sql: `${among} AND ${inWindow}`, params: { ...params, ...window } }
}

type Identified = { readonly id: string; readonly startedAt: number; readonly runLocation: string }

/** What makes a result the same: its own id, or else when and where it ran. */
function identityOf({ account, checkId }: CheckRef, { id, startedAt, runLocation }: Identified): string {
  return JSON.stringify(id === '' ? [account, checkId, startedAt, runLocation] : [account, checkId, id])
}

import type { CheckRef, FiledResult, Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow } from '../read/select-results.ts'

/** A retry has the same id and start; the same slot that two agents ran has the same id, and starts close to each other. */
const marginMs = 3_600_000
export const resultsPerStatement = 2000

/** The indexes, ascending, of results that are stored already or repeat an earlier one among them. */
export async function knownAmong(connection: Connection, filed: readonly FiledResult[]): Promise<readonly number[]> {
  const seen = new Set<string>()
  for (let from = 0; from < filed.length; from += resultsPerStatement)
    for (const name of await storedAmong(connection, filed.slice(from, from + resultsPerStatement))) seen.add(name)
  return filed.flatMap(({ check, result }, i) => {
    const name = identityOf(check, { ...result, id: result.id ?? '' })
    if (seen.has(name)) return [i]
    seen.add(name)
    return []
  })
}

async function storedAmong(connection: Connection, filed: readonly FiledResult[]): Promise<readonly string[]> {
  const window = windowAround(filed)
  const derived = filed.filter(({ result }) => result.id === null).map(({ result }) => result.startedAt)
  const ids = filed.flatMap(({ result }) => result.id ?? [])
  const { sql: among, params } = amongChecks(distinctChecks(filed))
  const sql = `SELECT account, checkId, id, startedAt, runLocation FROM results WHERE ${among} AND ${inWindow} AND (id IN {ids:Array(String)} OR (id = '' AND startedAt IN {derived:Array(Int64)}))`
  const rows = await connection.rows({ sql, params: { ...params, ...window, ids, derived: [...new Set(derived)] } })
  return rows.map(([account, checkId, id, startedAt, runLocation]) =>
    identityOf(
      { account: String(account), checkId: String(checkId) },
      { id: String(id), startedAt: Number(startedAt), runLocation: String(runLocation) },
    ),
  )
}

export function distinctChecks(of: readonly { readonly check: CheckRef }[]): readonly CheckRef[] {
  return [...new Map(of.map(({ check }) => [`${check.account}\n${check.checkId}`, check])).values()]
}

/** When results with the same ids may have started. */
export function windowAround(filed: readonly FiledResult[]): Window {
  const times = filed.map(({ result }) => result.startedAt)
  return { from: Math.min(...times) - marginMs, to: Math.max(...times) + marginMs }
}

type Identified = { readonly id: string; readonly startedAt: number; readonly runLocation: string }

/** What makes a result the same: its own id, or else when and where it ran. */
function identityOf({ account, checkId }: CheckRef, { id, startedAt, runLocation }: Identified): string {
  return JSON.stringify(id === '' ? [account, checkId, startedAt, runLocation] : [account, checkId, id])
}

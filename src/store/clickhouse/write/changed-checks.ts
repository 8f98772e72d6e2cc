import { dayMs } from '../../../time.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { parameterBatches } from '../parameter-batches.ts'
import { arrivalAt } from './arrival.ts'

const checksPerStatement = 100
const longestTogetherMs = dayMs

/** A check, and the window in which its newly stored results started. */
export type ChangedCheck = { readonly check: CheckRef; readonly window: Window }

/** Groups for one statement each: their windows lie within a day, or the group is a single check. */
export function changedTogether(changed: readonly ChangedCheck[]): readonly (readonly ChangedCheck[])[] {
  const batches: ChangedCheck[][] = []
  for (const one of changed.toSorted((a, b) => a.window.from - b.window.from)) {
    const batch = batches.at(-1)
    if (batch?.[0] && one.window.to - batch[0].window.from <= longestTogetherMs) batch.push(one)
    else batches.push([one])
  }
  return batches.flatMap((batch) => parameterBatches(batch, checksPerStatement, ({ check }) => [check.account, check.checkId]))
}

/**
 * Checks with results that were stored since `since` and started since `startedFrom`. Commits of a check that begin on the same day are
 * merged.
 */
export async function changedChecks(
  connection: Pick<Connection, 'rows'>,
  { since, startedFrom }: { readonly since: number; readonly startedFrom: number },
): Promise<readonly ChangedCheck[]> {
  const sql = `SELECT account, checkId, min(greatest(firstStart, {startedFrom:Int64})), max(lastStart) FROM commits WHERE account > '' AND arrival >= {from:UInt64} AND lastStart >= {startedFrom:Int64} GROUP BY account, checkId, intDiv(firstStart, ${dayMs})`
  const rows = await connection.rows({ sql, params: { from: arrivalAt(since).toString(), startedFrom } })
  return rows.map(([account, checkId, first, last]) => ({
    check: { account: String(account), checkId: String(checkId) },
    window: { from: Number(first), to: Number(last) },
  }))
}

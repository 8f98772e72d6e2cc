import { setTimeout as sleep } from 'node:timers/promises'
import { dayOf, hourMs, minuteMs, startOfDay } from '../../time.ts'
import { createRetentionPause } from '../retention-pause.ts'
import type { Expiring } from '../store.ts'
import { type Connection, unlimited } from './connection.ts'
import { createRetentionAgreement } from './retention-agreement.ts'
import { changedTable, type DatabaseRef, localName, notVoid } from './schema/tables.ts'

type RetentionOptions = {
  readonly connection: Connection
  /** Its reads see all acknowledged writes; it is closed with the retention. */
  readonly consistent: Connection
  readonly place: DatabaseRef
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

/** Tables that are partitioned by the month of a row's start. */
type TimedTable = 'results' | 'evidence'

const intervalMs = hourMs
/** Delay before a failed run is retried. */
const retryMs = minuteMs
const pollMs = 100
const maxPolls = 600

/**
 * Drops whole days beyond the retention: older months as partitions, which is cheap, and days of the month in which the retention ends row
 * by row.
 */
export function createRetention({ connection, consistent, place, clock, log }: RetentionOptions) {
  let days = Number.POSITIVE_INFINITY
  let evidenceDays = Number.POSITIVE_INFINITY
  const agreement = createRetentionAgreement({ connection: consistent, log })
  const isPaused = createRetentionPause({ clock, log })
  const startOf = (kept: number) => startOfDay(dayOf(clock()) - kept)

  async function drop(table: TimedTable, before: number): Promise<void> {
    const local = changedTable(localName(table, place), place)
    for (const month of await monthsBefore(connection, table, before)) {
      if (month === monthOf(before)) await deleteRows(table, `startedAt < ${before}`)
      else await change(`ALTER TABLE ${local} DROP PARTITION ${month}`)
    }
  }

  /** Does not wait for a cluster: unreachable servers do it later. */
  const change = (sql: string) => (place.cluster === null ? connection.command(sql) : connection.submit(sql))

  /**
   * Runs after results are dropped, so that a process that reads them again finds them gone; servers of a cluster may do both in any order.
   */
  async function dropCounts(before: number): Promise<void> {
    const sql = 'SELECT count() FROM day_counts WHERE day < {before:Int64}'
    const [row] = await connection.rows({ sql, params: { before: dayOf(before) } })
    if (Number(row?.[0]) > 0) await deleteRows('day_counts', `day < ${dayOf(before)}`)
  }

  async function deleteRows(table: TimedTable | 'day_counts', condition: string): Promise<void> {
    await change(`DELETE FROM ${changedTable(localName(table, place), place)} WHERE ${condition}`)
    if (place.cluster !== null) return
    const sql = 'SELECT count() FROM system.mutations WHERE database = {database:String} AND table = {table:String} AND is_done = 0'
    const params = { database: place.database, table: localName(table, place) }
    for (let polls = 0; polls < maxPolls; polls++) {
      const [row] = await connection.rows({ sql, params })
      if (Number(row?.[0]) === 0) return
      await sleep(pollMs)
    }
  }

  /** Evidence never outlives its result. */
  async function dropAll(): Promise<void> {
    if (Math.min(days, evidenceDays) === Number.POSITIVE_INFINITY) return
    const agreed = await agreement.reach({ days, evidenceDays })
    if (isPaused()) return
    const ofEvidence = Math.min(agreed.days, agreed.evidenceDays)
    const before = startOf(agreed.days)
    if (ofEvidence !== Number.POSITIVE_INFINITY) await drop('evidence', startOf(ofEvidence))
    if (agreed.days === Number.POSITIVE_INFINITY) return
    await drop('results', before)
    await dropCounts(before)
  }

  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  let applied = Promise.resolve()
  /** Serialized, since a cluster refuses a row of the agreement while an earlier one is still being written. */
  function apply(): Promise<void> {
    const own = applied.then(dropAll)
    applied = own.catch(() => {
      clearTimeout(retry)
      if (!isClosed) retry = setTimeout(() => void apply().catch(log), retryMs).unref()
    })
    return own
  }
  const timer = setInterval(() => void apply().catch(log), intervalMs).unref()

  return {
    applyRetention(kept: number): Promise<void> {
      days = kept
      return apply()
    },
    applyEvidenceRetention(kept: number): Promise<void> {
      evidenceDays = kept
      return apply()
    },
    async expiring(kept: number): Promise<Expiring> {
      const sql = `SELECT count(), uniqExact(account, checkId), min(startedAt), max(startedAt) FROM results FINAL WHERE startedAt < {before:Int64} AND ${notVoid}`
      const [row = []] = await connection.rows({ sql, params: { before: startOf(kept) }, settings: unlimited })
      const [results = 0, checks = 0, first = 0, last = 0] = row.map(Number)
      const dayStart = (instant: number) => (results === 0 ? null : startOfDay(dayOf(instant)))
      return { results, checks, first: dayStart(first), last: dayStart(last) }
    },
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      clearTimeout(retry)
      await agreement.leave()
      await consistent.close()
    },
  }
}

async function monthsBefore(connection: Connection, table: TimedTable, before: number): Promise<readonly number[]> {
  const sql = `SELECT DISTINCT toYYYYMM(toDateTime(intDiv(startedAt, 1000), 'UTC')) AS month FROM ${table} WHERE startedAt < {before:Int64} ORDER BY month`
  return (await connection.rows({ sql, params: { before }, settings: unlimited })).map(([month]) => Number(month))
}

function monthOf(instant: number): number {
  const date = new Date(instant)
  return 100 * date.getUTCFullYear() + date.getUTCMonth() + 1
}

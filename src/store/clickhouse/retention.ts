import { dayOf, startOfDay } from '../day-number.ts'
import type { Expiring } from '../store.ts'
import type { Connection } from './connection.ts'
import { createRowWriter } from './row-binary.ts'
import { localName, onCluster, type Place } from './schema/tables.ts'

type RetentionOptions = {
  readonly connection: Connection
  readonly place: Place
  readonly clock: () => number
  readonly log: (problem: unknown) => void
}

/** What has a retention of its own, each a table by month. */
const kinds = ['results', 'evidence'] as const
type Kind = (typeof kinds)[number]

const intervalMs = 3_600_000
const beforeAll = Number.MIN_SAFE_INTEGER

/**
 * Drops what is beyond the retention. Days that are over are left out of every answer at once, by every process, for good: the table `dropped`
 * records up to when. Their disk space is freed month by month, since a month is what the server drops cheaply.
 */
export async function openRetention({ connection, place, clock, log }: RetentionOptions) {
  const days: Record<Kind, number> = { results: Number.POSITIVE_INFINITY, evidence: Number.POSITIVE_INFINITY }
  const dropped: Record<Kind, number> = { results: beforeAll, evidence: beforeAll }

  async function readDropped(): Promise<void> {
    const rows = await connection.rows({ sql: 'SELECT kind, max(before) FROM dropped GROUP BY kind' })
    for (const kind of kinds) dropped[kind] = Math.max(dropped[kind], ...rows.filter(([name]) => name === kind).map(([, before]) => Number(before)))
  }

  async function drop(kind: Kind): Promise<void> {
    const before = days[kind] === Number.POSITIVE_INFINITY ? beforeAll : startOfDay(dayOf(clock()) - days[kind])
    if (before > dropped[kind]) {
      dropped[kind] = before
      const rows = createRowWriter()
      rows.text(kind)
      rows.int64(before)
      await connection.insert('dropped (kind, before)', rows.written())
    }
    if (dropped[kind] > beforeAll) await dropMonths(kind, dropped[kind])
  }

  async function dropMonths(kind: Kind, before: number): Promise<void> {
    const sql = `SELECT DISTINCT toYYYYMM(toDateTime(intDiv(startedAt, 1000), 'UTC')) AS month FROM ${kind} WHERE startedAt < {before:Int64} ORDER BY month`
    const months = await connection.rows({ sql, params: { before: startOfMonth(before) } })
    const partitioned = `${localName(kind, place)}${onCluster(place)}`
    for (const [month] of months) await connection.command(`ALTER TABLE ${partitioned} DROP PARTITION ${Number(month)}`)
  }

  async function maintain(): Promise<void> {
    await readDropped()
    for (const kind of kinds) await drop(kind)
  }

  const apply = (kind: Kind) => (kept: number) => {
    days[kind] = kept
    return drop(kind)
  }
  await readDropped()
  const timer = setInterval(() => void maintain().catch(log), intervalMs).unref()
  return {
    /** The first instant whose results count. */
    keptFrom: () => dropped.results,
    evidenceKeptFrom: () => Math.max(dropped.results, dropped.evidence),
    applyRetention: apply('results'),
    applyEvidenceRetention: apply('evidence'),
    async expiring(kept: number): Promise<Expiring> {
      const sql =
        'SELECT count(), uniqExact(account, checkId), min(startedAt), max(startedAt) FROM results FINAL WHERE startedAt BETWEEN {from:Int64} AND {to:Int64}'
      const to = startOfDay(dayOf(clock()) - kept) - 1
      const [row = []] = await connection.rows({ sql, params: { from: dropped.results, to } })
      const [results = 0, checks = 0, first = 0, last = 0] = row.map(Number)
      const dayStart = (instant: number) => (results === 0 ? null : startOfDay(dayOf(instant)))
      return { results, checks, first: dayStart(first), last: dayStart(last) }
    },
    close: () => clearInterval(timer),
  }
}

function startOfMonth(instant: number): number {
  const date = new Date(instant)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

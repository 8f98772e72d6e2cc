import { grouped } from '../../../collections/lists.ts'
import { backoffMs } from '../../../concurrency/backoff.ts'
import { dayMs, minuteMs } from '../../../time.ts'
import { comparePositions } from '../../query/parts/stored-result.ts'
import { type CheckRef, type FiledResult, QueryTooLarge, type Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { parameterBatches } from '../parameter-batches.ts'
import { amongChecks } from '../read/among-checks.ts'
import { inWindow } from '../read/select-results.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { notVoid, voidFlag } from '../schema/tables.ts'
import { shardSettings } from '../server.ts'
import { type Arrival, maxSkewMs } from './arrival.ts'
import { type ChangedCheck, changedChecks, changedTogether } from './changed-checks.ts'
import { type EncodedRows, encodeResults, encodeVoids } from './encode-rows.ts'
import { distinctChecks, isNear, keyOfResult, marginMs, type StoredKey, searchedTogether, windowAround } from './known-results.ts'
import type { ReplaceNewest } from './replace-newest.ts'
import type { ShardsOf } from './shards.ts'
import type { ReadStoredRows } from './stored-rows.ts'

type RepeatsOptions = {
  readonly connection: Pick<Connection, 'rows' | 'insert'>
  readonly isReplicated: boolean
  readonly metrics: MetricColumns
  readonly readStored: ReadStoredRows
  readonly replaceNewest: ReplaceNewest
  readonly shardsOf: ShardsOf
  readonly nextArrival: () => Arrival
  readonly clock: () => number
  readonly log: (problem: unknown) => void
  readonly everyMs?: number | undefined
}

const defaultEveryMs = 10 * minuteMs
/** First delay after a search that left something to do; further ones back off. */
const firstRetryMs = 5000
/** A search covers results that started within this time. */
const searchedMs = 31 * dayMs
const foundPerSearch = 1000

/**
 * Settles ids that are stored with several starts. Two processes may store a result with the same id and different starts at the same
 * moment, such as a slot that two agents ran: the rows have different keys. After its insert, each process looks for such rows and voids
 * all but the first, unless the starts are so far apart that they belong to two runs. All processes choose the same of any two rows, so the
 * first is never voided. If neither process has seen the other's row, or could not write, a retry or the next search settles the id.
 *
 * In a cluster, a failed write may have left the first row on one replica only. So it is written again, to a quorum, before others are
 * voided.
 */
export function createRepeatedIds(options: RepeatsOptions) {
  const {
    connection,
    isReplicated,
    metrics,
    readStored,
    replaceNewest,
    shardsOf,
    nextArrival,
    clock,
    log,
    everyMs = defaultEveryMs,
  } = options
  const insert = ({ into, rows }: EncodedRows, shard: number) => connection.insert(into, rows, shardSettings(shard))

  /** True if nothing is left to do. */
  async function settle(search: Search): Promise<boolean> {
    const rows = await rowsOf(connection, search)
    const shards = await shardsOf(rows.map(({ check }) => check))
    let isSettled = true
    for (const [shard, own] of grouped(rows.keys(), (i) => shards[i] ?? 0))
      isSettled =
        (await settleIn(
          shard,
          own.map((i) => rows[i] as StoredKey),
        )) && isSettled
    return isSettled
  }

  async function settleIn(shard: number, rows: readonly StoredKey[]): Promise<boolean> {
    const doubled = sameRuns(rows).filter((same) => same.length > 1)
    const firsts = doubled.flatMap(([first]) => first ?? [])
    if (firsts.length === 0) return true
    if (isReplicated && !(await secure(firsts, shard))) return false
    const later = doubled.flatMap((same) => same.slice(1))
    await replaceNewest(later, shard)
    await insert(encodeVoids(later, metrics), shard)
    return true
  }

  /** Writes rows again; false if one of them is no longer visible: then no other row may be voided. */
  async function secure(rows: readonly StoredKey[], shard: number): Promise<boolean> {
    const stored = await readStored(rows)
    if (stored.length < rows.length) return false
    await insert(encodeResults(stored, metrics, nextArrival()), shard)
    return true
  }

  async function settleNamed(named: readonly FiledResult[]): Promise<boolean> {
    const ids = named.flatMap(({ result }) => result.id ?? [])
    const search = { checks: distinctChecks(named), ids, window: windowAround(named) }
    const repeated = await repeatedAmong(connection, search)
    return repeated.length === 0 || settle({ ...search, checks: distinctChecks(repeated), ids: repeated.map(({ id }) => id) })
  }

  /** The first search covers the whole log of commits: all processes may have been down. */
  let settledAt = 0
  /** Searches what any process has stored since the last complete search; true if this one is complete, too. */
  async function settleStored(): Promise<boolean> {
    const now = clock()
    const changed = await changedChecks(connection, { since: settledAt - maxSkewMs, startedFrom: now - searchedMs })
    let isSettled = true
    const failures: SearchFailure[] = []
    for (const some of changedTogether(changed)) isSettled = (await settleSome(some, failures)) && isSettled
    if (isSettled) settledAt = now
    const [first] = failures
    if (first) log(`${sumOf(failures)} checks were not searched for duplicate ids; the next search covers them. ${first.reason}`)
    return isSettled
  }

  /** True if nothing is left to do. A failure does not stop the search in other checks; too large a group is halved. */
  async function settleSome(some: readonly ChangedCheck[], failures: SearchFailure[]): Promise<boolean> {
    const checks = distinctChecks(some)
    const windows = some.map((one) => one.window)
    const window = {
      from: Math.min(...windows.map(({ from }) => from)) - marginMs,
      to: Math.max(...windows.map(({ to }) => to)) + marginMs,
    }
    try {
      const found = await doubledIn(connection, checks, window)
      return (await settleFound(found, window)) && found.length < foundPerSearch
    } catch (reason) {
      if (!(reason instanceof QueryTooLarge) || some.length === 1) {
        failures.push({ checks: checks.length, reason })
        return false
      }
      const half = Math.ceil(some.length / 2)
      const isFirstSettled = await settleSome(some.slice(0, half), failures)
      return (await settleSome(some.slice(half), failures)) && isFirstSettled
    }
  }

  async function settleFound(found: readonly NamedResult[], window: Window): Promise<boolean> {
    let isSettled = true
    for (const some of parameterBatches(found, foundPerSearch, ({ check, id }) => [check.account, check.checkId, id]))
      isSettled = (await settle({ checks: distinctChecks(some), ids: some.map(({ id }) => id), window })) && isSettled
    return isSettled
  }

  /** Consecutive searches that left something to do, or that `settleSoon` asked for; sets the backoff. */
  let failures = 0
  /** Whether something was left to do since the last search began. */
  let isLeft = false
  let isSettling = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  /** Plans the next search only after this one has ended, so that searches do not pile up while a server is silent. */
  async function settleAndPlan(): Promise<void> {
    const wasLeft = isLeft
    isLeft = false
    isSettling = true
    const isSettled = await settleStored().catch((error) => {
      log(error)
      return false
    })
    isSettling = false
    isLeft ||= !isSettled
    if (!isLeft && !wasLeft) failures = 0
    planNext()
  }
  function planNext(): void {
    clearTimeout(timer)
    if (isLeft) failures += 1
    const delayMs = isLeft ? backoffMs(failures, { firstMs: firstRetryMs, maxMs: everyMs }) : everyMs
    if (!isClosed) timer = setTimeout(() => void settleAndPlan(), delayMs).unref()
  }
  planNext()

  return {
    /** Leaves one row that counts for each of these stored results; false if something is left to do. */
    async settle(filed: readonly FiledResult[]): Promise<boolean> {
      const named = filed.filter(({ result }) => result.id !== null)
      let isSettled = true
      for (const some of searchedTogether(named, keyOfResult)) isSettled = (await settleNamed(some)) && isSettled
      return isSettled
    },
    /** Something was left to do: brings the next search forward. */
    settleSoon(): void {
      if (isLeft) return
      isLeft = true
      if (!isSettling) planNext()
    },
    settleStored,
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

type SearchFailure = { readonly checks: number; readonly reason: unknown }

const sumOf = (failures: readonly SearchFailure[]) => failures.reduce((sum, { checks }) => sum + checks, 0)

/** Rows of one run each, the first of which counts: they have the same id and start near the first. */
function sameRuns(rows: readonly StoredKey[]): readonly (readonly StoredKey[])[] {
  const byId = grouped(rows.toSorted(comparePositions), ({ check, id }) => JSON.stringify([check.account, check.checkId, id]))
  return [...byId.values()].flatMap((own) => {
    const runs: [StoredKey, ...StoredKey[]][] = []
    for (const row of own) {
      const run = runs.at(-1)
      if (run && isNear(run[0].startedAt, row.startedAt)) run.push(row)
      else runs.push([row])
    }
    return runs
  })
}

type Search = { readonly checks: readonly CheckRef[]; readonly ids: readonly string[]; readonly window: Window }
type NamedResult = Pick<StoredKey, 'check' | 'id'>
type Rows = Pick<Connection, 'rows'>

async function repeatedAmong(connection: Rows, { checks, ids, window }: Search): Promise<readonly NamedResult[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, id FROM results WHERE ${among} AND ${inWindow} AND id IN {ids:Array(String)} GROUP BY account, checkId, id HAVING uniqExact(startedAt, runLocation) > 1 AND ${areNear}`
  return (await connection.rows({ sql, params: { ...params, ...window, marginMs, ids } })).map(toNamed)
}

/** Of two successive rows that are near, one must be voided. */
const areNear = 'arrayExists(gap -> gap <= {marginMs:Int64}, arrayPopFront(arrayDifference(arraySort(groupArray(startedAt)))))'

async function doubledIn(connection: Rows, checks: readonly CheckRef[], window: Window): Promise<readonly NamedResult[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, id FROM results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid} AND id > '' GROUP BY account, checkId, id HAVING count() > 1 AND ${areNear} LIMIT {limit:UInt64}`
  return (await connection.rows({ sql, params: { ...params, ...window, marginMs, limit: foundPerSearch } })).map(toNamed)
}

/** Rows that are not void yet. */
async function rowsOf(connection: Rows, { checks, ids, window }: Search): Promise<readonly StoredKey[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, id, startedAt, runLocation FROM results WHERE ${among} AND ${inWindow} AND id IN {ids:Array(String)} GROUP BY account, checkId, id, startedAt, runLocation HAVING max(flags) < ${voidFlag}`
  const rows = await connection.rows({ sql, params: { ...params, ...window, ids } })
  return rows.map(([account, checkId, id, startedAt, runLocation]) => ({
    ...toNamed([account, checkId, id]),
    startedAt: Number(startedAt),
    runLocation: String(runLocation),
  }))
}

function toNamed([account, checkId, id]: readonly unknown[]): NamedResult {
  return { check: { account: String(account), checkId: String(checkId) }, id: String(id) }
}

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
/** What could not be settled is searched again after this, and then ever more rarely. */
const firstRetryMs = 5000
/** A search looks at results that started since. */
const searchedMs = 31 * dayMs
const foundPerSearch = 1000

/**
 * Two processes may store a result with the same id and another start at the same moment, as of a slot that two agents ran: their rows have
 * different keys. Each looks for such rows after it has stored its own, and voids all but the one that starts first, unless they start so far
 * apart that they are of two runs. All processes choose the same of any two rows, so that the first is never voided. Where neither has seen the other's, or could not write, a retry or the next
 * search for repeated ids does it.
 *
 * In a cluster, a write that failed may have left the first on one replica alone: it is written again, to a quorum, before others are voided.
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

  /** Whether nothing is left to be done. */
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

  /** Writes rows again; false where one of them cannot be seen any more: then no other row may be voided. */
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

  /** The first search looks at the whole log of commits: all processes may have been away. */
  let settledAt = 0
  /** Looks at what any process has stored since the last search that left nothing to be done; whether this one did. */
  async function settleStored(): Promise<boolean> {
    const now = clock()
    const changed = await changedChecks(connection, { since: settledAt - maxSkewMs, startedFrom: now - searchedMs })
    let isSettled = true
    const failures: SearchFailure[] = []
    for (const some of changedTogether(changed)) isSettled = (await settleSome(some, failures)) && isSettled
    if (isSettled) settledAt = now
    const [first] = failures
    if (first) log(`${sumOf(failures)} checks were not searched for ids that are stored twice; the next search does it. ${first.reason}`)
    return isSettled
  }

  /** Whether nothing is left to be done. What fails does not keep others from being settled; what is too much at once is done in parts. */
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

  /** Searches in a row that left something to be done, or were asked for since others had. */
  let failures = 0
  /** Whether something is left to be done since the last search began. */
  let isLeft = false
  let isSettling = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  /** The next search is planned once this one has ended: one that waits for a silent server is not joined by others. */
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
    /** Leaves one row that counts of each of these results, which are stored already; false where something is left to be done. */
    async settle(filed: readonly FiledResult[]): Promise<boolean> {
      const named = filed.filter(({ result }) => result.id !== null)
      let isSettled = true
      for (const some of searchedTogether(named, keyOfResult)) isSettled = (await settleNamed(some)) && isSettled
      return isSettled
    },
    /** Something was left to be done: the next search does not wait as long as where nothing is. */
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

/** Rows in groups of which one counts, the first: they have the same id and start near it. */
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

/** Where two rows that follow each other are near, one of them is to be voided. */
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

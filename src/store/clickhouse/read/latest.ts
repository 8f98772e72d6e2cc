import { grouped } from '../../../collections/lists.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { compareText } from '../../../text/compare-text.ts'
import { isAhead } from '../../newest.ts'
import { comparePositions, type StoredResult, toResult } from '../../query/parts/stored-result.ts'
import type { CheckRef, FiledResult, Latest, LatestOptions, LatestResult } from '../../store.ts'
import type { Connection } from '../connection.ts'
import type { Arrival } from '../write/arrival.ts'
import { amongChecks, inBatches } from './among-checks.ts'

/** The newest result of a location and kind, and the latest arrival of any of its results. */
type Newest = { readonly result: StoredResult & Pick<LatestResult, 'arrivedAt'>; readonly arrived: Arrival }
type Entry = { readonly latest: Promise<Latest>; readonly readAt: number }

/** Maximum age of an answer where other processes add results. */
const maxAgeMs = 1000
const defaultMaxEntries = 200_000
const none: Latest = { revision: '', byLocation: [] }

type CreateOptions = {
  readonly connection: Connection
  /** Called with the arrivals that were read. */
  readonly seen: (arrival: Arrival) => void
  readonly clock: () => number
  readonly monotonic?: () => number
  readonly maxEntries?: number
}

/** The newest results of checks, read in batches and cached briefly. */
export function createLatest({
  connection,
  seen,
  clock,
  monotonic = () => performance.now(),
  maxEntries = defaultMaxEntries,
}: CreateOptions) {
  const cache = new Map<string, Entry>()

  const isFresh = (entry: Entry | undefined) => entry !== undefined && monotonic() - entry.readAt < maxAgeMs

  /** Reads some checks in one statement; callers that ask for them while it runs share the answer. */
  function read(checks: readonly CheckRef[]): void {
    const readAt = monotonic()
    if (cache.size > maxEntries) cache.clear()
    const answers = readByCheck(checks)
    for (const check of checks) {
      const name = checkKey(check)
      const entry = { readAt, latest: answers.then((byCheck) => latestOf(check, byCheck.get(name) ?? [], clock())) }
      cache.set(name, entry)
      entry.latest.catch(() => cache.get(name) === entry && cache.delete(name))
    }
  }

  async function readByCheck(checks: readonly CheckRef[]): Promise<ReadonlyMap<string, readonly Row[]>> {
    const rows = await inBatches(checks, (some) => readNewest(connection, some))
    for (const { newest } of rows) seen(newest.arrived)
    return grouped(rows, ({ check }) => checkKey(check))
  }

  return {
    async of(checks: readonly CheckRef[], { signal, fresh }: LatestOptions = {}): Promise<readonly Latest[]> {
      signal?.throwIfAborted()
      const known = checks.map((check) => {
        const entry = cache.get(checkKey(check))
        return !fresh && isFresh(entry) ? entry : undefined
      })
      const stale = checks.filter((_, i) => known[i] === undefined)
      if (stale.length > 0) read(stale)
      const latest = await Promise.all(checks.map((check, i) => (known[i] ?? cache.get(checkKey(check)))?.latest ?? none))
      signal?.throwIfAborted()
      return latest
    },
    /** Invalidates the checks of added results. */
    added(results: readonly FiledResult[]): void {
      for (const { check } of results) cache.delete(checkKey(check))
    },
  }
}

type Row = { readonly check: CheckRef; readonly kind: number; readonly newest: Newest }

/** The newest result of each location and kind. */
export async function readNewest(connection: Pick<Connection, 'rows'>, checks: readonly CheckRef[]): Promise<readonly Row[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, isFuture, argMaxMerge(newest), toString(maxMerge(arrived)) FROM latest WHERE ${among} GROUP BY account, checkId, runLocation, isFuture`
  const rows = await connection.rows({ sql, params })
  return rows.map(([account, checkId, kind, body, arrived]) => ({
    check: { account: String(account), checkId: String(checkId) },
    kind: Number(kind),
    newest: { result: JSON.parse(String(body)), arrived: BigInt(String(arrived)) },
  }))
}

function latestOf(check: CheckRef, rows: readonly Row[], now: number): Latest {
  if (rows.length === 0) return none
  const byLocation = grouped(rows, ({ newest }) => newest.result.runLocation)
  const newest = Array.from(byLocation.values(), (own) =>
    newestOf(
      own.map((row) => row.newest),
      now,
    ),
  )
  return {
    revision: String(rows.reduce((last, { newest }) => (newest.arrived > last ? newest.arrived : last), 0n)),
    byLocation: newest.sort((a, b) => compareText(a.runLocation, b.runLocation)).map((result) => toResult(check, result)),
  }
}

/** A result that is ahead of the clock, which may have been set back, is the newest only if there is no other. */
function newestOf(candidates: readonly Newest[], now: number): StoredResult {
  const byPosition = candidates.map(({ result }) => result).sort((a, b) => comparePositions(b, a))
  return byPosition.find(({ startedAt }) => !isAhead(startedAt, now)) ?? (byPosition[0] as StoredResult)
}

import { grouped } from '../../../grouped.ts'
import { compareText } from '../../../text/compare-text.ts'
import { dayMs } from '../../../time.ts'
import { allTime } from '../../day-number.ts'
import { comparePositions, type StoredResult, toResult, toStored } from '../../query/stored-result.ts'
import type { CheckRef, FiledResult, Latest, LatestOptions, Result, ResultsQuery } from '../../store.ts'
import type { Connection } from '../connection.ts'
import type { Arrival } from '../write/arrival.ts'
import { decodeCandidate } from '../write/encode-rows.ts'
import { amongChecks, inBatches } from './among-checks.ts'

/** The newest result of a location; one that was stamped in the future is apart from the others. */
type Newest = {
  readonly result: StoredResult
  readonly isFuture: boolean
  /** When the last of those arrived of which it is the newest. */
  readonly arrived: Arrival
  /** Whether others of them arrived after it. */
  readonly isFollowed: boolean
}
type Row = { readonly check: CheckRef; readonly newest: Newest }
type Entry = { readonly latest: Promise<Latest>; readonly readAt: number }

/** As old as an answer may be where other processes add results. */
const maxAgeMs = 1000
const maxEntries = 200_000
const none: Latest = { revision: '', byLocation: [] }

type CreateOptions = {
  readonly connection: Connection
  readonly results: (query: ResultsQuery) => Promise<readonly Result[]>
  /** Called with the arrivals of what was read. */
  readonly seen: (arrival: Arrival) => void
  readonly clock: () => number
  readonly monotonic?: () => number
}

/** The newest results of checks: read together, and cached for a moment. */
export function createLatest({ connection, results, seen, clock, monotonic = () => performance.now() }: CreateOptions) {
  const cache = new Map<string, Entry>()

  const isFresh = (entry: Entry | undefined) => entry !== undefined && monotonic() - entry.readAt < maxAgeMs

  /** Reads some checks in one statement; callers that ask for the same ones meanwhile share the answer. */
  function read(checks: readonly CheckRef[]): void {
    const readAt = monotonic()
    if (cache.size > maxEntries) cache.clear()
    const answers = readByCheck(checks)
    for (const check of checks) {
      const name = nameOf(check)
      const entry = { readAt, latest: answers.then((byCheck) => latestOf(check, byCheck.get(name) ?? [])) }
      cache.set(name, entry)
      entry.latest.catch(() => cache.get(name) === entry && cache.delete(name))
    }
  }

  async function readByCheck(checks: readonly CheckRef[]): Promise<ReadonlyMap<string, readonly Row[]>> {
    const rows = await inBatches(checks, (some) => readRows(connection, some))
    for (const { newest } of rows) seen(newest.arrived)
    return grouped(rows, ({ check }) => nameOf(check))
  }

  async function latestOf(check: CheckRef, rows: readonly Row[]): Promise<Latest> {
    if (rows.length === 0) return none
    const candidates = grouped(
      rows.map(({ newest }) => newest),
      ({ result }) => result.runLocation,
    )
    const newest = await Promise.all(Array.from(candidates.values(), (own) => newestOf(check, own)))
    return {
      revision: String(rows.reduce((last, { newest }) => (newest.arrived > last ? newest.arrived : last), 0n)),
      byLocation: newest.sort((a, b) => compareText(a.runLocation, b.runLocation)).map((result) => toResult(check, result)),
    }
  }

  /** A result that is still in the future is the newest only until another one arrives. */
  async function newestOf(check: CheckRef, candidates: readonly Newest[]): Promise<StoredResult> {
    const now = clock()
    const future = candidates.find(({ isFuture }) => isFuture)
    const past = candidates.find(({ isFuture }) => !isFuture)
    if (!past) return (future as Newest).result
    const current = await currentOf(check, past, now)
    if (!future) return current
    if (future.result.startedAt > now) return future.arrived >= past.arrived ? future.result : current
    return comparePositions(future.result, current) >= 0 ? future.result : current
  }

  /** Once the clock was set back, results that arrive start before those that are stored. */
  async function currentOf(check: CheckRef, { result, isFollowed }: Newest, now: number): Promise<StoredResult> {
    if (result.startedAt <= now || !isFollowed) return result
    const query = { check, location: result.runLocation, hasFailures: null, before: null, rowPage: { offset: 0, limit: 1 } }
    for (const from of [now - dayMs, allTime.from]) {
      const [found] = await results({ ...query, window: { from, to: now } })
      if (found) return toStored({ check, result: found }).result
    }
    return result
  }

  return {
    async of(checks: readonly CheckRef[], { signal, fresh }: LatestOptions = {}): Promise<readonly Latest[]> {
      signal?.throwIfAborted()
      const stale = fresh ? checks : checks.filter((check) => !isFresh(cache.get(nameOf(check))))
      if (stale.length > 0) read(stale)
      const latest = await Promise.all(checks.map((check) => cache.get(nameOf(check))?.latest ?? none))
      signal?.throwIfAborted()
      return latest
    },
    /** Results of these checks were added. */
    added(results: readonly FiledResult[]): void {
      for (const { check } of results) cache.delete(nameOf(check))
    },
  }
}

async function readRows(connection: Connection, checks: readonly CheckRef[]): Promise<readonly Row[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, isFuture, argMaxMerge(newest), toString(maxMerge(arrived)) FROM latest WHERE ${among} GROUP BY account, checkId, runLocation, isFuture`
  const rows = await connection.rows({ sql, params })
  return rows.map(([account, checkId, isFuture, body, lastArrived]) => {
    const { result, arrived: own } = decodeCandidate(String(body))
    const arrived = BigInt(String(lastArrived))
    const isFollowed = own !== null && own < arrived
    return {
      check: { account: String(account), checkId: String(checkId) },
      newest: { result, isFuture: isFuture === 1, arrived, isFollowed },
    }
  })
}

const nameOf = ({ account, checkId }: CheckRef) => `${account}\n${checkId}`

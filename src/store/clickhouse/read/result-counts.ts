import { lruCache } from '../../../cache/cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { dayOf, startOfDay } from '../../../time.ts'
import type { CountResults } from '../../admission/cost.ts'
import type { CallSizes } from '../../questions/calls.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { Connection, StatementSettings } from '../connection.ts'
import { amongChecks, inBatches } from './among-checks.ts'
import { batchesBy } from './batches-by.ts'
import { boundWindow, inWindow, ofCheck } from './select-results.ts'

type Counts = ReadonlyMap<string, number>
type Batch = { readonly checks: CheckRef[]; readonly counts: Promise<Counts> }
type Cached = { readonly readAt: number; readonly count: Promise<number> }

type CountsOptions = {
  readonly connection: Connection
  /** For questions about one check. */
  readonly settings: StatementSettings
  readonly monotonic?: () => number
}

/** Cached counts miss results that arrived later. */
const maxAgeMs = 10_000
const maxCached = 50_000

/**
 * Counts the results of checks on the days of a window from the key alone; a result that was sent twice may count twice. Calls of the same
 * tick share a statement.
 */
export function createResultCounts({ connection, settings, monotonic = () => performance.now() }: CountsOptions): CountResults {
  const cache = lruCache<string, Cached>(maxCached)
  const batches = new Map<string, Batch>()

  const read = async (checks: readonly CheckRef[], window: Window): Promise<Counts> => {
    const rows =
      checks.length === 1 ? await readOne(checks[0] as CheckRef, window) : await inBatches(checks, (some) => readMany(some, window))
    return new Map(
      rows.map(([account, checkId, count]) => [checkKey({ account: String(account), checkId: String(checkId) }), Number(count)]),
    )
  }
  const readOne = (check: CheckRef, window: Window) =>
    connection.rows({ sql: countWhere(ofCheck), params: { ...check, ...window }, settings })
  const readMany = (checks: readonly CheckRef[], window: Window) => {
    const { sql, params } = amongChecks(checks)
    return connection.rows({ sql: countWhere(sql), params: { ...params, ...window } })
  }

  /** The pending batch of a window: all checks that are added in this tick. */
  const batchOf = (window: Window): Batch => {
    const key = `${window.from} ${window.to}`
    const pending = batches.get(key)
    if (pending) return pending
    const checks: CheckRef[] = []
    const counts = Promise.resolve().then(() => {
      batches.delete(key)
      return read(checks, window)
    })
    batches.set(key, { checks, counts })
    return { checks, counts }
  }

  return ({ account, checkId }, window) => {
    const check = { account, checkId }
    const days = wholeDays(window)
    const key = `${checkKey(check)}\n${days.from} ${days.to}`
    const known = cache.get(key)
    if (known && monotonic() - known.readAt < maxAgeMs) return known.count
    const { checks, counts } = batchOf(days)
    checks.push(check)
    const count = counts.then((byCheck) => byCheck.get(checkKey(check)) ?? 0)
    cache.set(key, { readAt: monotonic(), count })
    count.catch(() => cache.delete(key))
    return count
  }
}

const countWhere = (condition: string) =>
  `SELECT account, checkId, count() FROM results WHERE ${condition} AND ${inWindow} GROUP BY account, checkId`

const wholeDays = ({ from, to }: Window) => boundWindow({ from: startOfDay(dayOf(from)), to: startOfDay(dayOf(to) + 1) - 1 })

/** Approximate values per call: several calls run at a time, and each holds a few copies in memory. */
const valuesPerCall = 5_000_000

/** A call takes one or a few statements, however many checks it covers, so each call covers as many checks as fit. */
export function createCallSizes(count: CountResults): CallSizes {
  return async (checks, window, { columns }) => {
    const counts = await Promise.all(checks.map((check) => count(check, window)))
    return batchesBy(counts, (results) => results * columns, valuesPerCall).map(({ length }) => length)
  }
}

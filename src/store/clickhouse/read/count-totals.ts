import { checkKey } from '../../../ids/check-ref.ts'
import { type RunTotals, tallyAt } from '../../kernels/run-totals.ts'
import type { CheckRef, Window } from '../../store.ts'
import { durationBoundsMs, type TotalsSource } from '../../totals.ts'
import type { Connection, StatementSettings } from '../connection.ts'
import { type MetricColumns, valueColumn } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { amongChecks, batchesOfChecks, inHalves } from './among-checks.ts'
import { byKind } from './by-kind.ts'
import { boundWindow, inWindow } from './select-results.ts'
import type { Tallies } from './tallies.ts'

/** By check, then by number of the time unit in which results started: tallies by location. */
type CountedTotals = ReadonlyMap<string, ReadonlyMap<number, Tallies>>

type CountOptions = {
  readonly connection: Pick<Connection, 'rows'>
  readonly metrics: MetricColumns
  /** Row limit of a statement that reads all rows of several checks. */
  readonly rowsPerStatement?: number
}
type Counting = { readonly window: Window; readonly unitMs: number }

/** Bucket of results without a measured duration. */
const noBucket = 255

/** Counts the results of many checks in one statement. Only integers, whose sums are the same wherever they are added. */
export function createCountTotals({ connection, metrics, rowsPerStatement }: CountOptions) {
  const isKnown = new Set(metrics.values)

  async function countSome(sources: readonly TotalsSource[], { window, unitMs }: Counting): Promise<CountedTotals> {
    const checks = sources.map(({ check }) => check)
    const kinds = sources.map(({ duration }) => (duration !== null && isKnown.has(duration) ? duration : null))
    const duration = byKind(checks, { kinds, sqlOf: valueColumn, name: 'kinds' })
    const { sql: among, params } = amongChecks(checks)
    const sql = `SELECT account, checkId, intDiv(startedAt, {unitMs:Int64}) AS unit, runLocation, ${bucketSql(duration.sql)} AS bucket, count(), sum(bitAnd(flags, 1)), sum(bitAnd(flags, 5) = 4), sum(attempts), sum(${microsSql(duration.sql)}) FROM results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid} GROUP BY account, checkId, unit, runLocation, bucket`
    const bound = { ...params, ...duration.params, ...boundWindow(window), unitMs, bounds: durationBoundsMs }
    return talliesIn(await connection.rows({ sql, params: bound }))
  }

  return {
    async count(sources: readonly TotalsSource[], counting: Counting): Promise<CountedTotals> {
      const counted = new Map<string, ReadonlyMap<number, Tallies>>()
      for (const some of batchesOfChecks(sources, ({ check }) => check))
        for (const [check, byUnit] of await countSome(some, counting)) counted.set(check, byUnit)
      return counted
    },
    /** First start and number of results per check; checks without results are left out. */
    async spans(checks: readonly CheckRef[]): Promise<ReadonlyMap<string, { readonly first: number; readonly results: number }>> {
      const ask = (some: readonly CheckRef[], settings: StatementSettings) => {
        const { sql: among, params } = amongChecks(some)
        const sql = `SELECT account, checkId, min(startedAt), count() FROM results WHERE ${among} GROUP BY account, checkId`
        return connection.rows({ sql, params, settings })
      }
      const rows = await inHalves(checks, ask, rowsPerStatement)
      return new Map(
        rows.map(([account, checkId, first, results]) => {
          const check = { account: String(account), checkId: String(checkId) }
          return [checkKey(check), { first: Number(first), results: Number(results) }]
        }),
      )
    },
  }
}

export type CountTotals = ReturnType<typeof createCountTotals>

/** The bucket of a duration: how many of the ascending bounds are smaller. */
function bucketSql(duration: string): string {
  return `if(isNull(${duration}), toUInt8(${noBucket}), toUInt8(arrayCount(bound -> bound < assumeNotNull(${duration}), {bounds:Array(Float64)})))`
}

/**
 * Rounds like `Math.round`: halves up, without an addition that itself rounds. As doubles, which add up exactly up to 2^53, and do not
 * overflow beyond that.
 */
function microsSql(duration: string): string {
  const micros = `(ifNull(${duration}, 0) * 1000)`
  return `floor(${micros}) + (${micros} - floor(${micros}) >= 0.5)`
}

function talliesIn(rows: readonly (readonly unknown[])[]): CountedTotals {
  const byCheck = new Map<string, Map<number, Map<string, RunTotals>>>()
  for (const [account, checkId, unit, location, ...numbers] of rows) {
    const [bucket, results, failed, degraded, attempts, micros] = numbers.map(Number) as [number, number, number, number, number, number]
    const byUnit = entryIn(byCheck, checkKey({ account: String(account), checkId: String(checkId) }))
    const tally = tallyAt(entryIn(byUnit, Number(unit)), String(location))
    tally.failed += failed
    tally.degraded += degraded
    tally.passed += results - failed - degraded
    tally.retries += attempts - results
    tally.durationMicros += micros
    if (bucket !== noBucket) tally.buckets[bucket] = (tally.buckets[bucket] as number) + results
  }
  return byCheck
}

/** The inner map of a key, created if missing. */
function entryIn<Key, InnerKey, Value>(maps: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const existing = maps.get(key)
  if (existing) return existing
  const added = new Map<InnerKey, Value>()
  maps.set(key, added)
  return added
}

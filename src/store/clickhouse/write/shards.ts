import { isDeepStrictEqual } from 'node:util'
import { lruCache } from '../../../cache/cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { minuteMs } from '../../../time.ts'
import type { CheckRef } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { inBatches } from '../read/among-checks.ts'
import { type DatabaseRef, shardingKey } from '../schema/tables.ts'

/** The shard of each check, in order. */
export type ShardsOf = (checks: readonly CheckRef[]) => Promise<readonly number[]>

type ShardsOptions = {
  readonly connection: Pick<Connection, 'rows'>
  readonly place: DatabaseRef
  readonly monotonic?: () => number
}

const maxCached = 500_000
/** How long a batch may mix results of old and new shards after shards were added or weights changed. */
const maxAgeMs = 10 * minuteMs

/** Asks the cluster once for the shard of each check; a server without a cluster is one shard. */
export function createShards({ connection, place: { cluster }, monotonic = () => performance.now() }: ShardsOptions): ShardsOf {
  let shards = lruCache<string, number>(maxCached)
  let slots: readonly number[] = []
  let readAt = Number.NEGATIVE_INFINITY

  /** The shard for each remainder of a check's hash: each shard has as many slots as its weight. */
  async function readSlots(): Promise<void> {
    const sql =
      'SELECT shard_num, max(shard_weight) FROM system.clusters WHERE cluster = {cluster:String} GROUP BY shard_num ORDER BY shard_num'
    const rows = await connection.rows({ sql, params: { cluster: cluster ?? '' } })
    const found = rows.flatMap(([shard, weight]) => new Array<number>(Number(weight)).fill(Number(shard)))
    readAt = monotonic()
    if (isDeepStrictEqual(found, slots)) return
    slots = found
    shards = lruCache(maxCached)
  }
  async function readShards(checks: readonly CheckRef[]): Promise<void> {
    const rows = await inBatches(checks, (some) => {
      const sql = `SELECT account, checkId, ${shardingKey} % {slots:UInt64} FROM (SELECT {accounts:Array(String)} AS accounts, {checkIds:Array(String)} AS checkIds) ARRAY JOIN accounts AS account, checkIds AS checkId`
      const [accounts, checkIds] = [some.map(({ account }) => account), some.map(({ checkId }) => checkId)]
      return connection.rows({ sql, params: { accounts, checkIds, slots: slots.length } })
    })
    for (const [account, checkId, slot] of rows)
      shards.set(checkKey({ account: String(account), checkId: String(checkId) }), slots[Number(slot)] ?? 0)
  }
  return async (checks) => {
    if (cluster === null || checks.length === 0) return checks.map(() => 0)
    if (monotonic() - readAt >= maxAgeMs) await readSlots()
    const unknown = checks.filter((check) => shards.get(checkKey(check)) === undefined)
    if (unknown.length > 0 && slots.length > 1) await readShards(unknown)
    return checks.map((check) => shards.get(checkKey(check)) ?? 0)
  }
}

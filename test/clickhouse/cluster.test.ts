// @slow clickhouse
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needing } from '../support/needs.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, startCluster } from './engines/cluster.ts'

const patient = { timeout: 60_000, interval: 200 }

describe.runIf(isClusterTested)('a cluster of two shards with two replicas', needing(await clusterMissing()), () => {
  let cluster: Cluster
  let clients: readonly ClickHouseClient[]
  const settings = { distributed_foreground_insert: 1 as const, insert_quorum: 'auto' }

  beforeAll(async () => {
    cluster = await startCluster()
    clients = cluster.nodes.map(({ url }) => createClient({ url, log: { level: ClickHouseLogLevel.OFF }, request_timeout: 20_000 }))
    // Run on each node: through the cluster's queue, a node that has just started may take a minute. It may also drop its first
    // connections.
    const create = (table: string) =>
      Promise.all(clients.map((client) => vi.waitFor(() => client.command({ query: `CREATE TABLE IF NOT EXISTS ${table}` }), patient)))
    await create(`local (id UInt64) ENGINE = ReplicatedReplacingMergeTree('/tables/{shard}/local', '{replica}') ORDER BY id`)
    await create(`every AS local ENGINE = Distributed('${clusterName}', currentDatabase(), local, id)`)
  }, 180_000)
  afterAll(async () => {
    await Promise.all(clients?.map((client) => client.close()) ?? [])
    await cluster?.stop()
  })

  const insert = async (node: number, ids: readonly number[]): Promise<string> => {
    const values = ids.map((id) => ({ id }))
    try {
      await clients[node]?.insert({ table: 'every', values, format: 'JSONEachRow', clickhouse_settings: settings })
      return 'written'
    } catch {
      return 'refused'
    }
  }
  const count = async (node: number, table: string) => {
    const answer = await clients[node]?.query({ query: `SELECT count() AS n FROM ${table}`, format: 'JSONEachRow' })
    const [row] = (await answer?.json<{ n: string }>()) ?? []
    return Number(row?.n)
  }
  const counts = (table: string) => Promise.all(cluster.nodes.map((_, node) => count(node, table).catch(() => null)))
  const ids = (from: number) => Array.from({ length: 100 }, (_, index) => from + index)

  test('an insert reaches the shard of each row and all its replicas', async () => {
    expect(await insert(0, ids(0))).toBe('written')
    await expect.poll(() => counts('local'), patient).toEqual([50, 50, 50, 50])
    expect(await counts('every')).toEqual([100, 100, 100, 100])
  })

  test('concurrent writes all succeed', async () => {
    const ids = (from: number) => Array.from({ length: 10 }, (_, index) => 1000 + from + index)
    const written = await Promise.all([0, 10, 20, 30].map((from, node) => insert(node, ids(from))))
    expect(written).toEqual(['written', 'written', 'written', 'written'])
    await expect.poll(() => counts('every'), patient).toEqual([140, 140, 140, 140])
  })

  test('a write is rejected while a replica of the quorum is down, and queries still work', async () => {
    const [, , , last] = cluster.nodes
    await last?.kill()
    await expect.poll(() => insert(0, ids(100)), patient).toBe('refused')
    expect(await count(1, 'every')).toBeGreaterThanOrEqual(100)
    await last?.start()
    await expect.poll(() => insert(0, ids(100)), patient).toBe('written')
    await expect.poll(() => counts('every'), patient).toEqual([240, 240, 240, 240])
  }, 180_000)

  test('an isolated node neither answers nor accepts writes, and catches up once it is reachable again', async () => {
    const [node] = cluster.nodes
    node?.cut()
    await expect(clients[0]?.query({ query: 'SELECT 1', abort_signal: AbortSignal.timeout(1000) })).rejects.toThrow()
    await expect.poll(() => insert(1, ids(200)), patient).toBe('refused')
    node?.heal()
    await expect.poll(() => insert(1, ids(200)), patient).toBe('written')
    await expect.poll(() => counts('every'), patient).toEqual([340, 340, 340, 340])
  }, 180_000)

  test('writes continue after a restart of ZooKeeper', async () => {
    await cluster.zooKeeper.restart()
    await expect.poll(() => insert(2, ids(300)), patient).toBe('written')
    await expect.poll(() => counts('every'), patient).toEqual([440, 440, 440, 440])
  }, 180_000)
})

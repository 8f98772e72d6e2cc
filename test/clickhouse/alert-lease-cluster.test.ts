// @slow clickhouse
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lease, startLease } from '../../src/alerts/shared/lease.ts'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { connectCoordination } from '../../src/store/clickhouse/coordination.ts'
import type { Coordination } from '../../src/store/coordination.ts'
import { needing } from '../support/needs.ts'
import { testMetrics } from './databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, startCluster } from './engines/cluster.ts'

const patient = { timeout: 120_000, interval: 200 }
const clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {}),
}

describe.runIf(isClusterTested)(
  'the lease of alerts in a cluster',
  { ...needing(await clusterMissing()), timeout: 600_000, retry: 0 },
  () => {
    let cluster: Cluster
    let places: readonly Coordination[]
    const serverOf = (url: string) => ({ url, database: 'tidemark', cluster: clusterName, username: 'default', password: '', ca: null })

    beforeAll(async () => {
      cluster = await startCluster({ shards: 1, replicas: 3 })
      const [first] = cluster.nodes
      const store = await createClickHouseStore({
        server: serverOf(first?.url ?? ''),
        metrics: testMetrics,
        clock: Date.now,
        log: () => {},
      })
      await store.close()
      places = await Promise.all(cluster.nodes.map(({ url }) => connectCoordination(serverOf(url))))
    }, 600_000)
    afterAll(async () => {
      await Promise.all(places?.map((place) => place.close()) ?? [])
      await cluster?.stop()
    }, 600_000)

    test('is held by one of the processes, and passes to another when it is released', async () => {
      const owners = places.map((_, i) => `process-${i}`)
      const leases: readonly Lease[] = places.map(({ claims }, i) =>
        startLease({ claims, owner: owners[i] ?? '', clock, onWon: () => {}, onLost: () => {}, onFailure: () => {} }),
      )
      const holders = () => leases.flatMap((lease, i) => (lease.held() === null ? [] : [i]))
      await expect.poll(holders, patient).toHaveLength(1)
      const [first = 0] = holders()
      await leases[first]?.close()
      await expect.poll(() => holders().filter((holder) => holder !== first), patient).toHaveLength(1)
      expect(holders()).toHaveLength(1)
      await Promise.all(leases.map((lease) => lease.close()))
      const terms = async () => new Set((await Promise.all(places.map(({ claims }) => claims.read()))).flat().map(({ term }) => term))
      let newest = 0
      // A lagging server rejects queries until it has caught up.
      await expect.poll(async () => (newest = Math.max(...(await terms()))), patient).toBeGreaterThan(0)
      await places[0]?.claims.deleteBefore(newest)
      await expect.poll(async () => [...(await terms())], patient).toEqual([newest])
    })

    test('expired rows are deleted on all servers of the cluster', async () => {
      const row = (key: string, version: number, expiresAt: number | null) => ({ kind: 'incidents', key, version, expiresAt, body: '{}' })
      const [first] = places
      await first?.rows.write([row('kept', 1, null), row('expired', 2, 1000)])
      await first?.rows.write([row('later', 3, 3000)])
      await first?.rows.expire(2000, [])
      const keys = () => Promise.all(places.map(async ({ rows }) => (await rows.after(0, 10)).map(({ key }) => key)))
      await expect.poll(keys, patient).toEqual(places.map(() => ['kept', 'later']))
    })
  },
)

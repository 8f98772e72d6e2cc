// @slow
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testMetrics } from '../../../test/clickhouse/databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, startCluster } from '../../../test/clickhouse/engines/cluster.ts'
import { span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import type { CheckRef, NewResult, Store } from '../store.ts'
import { createClickHouseStore } from './clickhouse-store.ts'

const checks = Array.from({ length: 12 }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
const patient = { timeout: 120_000, interval: 500 }

const resultAt = (ms: number): NewResult => ({
  ...calm,
  id: null,
  startedAt: span.from + ms,
  runLocation: 'eu',
  values: { dns: ms },
  pages: [],
})

describe.runIf(isClusterTested)(
  'a store in a cluster of two shards with two replicas',
  { ...needing(await clusterMissing()), timeout: 600_000 },
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster()
    }, 300_000)
    afterAll(() => cluster?.stop())

    async function openAt(node: number): Promise<Store> {
      const server = {
        url: cluster.nodes[node]?.url ?? '',
        database: 'tidemark',
        cluster: clusterName,
        username: 'default',
        password: '',
        ca: null,
      }
      const store = await createClickHouseStore({ server, metrics: testMetrics, clock: () => span.to, log: () => {} })
      onTestFinished(() => store.close())
      return store
    }
    const filed = (times: readonly number[]) => checks.flatMap((check) => times.map((time) => ({ check, result: resultAt(time) })))
    const countOf = async (store: Store) => {
      const sources = checks.map((check) => ({ check, columns: [], labels: [] }))
      const paging = { rowPage: { offset: 0, limit: 100 }, groupPage: null }
      const plain = { filter: null, groupBy: [], figures: [], counts: true, buckets: null, fill: null, histogram: null }
      return (await store.aggregate({ sources, window: span, ...paging, ...plain })).results
    }

    test('is set up on all nodes, and each of them answers with the results of all', async () => {
      const [first, other] = [await openAt(0), await openAt(3)]
      expect(await first.append(filed([1, 2, 3]))).toEqual({ duplicates: [] })
      await expect.poll(() => countOf(other), patient).toBe(36)
      const latest = async () => (await other.latest(checks)).map(({ byLocation }) => byLocation[0]?.startedAt)
      await expect.poll(latest, patient).toEqual(checks.map(() => span.from + 3))
    })

    test('counts once what is sent again, also after a batch that failed on one shard', async () => {
      const store = await openAt(0)
      const before = await countOf(store)
      const isolated = cluster.nodes.filter(({ shard }) => shard === 2)
      for (const node of isolated) await node.kill()
      await expect(store.append(filed([11, 12]))).rejects.toMatchObject({ name: 'StoreUnavailable' })
      for (const node of isolated) await node.start()
      await expect
        .poll(
          () =>
            store.append(filed([11, 12])).then(
              () => 'stored',
              () => 'refused',
            ),
          patient,
        )
        .toBe('stored')
      await expect.poll(() => countOf(store), patient).toBe(before + 24)
    })
  },
)

// @slow clickhouse
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { connectTo } from '../../src/store/clickhouse/server.ts'
import { createShards } from '../../src/store/clickhouse/write/shards.ts'
import { type AggregateQuery, aggregations, type CheckRef, type FiledResult, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { testMetrics } from '../clickhouse/databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, type Node, startCluster } from '../clickhouse/engines/cluster.ts'
import { serverAt } from '../clickhouse/server-at.ts'
import { span } from '../support/arbitrary-results.ts'
import { needing } from '../support/needs.ts'
import { calm } from '../support/results.ts'
import { temporaryStore } from '../support/temporary-store.ts'
import { seeded } from '../support/timeline.ts'
import { createHistory, startWriter } from './write-history.ts'

const checks = Array.from({ length: 8 }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
/** 100 of them in `npm run test:faults`. */
const rounds = Math.ceil(Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) / 5)
const seed = Number(process.env.TIDEMARK_TEST_SEED ?? Date.now() % 1_000_000)
const minute = 60_000
const pollMs = 500
const maxPolls = 600

/** All figures of each check, as one question. */
const question: AggregateQuery = {
  sources: checks.map((check) => ({ check, columns: [{ metric: 'dns', perPage: false }], labels: [[check.checkId]] })),
  window: span,
  filter: null,
  groupBy: [{ by: 'label' }],
  figures: aggregations.map((aggregation) => ({ column: 0, aggregation, bound: null })),
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
  rowPage: { offset: 0, limit: 1 },
  groupPage: null,
}

const isEqual = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((text, i) => text === b[i])

describe.runIf(isClusterTested)(
  'the history of a cluster with faults at random',
  { ...needing(await clusterMissing()), timeout: (30 + 2 * rounds) * minute, retry: 0 },
  () => {
    let cluster: Cluster
    const stores: Store[] = []
    beforeAll(async () => {
      cluster = await startCluster()
      for (const { url } of cluster.nodes) {
        const server = serverAt(url, 'tidemark', clusterName)
        stores.push(await createClickHouseStore({ server, metrics: testMetrics, clock: () => span.to, sweepMs: 5000, log: () => {} }))
      }
    }, 10 * minute)
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await cluster?.stop()
    }, 10 * minute)

    /** Counts polls instead of time, so that a machine that stands still for minutes fails no test. */
    async function until(isReached: () => Promise<boolean> | boolean, goal: string): Promise<void> {
      for (let polls = 0; !(await isReached()); polls++) {
        if (polls === maxPolls) throw new Error(`${goal} was not reached; seed ${seed}.`)
        await pause(pollMs)
      }
    }

    async function shardByCheck(): Promise<ReadonlyMap<string, number>> {
      const connection = await connectTo(serverAt(cluster.nodes[0]?.url ?? '', 'tidemark', clusterName), { log: () => {} })
      const shards = await createShards({ connection, place: { database: 'tidemark', cluster: clusterName } })(checks)
      await connection.close()
      return new Map(checks.map(({ checkId }, i) => [checkId, shards[i] ?? 0]))
    }

    const resultsAt = async (store: Store): Promise<readonly FiledResult[]> => {
      const found: FiledResult[] = []
      for (const check of checks)
        for await (const results of store.scan(check, span)) found.push(...results.map((result) => ({ check, result })))
      return found
    }

    /** Asks the nodes in turn: no answer counts more than was sent, or it is refused as unavailable. */
    function startReader(mostResults: () => number) {
      const wrong: unknown[] = []
      let isOver = false
      let answers = 0
      const asking = (async () => {
        for (let turn = 0; !isOver; turn++) {
          const answer = await (stores[turn % stores.length] as Store).aggregate(question).catch((error) => error)
          if (answer instanceof StoreUnavailable) await pause(pollMs)
          else if (answer instanceof Error || answer.results > mostResults()) wrong.push(answer)
          else answers++
          await pause(50)
        }
      })()
      return {
        async finish() {
          isOver = true
          await asking
          return { wrong, answers }
        },
      }
    }

    const faults: Readonly<Record<string, (node: Node) => Promise<void>>> = {
      kill: (node) => node.kill().then(() => pause(1000).then(() => node.start())),
      stop: (node) => node.stop().then(() => pause(1000).then(() => node.start())),
      cut: async (node) => {
        node.cut()
        await pause(3000)
        node.heal()
      },
      pause: async (node) => {
        node.pause()
        await pause(5000)
        node.resume()
      },
      'restart of ZooKeeper': () => cluster.zooKeeper.restart(),
    }

    test('has every acknowledged result once, and answers as a data folder with the same results', async () => {
      console.log(`${rounds} faults, seed ${seed} (TIDEMARK_TEST_SEED).`)
      const random = seeded(seed)
      const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
      const history = createHistory(await shardByCheck())
      // Each writer has a twin that runs the same slots a little later, as two agents of a location do.
      const writers = stores.map((_, writer) =>
        startWriter({
          history,
          stores,
          firstNode: writer,
          checks,
          location: `location-${writer % 2}`,
          laterMs: writer < 2 ? 0 : 7,
          base: calm,
        }),
      )
      const reader = startReader(() => 2 * history.sent.size)
      onTestFinished(() => {
        for (const writer of writers) writer.abandon()
        void reader.finish()
      })
      for (let round = 0; round < rounds; round++) {
        const [name, fail] = oneOf(Object.entries(faults))
        const node = oneOf(cluster.nodes)
        const [before, startedAt] = [history.acknowledged.size, performance.now()]
        await fail(node)
        await until(() => history.acknowledged.size >= before + 20, `that results are accepted again after ${name}`)
        const seconds = Math.round((performance.now() - startedAt) / 1000)
        console.log(`${round + 1}: ${name} of replica ${node.replica} of shard ${node.shard}, accepted again after ${seconds} s.`)
      }
      await Promise.all(writers.map((writer) => writer.finish()))
      const { wrong, answers } = await reader.finish()
      expect({ wrong, unexpected: history.unexpected }).toEqual({ wrong: [], unexpected: [] })

      const expected = [...history.acknowledged].sort()
      const { store: folder } = await temporaryStore(() => span.to)
      for (const store of stores) {
        const idsOf = async () => (await resultsAt(store)).map(({ check, result }) => `${check.checkId} ${result.id}`).sort()
        await until(async () => isEqual(await idsOf().catch(() => []), expected), 'that a node has every acknowledged result once')
        await folder.append(await resultsAt(store))
        expect(await store.aggregate(question)).toEqual(await folder.aggregate(question))
      }
      await folder.close()
      console.log(`${expected.length} results acknowledged, ${answers} questions answered. ${history.availability()}`)
    })
  },
)

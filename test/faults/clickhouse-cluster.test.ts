// @slow clickhouse
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { type CheckRef, type FiledResult, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { testMetrics } from '../clickhouse/databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, startCluster } from '../clickhouse/engines/cluster.ts'
import { span } from '../support/arbitrary-results.ts'
import { needing } from '../support/needs.ts'
import { calm } from '../support/results.ts'
import { seeded } from '../support/timeline.ts'

const checks = Array.from({ length: 8 }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
const rounds = Math.ceil(Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) / 50)
const batchSize = 20
const pollMs = 500
const maxPolls = 600
const minute = 60_000

describe.runIf(isClusterTested)(
  'a cluster whose nodes fail while results arrive',
  { ...needing(await clusterMissing()), timeout: (30 + 10 * rounds) * minute, retry: 0 },
  () => {
    let cluster: Cluster
    let stores: readonly Store[]
    const problems: string[] = []

    beforeAll(async () => {
      cluster = await startCluster()
      const opened: Store[] = []
      for (const { url } of cluster.nodes) {
        const server = { url, database: 'tidemark', cluster: clusterName, username: 'default', password: '', ca: null }
        opened.push(
          await createClickHouseStore({
            server,
            metrics: testMetrics,
            clock: () => span.to,
            log: (problem) => problems.push(`${url}: ${problem}`),
          }),
        )
      }
      stores = opened
    }, 10 * minute)
    afterAll(async () => {
      await Promise.all(stores?.map((store) => store.close()) ?? [])
      await cluster?.stop()
    }, 10 * minute)

    /** Counts polls instead of time, so that a machine that stalls for minutes fails no test. */
    const until = async (isReached: () => Promise<boolean> | boolean, goal: string): Promise<void> => {
      for (let polls = 0; !(await isReached()); polls++) {
        if (polls === maxPolls) throw new Error(`${goal} was not reached. The last problems: ${problems.slice(-20).join('\n')}`)
        await pause(pollMs)
      }
    }

    const storeAt = (node: number): Store => {
      const store = stores[node % stores.length]
      if (!store) throw new Error('there is no such node')
      return store
    }

    /** Four writers that retry rejected batches at the next node, like clients behind a proxy. */
    function startWriters() {
      const sent = new Set<string>()
      const acknowledged = new Set<string>()
      const unexpected: unknown[] = []
      let isOver = false

      const write = async (batch: readonly FiledResult[], firstNode: number) => {
        for (let node = firstNode; ; node++) {
          const stored = await storeAt(node)
            .append(batch)
            .then(
              () => true,
              (error) => {
                if (!(error instanceof StoreUnavailable)) unexpected.push(error)
                return false
              },
            )
          if (stored) break
          await pause(100)
        }
        for (const { result } of batch) acknowledged.add(result.id ?? '')
      }
      const writers = [0, 1, 2, 3].map(async (writer) => {
        for (let number = 0; !isOver; number++) {
          const batch = batchOf(writer, number)
          for (const { result } of batch) sent.add(result.id ?? '')
          await write(batch, writer)
          await pause(50)
        }
      })
      const finish = async () => {
        isOver = true
        await Promise.all(writers)
      }
      return { sent, acknowledged, unexpected, finish }
    }

    const countAt = async (node: number): Promise<number> => {
      const sources = checks.map((check) => ({ check, columns: [], labels: [] }))
      const paging = { rowPage: { offset: 0, limit: 100 }, groupPage: null }
      const plain = { filter: null, groupBy: [], figures: [], counts: true, buckets: null, fill: null, histogram: null }
      return (await storeAt(node).aggregate({ sources, window: span, ...paging, ...plain })).results
    }

    /** Queries the nodes in turn; a response counts no result twice, or the query is rejected as unavailable. */
    function startQuestions(sent: ReadonlySet<string>) {
      const wrong: unknown[] = []
      let answers = 0
      let isOver = false
      const asking = (async () => {
        for (let node = 0; !isOver; node++) {
          await countAt(node).then(
            (count) => {
              answers++
              if (count > sent.size) wrong.push({ count, sent: sent.size })
            },
            (error) => {
              if (!(error instanceof StoreUnavailable)) wrong.push(error)
            },
          )
          await pause(100)
        }
      })()
      const finish = async () => {
        isOver = true
        await asking
        return { answers, wrong }
      }
      return { finish }
    }

    /** All ids that a node returns, with duplicates. */
    const idsAt = async (node: number): Promise<readonly string[]> => {
      const ids: string[] = []
      for (const check of checks)
        for await (const results of storeAt(node).scan(check, span)) ids.push(...results.map(({ id }) => id ?? ''))
      return ids.sort()
    }

    test('loses nothing that was acknowledged, counts nothing twice, and recovers on its own', async () => {
      const random = seeded(13)
      const anyNode = () => {
        const node = cluster.nodes[Math.floor(random() * cluster.nodes.length)]
        if (!node) throw new Error('there is no node')
        return node
      }
      const faults = [
        async () => {
          const node = anyNode()
          await node.kill()
          await pause(1000)
          await node.start()
        },
        async () => {
          const node = anyNode()
          await node.stop()
          await pause(1000)
          await node.start()
        },
        async () => {
          const node = anyNode()
          node.cut()
          await pause(3000)
          node.heal()
        },
        () => cluster.zooKeeper.restart(),
      ]
      const { sent, acknowledged, unexpected, finish } = startWriters()
      const questions = startQuestions(sent)
      for (let round = 0; round < rounds; round++)
        for (const fail of faults) {
          await fail()
          const before = acknowledged.size
          await until(() => acknowledged.size > before + 4 * batchSize, 'that results are accepted again')
        }
      await finish()
      const { answers, wrong } = await questions.finish()

      expect({ unexpected, wrong }).toEqual({ unexpected: [], wrong: [] })
      expect(answers).toBeGreaterThan(0)
      const expected = [...acknowledged].sort()
      for (const node of cluster.nodes.keys()) {
        await until(async () => (await idsAt(node).catch(() => [])).length >= expected.length, `that node ${node} has caught up`)
        expect(await idsAt(node)).toEqual(expected)
        expect(await countAt(node)).toBe(expected.length)
      }
      console.log(`${rounds} rounds of ${faults.length} faults: ${expected.length} results acknowledged, ${answers} queries answered.`)
    })
  },
)

function batchOf(writer: number, number: number): readonly FiledResult[] {
  return Array.from({ length: batchSize }, (_, index) => {
    const serial = number * batchSize + index
    const check = checks[serial % checks.length]
    if (!check) throw new Error('there is no check')
    const times = { startedAt: span.from + serial * 1000, runLocation: `location-${writer}` }
    return { check, result: { ...calm, ...times, id: `${writer}-${serial}`, values: { dns: serial }, pages: [] } }
  })
}

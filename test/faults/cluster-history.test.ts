// @slow clickhouse
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { connectTo } from '../../src/store/clickhouse/server.ts'
import { createShards } from '../../src/store/clickhouse/write/shards.ts'
import {
  type AggregateAnswer,
  type AggregateQuery,
  aggregations,
  type CheckRef,
  type FiledResult,
  type Store,
  StoreUnavailable,
  type Window,
} from '../../src/store/store.ts'
import { compareText } from '../../src/text/compare-text.ts'
import { dayMs } from '../../src/time.ts'
import { testMetrics } from '../clickhouse/databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, type Node, startCluster } from '../clickhouse/engines/cluster.ts'
import { serverAt } from '../clickhouse/server-at.ts'
import { span } from '../support/arbitrary-results.ts'
import { needing } from '../support/needs.ts'
import { calm } from '../support/results.ts'
import { temporaryStore } from '../support/temporary-store.ts'
import { seeded } from '../support/timeline.ts'
import { createHistory, nameOf, startWriter } from './write-history.ts'

const checks = Array.from({ length: 8 }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
/** 100 in `npm run test:faults`. */
const rounds = Math.ceil(Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) / 5)
const seed = Number(process.env.TIDEMARK_TEST_SEED ?? Date.now() % 1_000_000)
const minute = 60_000
const pollMs = 500
const maxPolls = 600

/** All figures of each check, in one query. Windows of several days are answered from cached days. */
const questionOf = (asked: readonly CheckRef[], window: Window): AggregateQuery => ({
  sources: asked.map((check) => ({ check, columns: [{ metric: 'dns', perPage: false }], labels: [[check.checkId]] })),
  window,
  filter: null,
  groupBy: [{ by: 'label' }],
  figures: aggregations.map((aggregation) => ({ column: 0, aggregation, bound: null })),
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
  rowPage: { offset: 0, limit: 1 },
  groupPage: null,
})
/** No result starts at their edges, and results with the same id never start on both sides of one. */
const windows: readonly Window[] = [
  span,
  { from: span.from + 30_000, to: span.from + 2 * dayMs + 30_000 },
  { from: span.from + dayMs - 30_000, to: span.to },
  { from: span.from + dayMs + 30_000, to: span.from + dayMs + 3_600_000 },
]
const questions = windows.flatMap((window) => [checks, ...checks.map((check) => [check])].map((asked) => ({ asked, window })))

const isEqual = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((text, i) => text === b[i])

/** A result as text, to compare whole results. */
const rowOf = ({ check, result }: FiledResult) => `${check.checkId} ${JSON.stringify({ ...sorted(result), values: sorted(result.values) })}`
const sorted = (record: object) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareText(a, b)))

describe.runIf(isClusterTested)(
  'a cluster with random faults',
  { ...needing(await clusterMissing()), timeout: (30 + 2 * rounds) * minute, retry: 0 },
  () => {
    let cluster: Cluster
    const stores: Store[] = []
    beforeAll(async () => {
      cluster = await startCluster()
      for (const { url } of cluster.nodes) {
        const server = serverAt(url, 'tidemark', clusterName)
        stores.push(
          await createClickHouseStore({ server, metrics: testMetrics, clock: () => span.to, repeatedIdsEveryMs: 5000, log: () => {} }),
        )
      }
    }, 10 * minute)
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await cluster?.stop()
    }, 10 * minute)

    /** Counts polls instead of time, so that a machine that stalls for minutes fails no test. */
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

    /**
     * Queries the nodes in turn: each response counts all acknowledged results and none that was not sent, or the query is rejected as
     * unavailable.
     */
    function startReader({ fewest, most }: Pick<ReturnType<typeof createHistory>, 'fewest' | 'most'>) {
      const random = seeded(seed + 1)
      const wrong: unknown[] = []
      let isOver = false
      let answers = 0
      const ask = async (node: number) => {
        const { asked, window } = questions[Math.floor(random() * questions.length)] as (typeof questions)[number]
        const least = asked.map((check) => fewest(check, window))
        const answer = await (stores[node] as Store).aggregate(questionOf(asked, window)).catch((error) => error)
        if (answer instanceof StoreUnavailable) return pause(pollMs)
        if (answer instanceof Error) return void wrong.push(answer)
        const found = asked.map(({ checkId }) => totalOf(answer, checkId))
        const isRight = asked.every((check, i) => Number(found[i]) >= Number(least[i]) && Number(found[i]) <= most(check, window))
        if (isRight) answers++
        else
          wrong.push({
            node,
            window,
            checks: asked.map(({ checkId }) => checkId),
            least,
            found,
            most: asked.map((check) => most(check, window)),
          })
      }
      const asking = (async () => {
        for (let turn = 0; !isOver; turn++) {
          await ask(turn % stores.length)
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
    const totalOf = ({ groups }: AggregateAnswer, checkId: string) =>
      groups.find(({ keys }) => keys[0] === checkId)?.rows[0]?.counts?.total ?? 0

    /** How a node differs from the expectation that it has every acknowledged result once, and as it was sent. */
    function differences(found: readonly FiledResult[], { sent, acknowledged }: ReturnType<typeof createHistory>): readonly string[] {
      const names = found.map(nameOf)
      const known = new Set(names)
      return [
        ...[...acknowledged].filter((name) => !known.has(name)).map((name) => `${name} is lost`),
        ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is there twice`),
        ...found
          .filter((filed) => !sent.get(nameOf(filed))?.some((own) => rowOf(own) === rowOf(filed)))
          .map((filed) => `${rowOf(filed)} was not sent`),
      ]
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

    test('keeps every acknowledged result once, as it was sent, and answers queries like a data folder with the same results', async () => {
      console.log(`${rounds} faults, seed ${seed} (TIDEMARK_TEST_SEED).`)
      const random = seeded(seed)
      const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
      const history = createHistory(await shardByCheck())
      // Each writer has a twin that runs the same slots a little later, like a second agent of a location.
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
      const reader = startReader(history)
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

      let last: readonly string[] = []
      const isSettled = async (store: Store) => {
        last = await resultsAt(store).then(
          (found) => differences(found, history),
          (error) => [String(error)],
        )
        return last.length === 0
      }
      for (const store of stores)
        await until(() => isSettled(store), 'that a node has every acknowledged result once, as it was sent').catch((error) => {
          throw new Error(`${error.message} ${last.length} differences: ${last.slice(0, 5).join('; ')}`)
        })
      // The nodes agree on one run for an id that two agents have run; its row is the one that was sent.
      const counted = await resultsAt(stores[0] as Store)
      const expected = counted.flatMap((filed) => history.sent.get(nameOf(filed))?.filter((own) => rowOf(own) === rowOf(filed)) ?? [])
      const { store: folder } = await temporaryStore(() => span.to)
      await folder.append(expected)
      const rows = expected.map(rowOf).sort()
      for (const store of stores) {
        const isSame = async () => isEqual((await resultsAt(store).catch(() => [])).map(rowOf).sort(), rows)
        await until(isSame, 'that the nodes agree on the runs that count')
        for (const { asked, window } of questions)
          expect(await store.aggregate(questionOf(asked, window))).toEqual(await folder.aggregate(questionOf(asked, window)))
      }
      await folder.close()
      console.log(`${expected.length} results acknowledged, ${answers} queries answered. ${history.availability()}`)
    })
  },
)

// @slow clickhouse
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testMetrics } from '../../../test/clickhouse/databases.ts'
import { type Cluster, clusterMissing, clusterName, isClusterTested, startCluster } from '../../../test/clickhouse/engines/cluster.ts'
import { span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import { checkKey } from '../../ids/check-ref.ts'
import type { CheckRef, FiledResult, NewResult, Store, StoreUnavailable } from '../store.ts'
import { type ClickHouseOptions, createClickHouseStore } from './clickhouse-store.ts'

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

/** Helpers for tests on a cluster, which starts later. */
function over(cluster: () => Cluster) {
  type OpenOptions = Pick<ClickHouseOptions, 'onStatement' | 'metrics'> & { readonly database?: string }
  async function openAt(node: number, { database = 'tidemark', ...options }: OpenOptions = {}): Promise<Store> {
    const server = {
      url: cluster().nodes[node]?.url ?? '',
      database,
      cluster: clusterName,
      username: 'default',
      password: '',
      ca: null,
    }
    const common = { server, metrics: testMetrics, clock: () => span.to, startWaitMs: 60_000, log: () => {} }
    const store = await createClickHouseStore({ ...common, ...options })
    onTestFinished(() => store.close())
    return store
  }

  async function countOf(store: Store): Promise<number> {
    const sources = checks.map((check) => ({ check, columns: [], labels: [] }))
    const paging = { rowPage: { offset: 0, limit: 100 }, groupPage: null }
    const plain = { filter: null, groupBy: [], figures: [], counts: true, buckets: null, fill: null, histogram: null }
    return (await store.aggregate({ sources, window: span, ...paging, ...plain })).results
  }

  async function untilStored(store: Store, results: readonly FiledResult[]): Promise<void> {
    const outcome = () =>
      store.append(results).then(
        () => 'stored',
        () => 'refused',
      )
    await expect.poll(outcome, patient).toBe('stored')
  }

  async function insertWithoutQuorum(rows: readonly (readonly unknown[])[]): Promise<void> {
    const query = 'INSERT INTO tidemark.results (account, checkId, startedAt, runLocation, id) FORMAT TabSeparated'
    const url = new URL(cluster().nodes[0]?.url ?? '')
    url.search = new URLSearchParams({ query, distributed_foreground_insert: '1' }).toString()
    const answer = await fetch(url, { method: 'POST', body: rows.map((row) => `${row.join('\t')}\n`).join('') })
    if (!answer.ok) throw new Error(await answer.text())
  }

  return { openAt, countOf, untilStored, insertWithoutQuorum }
}

/** One run of each check, as sent by an agent that started it at this time. */
const slotAt = (ms: number, id: string) => checks.map((check, i) => ({ check, result: { ...resultAt(ms), id: `${id}-${i}` } }))

describe.runIf(isClusterTested)(
  'a store in a cluster of two shards with two replicas',
  { ...needing(await clusterMissing()), timeout: 600_000 },
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster()
    }, 300_000)
    afterAll(() => cluster?.stop())

    const { openAt, countOf, untilStored, insertWithoutQuorum } = over(() => cluster)
    const filed = (times: readonly number[]) => checks.flatMap((check) => times.map((time) => ({ check, result: resultAt(time) })))
    const isWritable = (store: Store) => store.writable().catch(() => false)
    test('is set up on all nodes, and each of them returns the results of all', async () => {
      const [first, other] = [await openAt(0), await openAt(3)]
      expect(await first.append(filed([1, 2, 3]))).toEqual({ duplicates: [] })
      await expect.poll(() => countOf(other), patient).toBe(36)
      const latest = async () => (await other.latest(checks)).map(({ byLocation }) => byLocation[0]?.startedAt)
      await expect.poll(latest, patient).toEqual(checks.map(() => span.from + 3))
    })

    test('counts duplicates once, also after a batch that failed on one shard', async () => {
      const store = await openAt(0)
      const before = await countOf(store)
      const isolated = cluster.nodes.filter(({ shard }) => shard === 2)
      for (const node of isolated) await node.kill()
      await expect(store.append(filed([11, 12]))).rejects.toMatchObject({ name: 'StoreUnavailable' })
      for (const node of isolated) await node.start()
      await untilStored(store, filed([11, 12]))
      await expect.poll(() => countOf(store), patient).toBe(before + 24)
    })

    test('rejects a batch that only one shard has stored, and a retry completes it', async () => {
      const isolated = cluster.nodes.filter(({ shard }) => shard === 2)
      let killed: Promise<unknown> | null = null
      const store = await openAt(0, {
        onStatement(statement) {
          if (statement.startsWith('results (')) killed ??= Promise.all(isolated.map((node) => node.kill()))
        },
      })
      const before = await countOf(store)
      await expect(store.append(filed([21, 22]))).rejects.toMatchObject({ name: 'StoreUnavailable' })
      expect(killed).not.toBe(null)
      await killed
      for (const node of isolated) await node.start()
      await untilStored(store, filed([21, 22]))
      await expect.poll(() => countOf(store), patient).toBe(before + 24)
    })

    test('acknowledges an id that one replica has with another start only once a quorum has it', async () => {
      const store = await openAt(0)
      const slots = checks.map((check, i) => ({ check, result: { ...resultAt(42), id: `slot-${i}` } }))
      const before = await countOf(store)
      const away = cluster.nodes.filter(({ replica }) => replica === 2)
      await Promise.all(away.map((node) => node.kill()))
      await insertWithoutQuorum(slots.map(({ check, result }) => [check.account, check.checkId, span.from + 41, 'eu', result.id]))
      expect(await countOf(store)).toBe(before + checks.length)
      await expect(store.append(slots)).rejects.toMatchObject({ name: 'StoreUnavailable' })
      expect([await store.ready(), await isWritable(store)]).toEqual([true, false])
      await Promise.all(away.map((node) => node.start()))
      await untilStored(store, slots)
      await expect.poll(() => countOf(store), patient).toBe(before + checks.length)
    })

    test('accepts results of a shard while a node of the other is down, and those of both once it is back', async () => {
      const away = cluster.nodes.find(({ shard, replica }) => shard === 2 && replica === 2)
      await away?.kill()
      const store = await openAt(0)
      expect(await countOf(store)).toBeGreaterThan(0)
      expect([await store.ready(), await isWritable(store)]).toEqual([true, true])
      const outcomes = await Promise.allSettled(filed([31]).map((one) => store.append([one])))
      const refused = outcomes.filter(({ status }) => status === 'rejected').length
      expect(refused).toBeGreaterThan(0)
      expect(refused).toBeLessThan(checks.length)
      const before = await countOf(store)
      const error = await store.append(filed([32])).catch((error: StoreUnavailable) => error)
      const { refusedChecks, duplicates } = (error as StoreUnavailable).partly ?? {}
      expect([refusedChecks?.size, duplicates]).toEqual([refused, []])
      await expect.poll(() => countOf(store), patient).toBe(before + checks.length - refused)
      await away?.start()
      const missing = filed([32]).filter(({ check }) => refusedChecks?.has(checkKey(check)))
      await untilStored(store, [...filed([31]), ...missing])
      await expect.poll(() => countOf(store), patient).toBe(before + checks.length + refused)
    })

    test('creates tables and columns of new metrics while a node is down, which gets them once it is back', async () => {
      const away = cluster.nodes.find(({ shard, replica }) => shard === 2 && replica === 2)
      await openAt(0)
      await away?.stop()
      const database = 'created_meanwhile'
      const statements: string[] = []
      const metrics = { ...testMetrics, values: [...testMetrics.values, 'added'] }
      await openAt(0, { database })
      const store = await openAt(0, { metrics, onStatement: (statement) => void statements.push(statement) })
      expect(statements.filter((statement) => /^(CREATE|DROP|ALTER)/.test(statement))).toEqual([
        'ALTER TABLE tidemark.results_local ON CLUSTER tidemark ADD COLUMN IF NOT EXISTS v_added Nullable(Float64)',
        'ALTER TABLE tidemark.results ON CLUSTER tidemark ADD COLUMN IF NOT EXISTS v_added Nullable(Float64)',
      ])
      expect(await countOf(store)).toBeGreaterThanOrEqual(0)
      await away?.start()
      const tables = async () => {
        const query = `SELECT name FROM system.tables WHERE database = '${database}' AND name IN ('results', 'feed_day_counts')`
        return (await fetch(`${away?.url}?${new URLSearchParams({ query })}`)).text()
      }
      await expect.poll(tables, patient).toBe('feed_day_counts\nresults\n')
      await openAt(3, { database })
      await openAt(3, { metrics })
    })

    test('settles an id stored by two processes, and applies the retention, without waiting for a node that is down', async () => {
      const [first, second] = [await openAt(0), await openAt(2)]
      const before = await countOf(first)
      await untilStored(first, slotAt(51, 'raced'))
      await insertWithoutQuorum(checks.map(({ account, checkId }, i) => [account, checkId, span.from + 52, 'eu', `raced-${i}`]))
      expect(await countOf(second)).toBe(before + 2 * checks.length)
      expect(await second.append(slotAt(52, 'raced'))).toEqual({ duplicates: checks.map((_, i) => i) })
      await expect.poll(() => countOf(first), patient).toBe(before + checks.length)
      const away = cluster.nodes[3]
      await away?.kill()
      await first.applyRetention(1)
      await away?.start()
      await expect.poll(() => countOf(first), patient).toBe(0)
    })
  },
)

describe.runIf(isClusterTested)(
  'a store in a cluster of three replicas',
  { ...needing(await clusterMissing()), timeout: 600_000, retry: 0 },
  () => {
    let cluster: Cluster
    beforeAll(async () => {
      cluster = await startCluster({ shards: 1, replicas: 3 })
    }, 300_000)
    afterAll(() => cluster?.stop())
    const { openAt, countOf, untilStored, insertWithoutQuorum } = over(() => cluster)

    test('settles an id that two agents ran, and submits the retention, while one replica is down', async () => {
      const events: string[] = []
      const onStatement = (statement: string) => void events.push(statement.split(' ', 1)[0] ?? '')
      const [first, second] = [await openAt(0), await openAt(1, { onStatement })]
      const before = await countOf(first)
      const dead = cluster.nodes[2]
      await dead?.kill()
      await untilStored(first, slotAt(61, 'ran-twice'))
      await insertWithoutQuorum(checks.map(({ account, checkId }, i) => [account, checkId, span.from + 62, 'eu', `ran-twice-${i}`]))
      await expect.poll(() => countOf(second), patient).toBe(before + 2 * checks.length)
      events.length = 0
      expect(await second.append(slotAt(62, 'ran-twice'))).toEqual({ duplicates: checks.map((_, i) => i) })
      events.push('answered')
      for (const store of [first, second]) await expect.poll(() => countOf(store), patient).toBe(before + checks.length)
      // No statement is for the dead host, too.
      expect(events.filter((event) => event === 'results').length).toBeGreaterThan(1)
      await untilStored(second, slotAt(63, 'later'))
      await first.applyRetention(1)
      events.push('submitted')
      await dead?.start()
      events.push('started')
      // A server may leave the newest part as it is until another follows.
      await untilStored(first, slotAt(64, 'last'))
      const third = await openAt(2)
      for (const store of [first, second, third]) await expect.poll(() => countOf(store).catch(() => null), patient).toBe(checks.length)
      expect(events.filter((event) => /^(answered|submitted|started)$/.test(event))).toEqual(['answered', 'submitted', 'started'])
    })
  },
)

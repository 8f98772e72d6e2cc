// @slow clickhouse
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { derivedId } from '../../src/store/derived-id.ts'
import type { Store } from '../../src/store/store.ts'
import { calm } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testMetrics } from './databases.ts'
import { modernMissing, startModern } from './engines/modern.ts'
import { isModern } from './engines/server.ts'
import { serverAt } from './server-at.ts'

const check = { account: 'acme', checkId: 'shop' }
const now = Date.UTC(2026, 10, 14, 12)
const window = { from: now - 3_600_000, to: now }
const startOf = (i: number) => now - 60_000 * (3 - i)
const results = [0, 1, 2].map((i) => ({
  check,
  result: {
    id: i === 0 ? null : `run-${i}`,
    startedAt: startOf(i),
    runLocation: 'eu',
    ...calm,
    hasFailures: i === 1,
    values: { responseTime: i / 8 },
    pages: [],
  },
  evidence: new Uint8Array([i]),
}))
const metric = { metric: 'responseTime', perPage: false }
const rowPage = { offset: 0, limit: 10 }
const asked = { window, filter: null, rowPage, groupPage: null }
const sources = [{ check, rhythm: { periodMs: 60_000, locations: 1, parallel: true }, maintenance: [] }]
const policy = { byLocation: false, serviceHours: null, minOutageMs: 1, rows: [window], intervals: false }
const ofStates = { window, now, quorum: 1, sources }
const listed = { check, window, location: null, hasFailures: null, before: null, rowPage }
const week = { from: now - 7 * 86_400_000, to: now }
const figures = {
  ...asked,
  sources: [{ check, columns: [metric], labels: [] }],
  groupBy: [],
  figures: [{ column: 0, aggregation: 'avg', bound: null }],
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
} as const
const position = { startedAt: startOf(1), runLocation: 'eu', id: 'run-1' }
const ownId = { check, id: 'run-1', startedAt: null }
const derived = { check, id: derivedId(check, 'eu', startOf(0)), startedAt: null }

/** Every kind of query for a check, with the expected result. */
const kinds: Readonly<Record<string, readonly [ask: (store: Store) => Promise<unknown>, found: unknown]>> = {
  aggregate: [async (store) => (await store.aggregate(figures)).results, 3],
  'aggregate of days that are cached': [async (store) => (await store.aggregate({ ...figures, window: week })).results, 3],
  raw: [async (store) => (await store.raw({ ...asked, check, groupBy: null, metrics: [metric] }))[0]?.rows.length, 3],
  results: [async (store) => (await store.results(listed)).length, 3],
  'results before a position': [async (store) => (await store.results({ ...listed, before: position })).length, 1],
  'a result by its id': [async (store) => (await store.result(ownId))?.evidence, new Uint8Array([1])],
  'a result by its derived id': [async (store) => (await store.result(derived))?.evidence, new Uint8Array([0])],
  scan: [scanned, 3],
  latest: [async (store) => (await store.latest([check], { fresh: true }))[0]?.byLocation.map(({ id }) => id), ['run-2']],
  totals: [
    async (store) => (await store.totals([{ check, duration: 'responseTime' }]))[0],
    [expect.objectContaining({ passed: 2, failed: 1 })],
  ],
  failures: [async (store) => (await store.failures({ sources: [check], window, locations: null })).length, 1],
  states: [async (store) => (await store.states({ ...ofStates, ...policy })).length, 1],
  outages: [async (store) => (await store.outages({ ...ofStates, minMs: 0, after: null, limit: 5 })).length, 1],
  'appending again': [async (store) => (await store.append(results)).duplicates, [0, 1, 2]],
}

async function scanned(store: Store): Promise<number> {
  let count = 0
  for await (const some of store.scan(check, window)) count += some.length
  return count
}

const isSharded = (sql: string) => /\bFROM (results|evidence|latest|day_counts)\b/.test(sql)

describe.skipIf(!isModern || modernMissing() !== null)('in a cluster of three shards', { timeout: 600_000 }, () => {
  let engine: Awaited<ReturnType<typeof startModern>>
  let store: Store
  let client: ClickHouseClient
  const statements: string[] = []
  beforeAll(async () => {
    engine = await startModern(temporaryFolder(), 3)
    client = createClient({ url: engine.url, request_timeout: 300_000, log: { level: ClickHouseLogLevel.OFF } })
    const server = serverAt(engine.url, 'sharded', 'shards')
    const onStatement = (sql: string) => void statements.push(sql)
    store = await createClickHouseStore({ server, metrics: testMetrics, clock: () => now, onStatement })
    await store.append(results)
  }, 600_000)
  afterAll(async () => {
    await store?.close()
    await client?.close()
    await engine?.stop()
  })

  /** How many shards have been queried since the engine started. */
  async function shardsAsked(): Promise<number> {
    const answer = await client.query({ query: "SELECT sum(value) FROM system.events WHERE event = 'Shards'", format: 'JSONCompact' })
    return Number((await answer.json<[string]>()).data[0]?.[0])
  }

  test('the engine counts the shards that a query is sent to', async () => {
    const before = await shardsAsked()
    const answer = await client.query({ query: 'SELECT count() FROM sharded.results', format: 'JSONCompact' })
    expect(Number((await answer.json<[string]>()).data[0]?.[0])).toBe(9)
    expect((await shardsAsked()) - before).toBe(3)
  })

  test('queries of whole days fetch their counts, and read the days once', async () => {
    const ask = async () => {
      statements.length = 0
      expect((await store.aggregate({ ...figures, window: week })).results).toBe(3)
      return statements.filter(isSharded).map((sql) => /FROM (\w+)/.exec(sql)?.[1])
    }
    await ask()
    expect(await ask()).toEqual(['day_counts'])
  })

  test.each(Object.entries(kinds))('%s is sent to one shard', async (_, [ask, found]) => {
    const before = await shardsAsked()
    statements.length = 0
    expect(await ask(store)).toEqual(found)
    const sharded = statements.filter(isSharded)
    expect(sharded).not.toEqual([])
    expect((await shardsAsked()) - before).toBe(sharded.length)
  })
})

// @slow clickhouse
import { once } from 'node:events'
import { createServer, request as requestHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createClient } from '@clickhouse/client'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases, testMetrics } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { anyAggregateQueryOf, anyRawQuery, anyResults, check, otherCheck, span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import { file, scanned } from '../../../test/support/store-conformance.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { NewResult, Store } from '../store.ts'
import { createClickHouseStore } from './clickhouse-store.ts'
import { readLimits } from './read/announcements.ts'
import { arrivalAt, precedenceOf } from './write/arrival.ts'

const resultAt = (ms: number, more: Partial<NewResult> = {}): NewResult => ({
  ...calm,
  id: null,
  startedAt: span.from + ms,
  runLocation: 'eu',
  values: {},
  pages: [],
  ...more,
})

describe('a database of ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  /** Several stores that open one database at the same time. */
  async function openTogether(count: number) {
    const database = databases.take()
    const opened = await Promise.all(Array.from({ length: count }, () => databases.open({ clock: () => span.to }, database)))
    onTestFinished(async () => {
      for (const { store } of opened) await store.close()
    })
    return { database, stores: opened.map(({ store }) => store) }
  }

  async function command(database: string, query: string): Promise<void> {
    const client = createClient({ url: databases.serverOf(database).url, database })
    await client.command({ query })
    await client.close()
  }

  test('is set up by processes that start concurrently', async () => {
    const { stores } = await openTogether(3)
    for (const store of stores) expect(await store.ready()).toBe(true)
  })

  test('has its tables inspected once by a process that finds them in order', async () => {
    const { database } = await openTogether(1)
    const statements: string[] = []
    const { store } = await databases.open({ onStatement: (sql) => void statements.push(sql) }, database)
    await store.close()
    expect(statements.filter((sql) => sql.startsWith('SELECT table, name, type FROM system.columns'))).toHaveLength(1)
  })

  /** The address of a proxy that drops the connection of the first `times` statements that contain a word, for each word. */
  async function losing(target: string, words: readonly string[], times: number): Promise<string> {
    const left = new Map(words.map((word) => [word, times]))
    const proxy = createServer(async (request, response) => {
      const body = await buffer(request)
      const statement = `${body} ${decodeURIComponent(request.url ?? '')}`
      const word = words.find((word) => statement.includes(word) && Number(left.get(word)) > 0)
      if (word) {
        left.set(word, Number(left.get(word)) - 1)
        return void request.socket.destroy()
      }
      const { method, headers } = request
      const forwarded = requestHttp(new URL(request.url ?? '', target), { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      forwarded.on('error', () => request.socket.destroy())
      forwarded.end(body)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  }

  test('is awaited at a start as a whole, with a single log message', async () => {
    const server = databases.serverOf(databases.take())
    const url = await losing(server.url, ['system.databases', 'tidemark_schema', 'FROM documents'], 4)
    const logged: string[] = []
    const store = await createClickHouseStore({
      server: { ...server, url },
      metrics: testMetrics,
      startWaitMs: 60_000,
      log: (problem) => void logged.push(String(problem)),
    })
    onTestFinished(() => store.close())
    expect(await store.ready()).toBe(true)
    expect(logged.filter((line) => line.includes('cannot be used yet'))).toHaveLength(1)
  })

  test('is not ready if the table of results is missing', async () => {
    const { database, stores } = await openTogether(1)
    await command(database, 'RENAME TABLE results TO hidden')
    expect(await stores[0]?.ready()).toBe(false)
    await command(database, 'RENAME TABLE hidden TO results')
    expect(await stores[0]?.ready()).toBe(true)
  })

  test('counts rows once that two processes write concurrently, with the values of the first', async () => {
    const { stores } = await openTogether(2)
    const rows = Array.from({ length: 20 }, (_, i) => resultAt(i, { id: i % 2 === 0 ? `run-${i}` : null, values: { dns: i } }))
    await Promise.all(stores.map((store) => store.append(file(rows))))
    for (const store of stores) {
      expect(await scanned(store, check)).toHaveLength(20)
      expect(await store.append(file(rows))).toEqual({ duplicates: rows.map((_, i) => i) })
    }
  })

  test('has full pages of rows that two processes have written concurrently', async () => {
    const { stores } = await openTogether(2)
    const rows = Array.from({ length: 20 }, (_, i) => resultAt(i * 14_400_000, { id: `run-${i}` }))
    await Promise.all(stores.map((store) => store.append(file(rows))))
    const page = { check, window: span, location: null, hasFailures: null, before: null, rowPage: { offset: 5, limit: 10 } }
    const ids = rows.map(({ id }) => id).toReversed()
    for (const store of stores) expect((await store.results(page)).map(({ id }) => id)).toEqual(ids.slice(5, 15))
  })

  test('recognizes results of large batches as duplicates: those without ids by their start, the others even with another start', async () => {
    const { stores } = await openTogether(1)
    const numbers = Array.from({ length: 150 }, (_, i) => i)
    const batches = [numbers.map((i) => resultAt(i)), numbers.map((i) => resultAt(i * 1000, { id: `run-${i}` }))]
    for (const rows of batches) expect(await stores[0]?.append(file(rows))).toEqual({ duplicates: [] })
    const later = (batches[1] ?? []).map((row) => ({ ...row, startedAt: row.startedAt + 1_800_000 }))
    for (const rows of [...batches, later]) expect(await stores[0]?.append(file(rows))).toEqual({ duplicates: numbers })
  })

  test('counts an id once that two processes store concurrently with different starts', async () => {
    const { stores } = await openTogether(2)
    const ids = Array.from({ length: 20 }, (_, i) => `slot-${i}`)
    const startedLater = (ms: number) => file(ids.map((id, i) => resultAt(i * 60_000 + ms, { id })))
    await Promise.all(stores.map((store, i) => store.append(startedLater(i))))
    for (const store of stores) {
      const stored = async () => (await scanned(store, check)).map(({ id }) => id)
      await expect.poll(stored, { timeout: 60_000 }).toEqual(ids)
    }
  })

  test('counts an id once that another process has stored too, when its own write is acknowledged', async () => {
    const { database, stores } = await openTogether(1)
    const [store] = stores as unknown as readonly [Store]
    const run = file([resultAt(2000, { id: 'slot' })])
    await store.append(run)
    await command(
      database,
      `INSERT INTO results (account, checkId, startedAt, runLocation, id, attempts, precedence) VALUES ('${check.account}', '${check.checkId}', ${span.from + 1000}, 'eu', 'slot', 1, 1)`,
    )
    await store.append(run)
    expect((await scanned(store, check)).map(({ startedAt }) => startedAt - span.from)).toEqual([1000])
  })

  test('has the valid result as the newest if another process has stored its id with an earlier start', async () => {
    const { database, stores } = await openTogether(1)
    const [store] = stores as unknown as readonly [Store]
    const run = file([resultAt(2000, { id: 'slot' })])
    await store.append(file([resultAt(0, { id: 'before' })]))
    await store.append(run)
    const newest = async () => (await store.latest([check], { fresh: true }))[0]?.byLocation.map(({ startedAt }) => startedAt - span.from)
    expect(await newest()).toEqual([2000])
    await command(
      database,
      `INSERT INTO results (account, checkId, startedAt, runLocation, id, attempts, precedence) VALUES ('${check.account}', '${check.checkId}', ${span.from + 1000}, 'eu', 'slot', 1, 1)`,
    )
    await store.append(run)
    await expect.poll(newest, { timeout: 60_000 }).toEqual([1000])
    await store.append(file([resultAt(3000, { id: 'after' })]))
    expect(await newest()).toEqual([3000])
  })

  test('keeps results with the same id that start more than an hour apart, in one batch or found by a search for repeated ids', async () => {
    const database = databases.take()
    const statements: string[] = []
    // A search for repeated ids reads the log of commits, which covers only the last hours.
    const { store } = await databases.open(
      { clock: Date.now, repeatedIdsEveryMs: 100, onStatement: (sql) => void statements.push(sql) },
      database,
    )
    onTestFinished(() => store.close())
    const from = Date.now() - 86_400_000
    const rows = [0, 3_600_001, 3_600_002, 7_200_002].map((ms) => resultAt(0, { id: 'slot', startedAt: from + ms }))
    expect(await store.append(file(rows.slice(0, 3)))).toEqual({ duplicates: [2] })
    expect(await store.append(file(rows))).toEqual({ duplicates: [0, 1, 2] })
    statements.length = 0
    const searches = () => statements.filter((sql) => sql.includes('count() > 1')).length
    await expect.poll(searches, { timeout: 60_000 }).toBeGreaterThan(1)
    const page = { check, window: { from, to: from + 86_400_000 }, location: null, hasFailures: null, before: null }
    const stored = await store.results({ ...page, rowPage: { offset: 0, limit: 10 } })
    expect(stored.map(({ startedAt }) => startedAt - from)).toEqual([7_200_002, 3_600_001, 0])
  })

  test('counts an id once that was stored twice an hour before one of its processes returns', async () => {
    const database = databases.take()
    const hourAgo = Date.now() - 3_600_000
    const { store: earlier } = await databases.open({ clock: () => hourAgo }, database)
    await earlier.append(file([resultAt(0, { id: 'slot', startedAt: hourAgo - 1000 })]))
    await earlier.close()
    await command(
      database,
      `INSERT INTO results (account, checkId, startedAt, runLocation, id, attempts, precedence) VALUES ('${check.account}', '${check.checkId}', ${hourAgo - 2000}, 'eu', 'slot', 1, ${precedenceOf(arrivalAt(hourAgo))})`,
    )
    const { store } = await databases.open({ clock: Date.now, repeatedIdsEveryMs: 100 }, database)
    onTestFinished(() => store.close())
    const page = { check, window: { from: hourAgo - 5000, to: hourAgo }, location: null, hasFailures: null, before: null }
    const starts = async () =>
      (await store.results({ ...page, rowPage: { offset: 0, limit: 10 } })).map(({ startedAt }) => startedAt - hourAgo)
    await expect.poll(starts, { timeout: 60_000 }).toEqual([-2000])
  })

  test('shows the newest result to every process within two seconds', async () => {
    const { stores } = await openTogether(2)
    const [first, second] = stores as unknown as readonly [Store, Store]
    expect((await second.latest([check]))[0]?.byLocation).toEqual([])
    await first.append(file([resultAt(1)]))
    await expect.poll(async () => (await second.latest([check]))[0]?.byLocation.length, { timeout: 30_000 }).toBe(1)
  })

  test('shows every process what arrived after the clock was set back, and nothing from the future', async () => {
    let now = span.to
    const database = databases.take()
    const open = async () => {
      const { store } = await databases.open({ clock: () => now }, database)
      onTestFinished(() => store.close())
      return store
    }
    const [first, second] = [await open(), await open()]
    const newest = async (stores: readonly Store[]) => {
      const latest = await Promise.all(stores.map((store) => store.latest([check], { fresh: true })))
      return latest.map(([own]) => own?.byLocation.map(({ startedAt }) => startedAt - span.from))
    }
    await first.append(file([resultAt(1000), resultAt(5 * 86_400_000)]))
    now = span.from + 2000
    expect(await newest([first, second])).toEqual([[1000], [1000]])
    await second.append(file([resultAt(2000)]))
    expect(await newest([first, second])).toEqual([[2000], [2000]])
    now = span.from + 3000
    await first.append(file([resultAt(1500)]))
    const third = await open()
    expect(await newest([first, second, third])).toEqual([[2000], [2000], [2000]])
    await third.append(file([resultAt(3000)]))
    expect(await newest([first, second, third])).toEqual([[3000], [3000], [3000]])
  })

  test('hides from every process what one has dropped', async () => {
    const { database, stores } = await openTogether(2)
    const [first, second] = stores as unknown as readonly [Store, Store]
    await first.append(file([resultAt(1), { ...resultAt(0), startedAt: span.to }]))
    expect(await second.expiring(1)).toMatchObject({ results: 1, checks: 1 })
    await first.applyRetention(1)
    const { store: later } = await databases.open({ clock: () => span.to }, database)
    onTestFinished(() => later.close())
    await later.applyRetention(400)
    expect((await scanned(later, check)).map(({ startedAt }) => startedAt)).toEqual([span.to])
  })

  test('keeps results for the longest retention of its processes, and warns those with a shorter one', async () => {
    const database = databases.take()
    const logged: string[] = []
    const { store: first } = await databases.open({ clock: () => span.to, log: (problem) => void logged.push(String(problem)) }, database)
    const { store: second } = await databases.open({ clock: () => span.to }, database)
    onTestFinished(async () => {
      await first.close()
      await second.close()
    })
    logged.length = 0
    await first.append(file([resultAt(1), { ...resultAt(0), startedAt: span.to }]))
    await second.applyRetention(400)
    await first.applyRetention(1)
    expect(await scanned(first, check)).toHaveLength(2)
    expect(logged).toEqual([expect.stringMatching(/^Another process on this database keeps results for 400 days/)])
    await second.applyRetention(1)
    expect(await scanned(first, check)).toHaveLength(1)
    await second.applyRetention(400)
    await first.append(file([resultAt(2)]))
    await second.close()
    await first.applyRetention(1)
    expect(await scanned(first, check)).toHaveLength(2)
    await command(database, 'ALTER TABLE retentions UPDATE at = at - 10800 WHERE days = 400 SETTINGS mutations_sync = 1')
    await first.applyRetention(1)
    expect(await scanned(first, check)).toHaveLength(1)
  })

  test('of a newer version is rejected with a message', async () => {
    const { database } = await openTogether(1)
    await command(database, 'INSERT INTO tidemark_schema (version, appliedAt) VALUES (99, 0)')
    await expect(databases.open({}, database)).rejects.toThrow(/was written by a newer Tidemark \(version 99 of its tables/)
  })

  test('with an altered table is rejected with a message', async () => {
    const { database } = await openTogether(1)
    await command(database, 'ALTER TABLE results DROP COLUMN v_dns')
    await command(database, 'ALTER TABLE results ADD COLUMN v_dns Nullable(String)')
    await expect(databases.open({}, database)).rejects.toThrow(
      'its column v_dns has the type Nullable(String) instead of Nullable(Float64)',
    )
  })

  test('gets a column for each new metric', async () => {
    const { database, stores } = await openTogether(1)
    await stores[0]?.append(file([resultAt(1, { values: { dns: 1 } })]))
    const { store } = await databases.open(
      { metrics: { values: ['dns', 'added', 'statusCode', 'ratio', 'responseTime'], pageValues: ['LCP', 'CLS'] } },
      database,
    )
    onTestFinished(() => store.close())
    await store.append(file([resultAt(2, { values: { added: 0.1 } })]))
    expect((await scanned(store, check)).map(({ values }) => values)).toEqual([{ dns: 1 }, { added: 0.1 }])
  })

  test('gets a column for each new metric of pages, even if a process without it stores pages', async () => {
    const { database, stores } = await openTogether(1)
    const pages = [1, 2].map((LCP) => ({ pageUrl: `https://example.com/${LCP}`, values: { LCP } }))
    await stores[0]?.append(file([resultAt(1, { pages })]))
    const { store } = await databases.open({ metrics: { ...testMetrics, pageValues: ['AAA', 'LCP', 'CLS'] } }, database)
    onTestFinished(() => store.close())
    await stores[0]?.append(file([resultAt(2, { pages })]))
    const added = pages.map((page) => ({ ...page, values: { ...page.values, AAA: 0.5 } }))
    await store.append(file([resultAt(3, { pages: added })]))
    expect((await scanned(store, check)).map((result) => result.pages)).toEqual([pages, pages, added])
    expect((await scanned(stores[0] as Store, check)).map((result) => result.pages)).toEqual([pages, pages, pages])
    const figures = (['sum', 'p95'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null }))
    const { groups } = await store.aggregate({
      sources: [{ check, columns: [{ metric: 'AAA', perPage: true }], labels: [] }],
      window: span,
      filter: null,
      groupBy: [{ by: 'page' }],
      rowPage: { offset: 0, limit: 100 },
      groupPage: null,
      figures,
      counts: true,
      buckets: null,
      fill: null,
      histogram: null,
    })
    expect(groups.map(({ keys, rows }) => [keys[0], rows[0]?.counts?.total, rows[0]?.values])).toEqual([
      [0, 3, [0.5, 0.5]],
      [1, 3, [0.5, 0.5]],
    ])
  })

  test('records when a check was created and changed, and the history of its rhythm', async () => {
    const { stores } = await openTogether(2)
    const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
    const slower = { ...rhythm, periodMs: 600_000 }
    const record = (process: number, fingerprint: string, now: number, own = rhythm) =>
      stores[process]?.recordDefinitions([{ ...check, fingerprint, rhythm: own }], now)
    expect(await record(0, 'a', span.from)).toEqual([{ createdAt: span.from, updatedAt: span.from }])
    expect(await record(1, 'a', span.from + 5)).toEqual([{ createdAt: span.from, updatedAt: span.from }])
    const changedAt = span.from + 3_600_000
    expect(await record(1, 'b', changedAt, slower)).toEqual([{ createdAt: span.from, updatedAt: changedAt }])
    await stores[0]?.append(file([resultAt(0), { ...resultAt(0), startedAt: changedAt }]))
    const upFrom = async (from: number) => {
      const window = { from, to: from + 3_600_000 }
      const policy = { quorum: 1, byLocation: false, serviceHours: null, minOutageMs: 0, intervals: false }
      const sources = [{ check, rhythm, maintenance: [] }]
      const answer = await stores[0]?.states({ ...policy, sources, window, now: span.to, rows: [window] })
      return answer?.[0]?.groups[0]?.rows[0]?.up
    }
    expect(await upFrom(span.from)).toBe(90_000)
    expect(await upFrom(changedAt)).toBe(900_000)
  })

  test('keeps the newest record of a definition the newest if another process has a clock ahead', async () => {
    const { stores } = await openTogether(2)
    const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
    const record = (process: number, fingerprint: string, now: number, periodMs: number) =>
      stores[process]?.recordDefinitions([{ ...check, fingerprint, rhythm: { ...rhythm, periodMs } }], now)
    await record(0, 'z', span.from, 600_000)
    await record(1, 'a', span.from - 5000, 60_000)
    await stores[0]?.append(file([resultAt(1)]))
    const window = { from: span.from, to: span.from + 3_600_000 }
    const policy = { quorum: 1, byLocation: false, serviceHours: null, minOutageMs: 0, intervals: false }
    const answer = await stores[0]?.states({
      ...policy,
      sources: [{ check, rhythm, maintenance: [] }],
      window,
      now: span.to,
      rows: [window],
    })
    expect(answer?.[0]?.groups[0]?.rows[0]?.up).toBe(90_000)
    const [lifetime] = (await record(0, 'a', span.to, 60_000)) ?? []
    expect(lifetime?.updatedAt).toBeLessThan(span.from + 10)
  })

  test('counts the totals of a check, including late results and those of other processes', async () => {
    const { stores } = await openTogether(2)
    const sources = [{ check, duration: 'dns' }]
    const late = (ms: number) => resultAt(ms, { values: { dns: 2 } })
    await stores[0]?.append(file([late(1), { ...late(0), startedAt: span.to }]))
    expect((await stores[0]?.totals(sources))?.[0]).toMatchObject([{ location: 'eu', passed: 2, durationMicros: 4000 }])
    await stores[0]?.append(file([late(2)]))
    await stores[1]?.append(file([{ ...late(0), startedAt: span.to - 1 }]))
    await stores[0]?.append(file([{ ...late(0), startedAt: span.to - 2 }]))
    const totals = await stores[0]?.totals(sources)
    expect(totals?.[0]).toMatchObject([{ location: 'eu', passed: 5, durationMicros: 10_000 }])
    expect((await stores[0]?.totals(sources))?.[0]).toBe(totals?.[0])
  })

  test('adds up durations that exceed an integer', async () => {
    const { stores } = await openTogether(1)
    const longest = (ms: number) => resultAt(ms, { values: { dns: 9e15 } })
    await stores[0]?.append(
      file([longest(1), longest(2), { ...longest(0), startedAt: span.to }, { ...longest(0), startedAt: span.to - 1 }]),
    )
    expect((await stores[0]?.totals([{ check, duration: 'dns' }]))?.[0]).toMatchObject([{ passed: 4, durationMicros: 3.6e19 }])
  })

  test('counts late results of other processes once each, however often totals are requested', async () => {
    let now = Date.now()
    const database = databases.take()
    const { store: first } = await databases.open({ clock: () => now }, database)
    const { store: second } = await databases.open({ clock: () => now }, database)
    onTestFinished(async () => {
      await first.close()
      await second.close()
    })
    const longAgo = (days: number, dns: number) => resultAt(0, { startedAt: now - days * 86_400_000, values: { dns } })
    const sources = [{ check, duration: 'dns' }]
    const passed = async () => {
      now += 60_000
      const [totals] = await first.totals(sources)
      return typeof totals === 'object' ? totals.map(({ passed, durationMicros }) => ({ passed, durationMicros })) : totals
    }
    await second.append(file([longAgo(3, 1), longAgo(0, 2)]))
    expect(await passed()).toEqual([{ passed: 2, durationMicros: 3000 }])
    await second.append(file([longAgo(40, 4), longAgo(4, 8)]))
    await first.append(file([longAgo(5, 16)]))
    for (let i = 0; i < 3; i++) expect(await passed()).toEqual([{ passed: 5, durationMicros: 31_000 }])
  })

  test('publishes to every process what others have stored, each result once', async () => {
    const database = databases.take()
    const opened = await Promise.all([0, 1].map(() => databases.open({ clock: Date.now }, database)))
    const [first, second] = opened.map(({ store }) => store) as unknown as readonly [Store, Store]
    onTestFinished(async () => {
      for (const { store } of opened) await store.close()
    })
    await second.append(file([resultAt(1)]))
    const announced: number[] = []
    const stop = first.onAppended(check.account, (added) => announced.push(...added.map(({ result }) => result.startedAt - span.from)))
    await second.append(file([resultAt(2, { values: { dns: 7 } }), resultAt(3)]))
    await second.append([{ check: { ...check, account: 'other' }, result: resultAt(4) }])
    await first.append(file([resultAt(5)]))
    const inOrder = () => announced.toSorted((a, b) => a - b)
    await expect.poll(inOrder, { timeout: 60_000 }).toEqual([2, 3, 5])
    await second.append(file([resultAt(2), resultAt(6), resultAt(86_400_000 * 40)]))
    await expect.poll(inOrder, { timeout: 60_000 }).toEqual([2, 3, 5, 6, 86_400_000 * 40])
    stop()
    await second.append(file([resultAt(7)]))
    expect(inOrder()).toHaveLength(5)
  })

  test('notifies a subscriber which results arrived too fast to be read', async () => {
    const database = databases.take()
    const opened = await Promise.all([0, 1].map(() => databases.open({ clock: Date.now }, database)))
    const [first, second] = opened.map(({ store }) => store) as unknown as readonly [Store, Store]
    onTestFinished(async () => {
      for (const { store } of opened) await store.close()
    })
    const flood = Array.from({ length: readLimits.results + 1 }, (_, i) => resultAt(i))
    let results = 0
    const windows: unknown[] = []
    first.onAppended(check.account, (added, skipped) => {
      results += added.length + (skipped?.results ?? 0)
      windows.push(...(skipped?.byCheck.values() ?? []))
    })
    await second.append(file(flood))
    await expect.poll(() => results, { timeout: 60_000 }).toBe(flood.length)
    expect(windows).toEqual([{ from: span.from, to: span.from + readLimits.results }])
  })

  test('answers bit by bit like a data folder', async () => {
    const questions = fc.record({
      aggregates: fc.array(anyAggregateQueryOf([check, otherCheck]), { minLength: 1, maxLength: 4 }),
      raws: fc.array(anyRawQuery, { minLength: 1, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(anyResults, questions, async (results, { aggregates, raws }) => {
        const half = Math.ceil(results.length / 2)
        const answers = async (store: Store) => {
          await store.append(file(results.slice(0, half)))
          await store.append(results.slice(half).map((result) => ({ check: otherCheck, result: { ...result, id: `other ${result.id}` } })))
          return {
            aggregates: await Promise.all(aggregates.map((query) => store.aggregate(query))),
            raws: await Promise.all(raws.map((query) => store.raw(query))),
            scanned: await scanned(store, check),
            failures: await store.failures({ sources: [check, otherCheck], window: span, locations: null }),
          }
        }
        const { store: folder } = await temporaryStore(() => span.to)
        const { store, dispose } = await databases.open({ clock: () => span.to })
        expect(await answers(store)).toEqual(await answers(folder))
        await dispose()
        await folder.close()
      }),
      { numRuns: triesOf(25) },
    )
  })
})

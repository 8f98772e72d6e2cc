// @slow ci
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStoreStats } from '../../src/stats/server-stats.ts'
import type { AggregateQuery, FiledResult } from '../../src/store/store.ts'
import { buildThatSpins } from '../support/altered-build.ts'
import { builtModule } from '../support/built.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { recordingLog } from '../support/log.ts'
import { startProgram } from '../support/program.ts'
import { calm } from '../support/results.ts'
import { newKey } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const check = { account: 'acme', checkId: 'homepage' }
const filed = (startedAt: number): FiledResult => ({
  check,
  result: { ...calm, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] },
})
const question: AggregateQuery = {
  sources: [{ check, columns: [], labels: [] }],
  window: { from: 0, to: 9 },
  filter: null,
  groupBy: [],
  rowPage: { offset: 0, limit: 100 },
  groupPage: null,
  figures: [],
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
}
/** Longer than a thread takes to start on a busy machine. */
const timeLimitMs = 6000

const build = await buildThatSpins({
  'store/query/aggregate.ts': 'buffers: Buffers): AggregateAnswer {',
  'store/embedded/write/writer.ts': 'append(batches: readonly Batch[]): number[][] {',
  'store/embedded/disk/sqlite.ts': "const outcome = work()\n    database.exec('COMMIT')",
  'store/embedded/write/latest.ts': 'export function lastResults(part: Part): StoredResult[] {',
  'store/query/stored-totals.ts': 'export function totalsOf(days: readonly LazyDay[], duration: string | null): StoredTotals {',
  'checks/probe/judge/judge-thread.ts': 'context.judge = () => judge(input)',
  'catalogue/config-file/parse.ts': 'export function parseConfig(text: string, env: Env, options: ParseOptions = {}): ParsedConfig {',
  'checks/probe/probe.ts': 'const loaded = await checkType.run?.()',
})

async function storeOfBuild() {
  const { createEmbeddedStore } =
    await build.importModule<typeof import('../../src/store/embedded/embedded-store.ts')>('store/embedded/embedded-store.ts')
  const [stats, logged] = [createStoreStats(), [] as unknown[]]
  const options = { stats, log: (problem: unknown) => logged.push(problem), timeLimitsMs: { question: timeLimitMs, write: timeLimitMs } }
  const store = await createEmbeddedStore({ directory: temporaryFolder(), workers: 2, ...options })
  onTestFinished(() => store.close())
  return { store, stats, logged }
}

test('queries whose kernel spins fail, and every reader is replaced', async () => {
  const { store, stats, logged } = await storeOfBuild()
  await store.append([filed(1), filed(2)])
  const ask = (key: string) => store.aggregate(question, { caller: { account: key, key } })
  expect((await ask('first')).results).toBe(2)
  const refused = await build.whileSpinning('store/query/aggregate.ts', () => Promise.allSettled([ask('a'), ask('b'), ask('c')]))
  for (const one of refused) expect(one).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable', retryAfterSeconds: 5 } })
  expect(stats.lostThreads.reader.read()).toBe(3)
  expect(logged).toHaveLength(3)
  expect(logged[0]).toMatch(/^A reader thread was terminated and replaced: aggregate \{ sources: .*homepage.* after 6,000 ms\.$/)
  expect((await Promise.all([ask('a'), ask('b'), ask('c'), ask('d')])).map(({ results }) => results)).toEqual([2, 2, 2, 2])
})

test('while the writer spins, results wait and none is lost', async () => {
  const { store, stats, logged } = await storeOfBuild()
  await store.append([filed(1)])
  const { createOutbox } = await build.importModule<typeof import('../../src/runner/outbox.ts')>('runner/outbox.ts')
  const clock = virtualClock(0)
  const dropped: number[] = []
  const outbox = createOutbox({ append: store.append, clock, log: recordingLog(), capacity: 1000, onDropped: (rows) => dropped.push(rows) })
  await build.whileSpinning('store/embedded/write/writer.ts', async () => {
    await expect(store.append([filed(2)])).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(logged).toEqual([expect.stringMatching(/^A writer thread was terminated and replaced: append /)])
    for (let at = 3; at < 100; at++) outbox.put(filed(at))
    await expect.poll(() => stats.lostThreads.writer.read(), { timeout: 60_000 }).toBe(2)
  })
  const closing = outbox.close(new AbortController().signal)
  await clock.advance(60_000)
  await closing
  expect(dropped).toEqual([])
  expect((await store.append([filed(2)])).duplicates).toEqual([])
  expect((await store.aggregate({ ...question, window: { from: 0, to: 1000 } })).results).toBe(99)
  expect((await store.latest([check]))[0]?.byLocation[0]?.startedAt).toBe(99)
}, 180_000)

test('a commit that was written although its thread was lost shows up in statuses once its results are sent again', async () => {
  const { store } = await storeOfBuild()
  await store.append([filed(1)])
  const announced: unknown[] = []
  store.onAppended(check.account, (added, skipped) => announced.push(skipped ?? added.map(({ result }) => result.startedAt)))
  await build.whileSpinning('store/embedded/disk/sqlite.ts', () =>
    expect(store.append([filed(2), filed(3)])).rejects.toMatchObject({ name: 'StoreUnavailable' }),
  )
  expect((await store.append([filed(2), filed(4)])).duplicates).toEqual([0])
  expect((await store.latest([check]))[0]?.byLocation[0]?.startedAt).toBe(4)
  expect(announced).toEqual([{ results: 2, byCheck: new Map([[check.checkId, { from: 2, to: 3 }]]) }, [4]])
}, 180_000)

test('results of a lost commit are skipped once their newest ones are known, not while these cannot be read', async () => {
  const { store } = await storeOfBuild()
  await store.append([filed(1)])
  const announced: unknown[] = []
  store.onAppended(check.account, (added, skipped) => announced.push(skipped ?? added.map(({ result }) => result.startedAt)))
  await build.whileSpinning('store/embedded/disk/sqlite.ts', () =>
    expect(store.append([filed(2)])).rejects.toMatchObject({ name: 'StoreUnavailable' }),
  )
  await build.whileSpinning('store/embedded/write/latest.ts', () => store.append([filed(3)]))
  expect(announced).toEqual([[3]])
  await store.append([filed(4)])
  expect(announced).toEqual([[3], { results: 1, byCheck: new Map([[check.checkId, { from: 2, to: 2 }]]) }, [4]])
}, 180_000)

/** Each of these three spins only in its own module, so that they can run in parallel. */
test.concurrent('a query whose kernel spins fails, and its reader is replaced, with results in ClickHouse', async ({ onTestFinished }) => {
  const server = createServer((_, response) => response.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { openReaders } = await build.importModule<typeof import('../../src/store/clickhouse/readers.ts')>('store/clickhouse/readers.ts')
  const [stats, logged] = [createStoreStats(), [] as unknown[]]
  const readers = await openReaders({
    server: {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      database: 'tidemark',
      cluster: null,
      username: 'reader',
      password: 'secret',
      ca: null,
    },
    metrics: { values: ['dns'], pageValues: [] },
    workers: 1,
    clock: Date.now,
    log: (problem) => logged.push(problem),
    onStatement: () => {},
    stats,
    timeLimitMs,
  })
  onTestFinished(async () => {
    await readers.close()
    server.closeAllConnections()
    server.close()
  })
  const ask = () => readers.call('totals', [{ check, duration: null, window: question.window }])
  const refused = await build.whileSpinning('store/query/stored-totals.ts', () => Promise.allSettled([ask(), ask()]))
  for (const one of refused) expect(one).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } })
  expect(stats.lostThreads.reader.read()).toBe(2)
  expect(logged[0]).toMatch(/^A reader thread was terminated and replaced: totals .*homepage/)
  expect(await ask()).toMatchObject({ results: 0 })
})

test.concurrent('a judge that spins fails its response, and the next response is evaluated', async ({ onTestFinished }) => {
  const { openJudgePool } =
    await build.importModule<typeof import('../../src/checks/probe/judge/judge-pool.ts')>('checks/probe/judge/judge-pool.ts')
  const folder = temporaryFolder()
  const module = join(folder, 'judge.mjs')
  writeFileSync(module, 'export const judge = (input) => ({ failure: input, assertions: [] })')
  const lost: string[] = []
  const judges = openJudgePool({ graceMs: timeLimitMs, onLost: ({ message }) => lost.push(message) })
  onTestFinished(() => judges.close())
  const judged = (input: string) =>
    judges.judge({ module, judge: () => ({ failure: null, assertions: [] }) }, input, {
      key: '["acme","shop"]',
      signal: new AbortController().signal,
    })
  const hostile = await build.whileSpinning('checks/probe/judge/judge-thread.ts', () => judged('hostile'))
  expect(hostile).toMatchObject({ failure: 'the response could not be evaluated within 2,000 ms', exceeded: true })
  expect(lost).toHaveLength(2)
  expect(lost[0]).toBe('A judge thread was terminated and replaced: the response of ["acme","shop"] timed out after 6,250 ms.')
  expect(await judged('plain')).toMatchObject({ failure: 'plain' })
}, 180_000)

test.concurrent('a config file that makes the parser spin is logged, and the next change is applied', async ({ onTestFinished }) => {
  const { openConfigParser } = await build.importModule<typeof import('../../src/catalogue/config-file/parse-in-thread.ts')>(
    'catalogue/config-file/parse-in-thread.ts',
  )
  const lost: string[] = []
  const parser = openConfigParser([], { timeLimitMs: 15_000, onLost: ({ message }) => lost.push(message) })
  onTestFinished(() => parser.close())
  await build.whileSpinning('catalogue/config-file/parse.ts', () =>
    expect(parser.parse('accounts: []', {}, '.')).rejects.toThrow('Reading it takes too long'),
  )
  expect(lost).toEqual(['A parser thread was terminated and replaced: parse of the config file timed out after 15,000 ms.'])
  expect(await parser.parse(JSON.stringify({ accounts: [{ id: 'acme', name: 'Acme' }] }), {}, '.')).toHaveProperty('config')
}, 180_000)

test('a probe that spins is logged by its check and counted by a server, and its checks run again', async () => {
  const folder = temporaryFolder()
  const checks = [{ ...exampleCheck(anyRunType()), id: 'target', frequency: '10s', timeout: '2s' }]
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [{ id: 'acme', name: 'Acme', checks }] }))
  const headersOf = async (scopes: string) => ({ authorization: `Bearer ${await newKey(folder, scopes)}`, 'x-service-account': 'acme' })
  const [headers, scraping] = [await headersOf('read'), await headersOf('metrics')]
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0']
  const program = await build.whileSpinning('checks/probe/probe.ts', async () => {
    const program = await startProgram(['serve', ...places], { bin: builtModule(build.folder, 'main.ts') })
    await expect.poll(() => program.logged(), { timeout: 60_000 }).toContain('A probe thread was terminated and replaced: a run of ')
    return program
  })
  const get = async (path: string, as = headers) => (await fetch(`${program.url}${path}`, { headers: as })).text()
  await expect.poll(() => get('/metrics', scraping), { timeout: 20_000 }).toMatch(/tidemark_threads_lost_total\{kind="probe"\} [1-9]/)
  expect(program.logged()).toMatch(/a run of .*acme.*target.* after 12,000 ms/)
  const errors = async () =>
    (JSON.parse(await get('/v1/check-results/target')) as { error: string | null }[]).map(({ error }) => error ?? '')
  await expect.poll(errors, { timeout: 60_000 }).toContainEqual(expect.not.stringMatching(/no answer within|internal error/))
}, 180_000)

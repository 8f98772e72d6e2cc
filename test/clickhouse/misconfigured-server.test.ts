// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { configuredFolder } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram } from '../support/program.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'
import { testMetrics } from './databases.ts'
import { diskMissing, type FragileServer, startFragileServer } from './engines/fragile-server.ts'

const type = anyRunType()
const otherType = anyRunType(1)
const patient = { timeout: 120_000, interval: 250 }
const usual = { password: 'secret', isReadOnly: false }
const anyDatabase = () => `test_${randomUUID().replaceAll('-', '')}`

const batchOf = (name: string) =>
  Array.from({ length: 20 }, (_, i) => ({
    id: `${name}-${i}`,
    checkId: type.path,
    startedAt: Date.now() - 3_600_000 + i,
    runLocation: 'eu',
    hasFailures: false,
  }))

/** The URL of a server's database for a user. */
function databaseUrl({ url }: FragileServer, database: string, user = 'secured:secret'): string {
  return `${url.replace('//', `//${user}@`)}/${database}`
}

async function command({ url }: FragileServer, query: string): Promise<void> {
  const client = createClient({ url })
  await client.command({ query })
  await client.close()
}

async function setUp({ url }: FragileServer, database: string, user = { username: 'default', password: '' }, more = {}) {
  const server = { url, database, cluster: null, ca: null, ...user }
  await (await createClickHouseStore({ server, metrics: testMetrics, log: () => {}, ...more })).close()
}

/** The output of a Tidemark that does not start. */
async function failedStart(url: string): Promise<string> {
  const folder = configuredFolder()
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data')]
  const { status, stderr } = await runProgram(['serve', ...places, '--port', '0'], { env: { TIDEMARK_CLICKHOUSE_URL: url } })
  expect(status).toBe(1)
  return stderr
}

type Fault = {
  readonly words: RegExp
  /** The status of `/health/ready` during the fault. */
  readonly ready: number
  strike(): void | Promise<void>
  mend(): void | Promise<void>
}

const serveOver = (engine: FragileServer, database: string) =>
  serve(configuredFolder(), { env: { TIDEMARK_CLICKHOUSE_URL: databaseUrl(engine, database) } })

/** Accepted results are never lost, and rejected ones are accepted after the fault. */
async function withstand(server: ServerProcess, { words, ready, strike, mend }: Fault): Promise<void> {
  const health = async (of: string) => (await fetch(`${server.url}/health/${of}`)).status
  const isWritable = () => health('writable')
  const [before, after] = [batchOf(randomUUID()), batchOf(randomUUID())]
  await expect.poll(isWritable, patient).toBe(200)
  expect(await server.post(before)).toMatchObject({ accepted: 20 })

  await strike()
  const refused = await untilRefused(server, after)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ statusCode: 503, code: 'UNAVAILABLE' })
  const refusedAgain = async () => [(await post(server, after)).status, await isWritable(), await health('ready')]
  await expect.poll(refusedAgain, patient).toEqual([503, 503, ready])
  expect(server.logged()).toMatch(words)

  await mend()
  await expect.poll(isWritable, patient).toBe(200)
  const retried = () => server.post(after).catch(String)
  await expect.poll(retried, patient).toMatchObject({ rejected: [] })
  const answer = await fetch(`${server.url}/v1/check-results/${type.path}?limit=40`, { headers: server.headers })
  const ids = ((await answer.json()) as readonly { readonly id: string }[]).map(({ id }) => id)
  expect(ids.sort()).toEqual([...before, ...after].map(({ id }) => id).sort())
}

/** A server may take a moment to notice a change; until then, results of another check are accepted. */
async function untilRefused(server: ServerProcess, rows: readonly object[]): Promise<Response> {
  const isAccepted = async () => {
    const [row] = batchOf(randomUUID())
    return (await post(server, [{ ...row, checkId: otherType.path }])).ok
  }
  await expect.poll(isAccepted, patient).toBe(false)
  return post(server, rows)
}

function post({ url, headers }: ServerProcess, rows: readonly object[]): Promise<Response> {
  const asJson = { ...headers, 'content-type': 'application/json' }
  return fetch(`${url}/v1/check-results`, { method: 'POST', headers: asJson, body: JSON.stringify(rows) })
}

const missing = await programMissing('clickhouse-server')
const noDisk = await diskMissing()
if (noDisk) console.log(`ClickHouse is not tested on a full disk: ${noDisk}.`)

describe('a ClickHouse server', { ...needing(missing), timeout: 300_000 }, () => {
  let engine: FragileServer
  beforeAll(async () => {
    engine = await startFragileServer()
  }, 300_000)
  afterAll(() => engine?.stop())

  test.each([
    ['rejects the password', 'secured:wrong', /ClickHouse at http:\S+ rejected this user or password \(code 193\)/],
    ['does not know the user', 'nobody:secret', /ClickHouse at http:\S+ rejected this user or password \(code 192\)/],
  ])('that %s prevents the start, with a message without the password', async (_, user, words) => {
    const said = await failedStart(databaseUrl(engine, anyDatabase(), user))
    expect(said).toMatch(words)
    expect(said).not.toContain(user.split(':')[1])
  })

  test('whose user may not create tables prevents the start with a clear message', async () => {
    const isUsable = () =>
      setUp(engine, anyDatabase(), { username: 'secured', password: 'secret' }).then(
        () => true,
        () => false,
      )
    engine.changeUser({ ...usual, isReadOnly: true })
    await expect.poll(isUsable, patient).toBe(false)
    expect(await failedStart(databaseUrl(engine, anyDatabase()))).toMatch(
      /The user of ClickHouse at http:\S+ has insufficient privileges in the database test_\w+ \(code 164\)/,
    )
    engine.changeUser(usual)
    await expect.poll(isUsable, patient).toBe(true)
  })

  test.each([
    [
      'a column is missing',
      'ALTER TABLE {database}.results DROP COLUMN error',
      'The table results has been altered: its column error is missing',
    ],
    [
      'a column has another type',
      'ALTER TABLE {database}.definitions MODIFY COLUMN fingerprint Nullable(String)',
      'The table definitions has been altered: its column fingerprint has the type Nullable(String) instead of String',
    ],
    ['a table is missing', 'DROP TABLE {database}.evidence', 'no longer has the table evidence'],
    ['the view is missing', 'DROP TABLE {database}.feed_latest', 'no longer has the table feed_latest'],
    ['tables are newer', 'INSERT INTO {database}.tidemark_schema (version, appliedAt) VALUES (99, 0)', 'was written by a newer Tidemark'],
  ])('where %s prevents the start with a clear message', async (_, statement, words) => {
    const database = anyDatabase()
    await setUp(engine, database)
    await command(engine, statement.replace('{database}', database))
    await expect(setUp(engine, database)).rejects.toThrow(words)
  })

  test('whose clock is off or whose version is old is mentioned in the log', async () => {
    const logged: unknown[] = []
    const options = { clock: () => Date.now() + 3_600_000, log: (problem: unknown) => logged.push(problem) }
    await setUp(engine, anyDatabase(), undefined, options)
    expect(logged).toEqual([
      expect.stringMatching(/^ClickHouse is of version 18\.16\S+ Tidemark requires version 24 or newer/),
      expect.stringMatching(/^The clock of ClickHouse is (3[56]\d\d) s behind that of this machine\./),
    ])
  })

  describe('used by a running Tidemark', () => {
    const database = anyDatabase()
    let server: ServerProcess
    beforeAll(async () => {
      server = await serveOver(engine, database)
    }, 300_000)

    test('makes it unready when the password changes, until it is changed back', async () => {
      await withstand(server, {
        words: /ClickHouse failed \(193\), it rejected this user or password/,
        ready: 503,
        strike: () => engine.changeUser({ ...usual, password: 'another' }),
        mend: () => engine.changeUser(usual),
      })
    })

    test('makes it unwritable when the right to write is revoked, until it is granted again', async () => {
      await withstand(server, {
        words: /ClickHouse failed \(164\), the user has insufficient privileges/,
        ready: 200,
        strike: () => engine.changeUser({ ...usual, isReadOnly: true }),
        mend: () => engine.changeUser(usual),
      })
    })

    test('makes it unwritable when a table is altered, until that is undone', async () => {
      await withstand(server, {
        words: /ClickHouse failed \((16|47)\), a table has been altered/,
        ready: 200,
        strike: () => command(engine, `ALTER TABLE ${database}.results DROP COLUMN error`),
        mend: () => command(engine, `ALTER TABLE ${database}.results ADD COLUMN error Nullable(String)`),
      })
    })

    test('makes it unready when it is killed, until it is started again', async () => {
      await withstand(server, {
        words: /ClickHouse failed \(ECONNRESET\)/,
        ready: 503,
        strike: () => engine.kill(),
        mend: () => engine.start(),
      })
    })
  })
})

/** Skipped if mounting is not allowed: few containers have the rights for it. */
describe.skipIf(noDisk !== null)('a ClickHouse server on a small disk', { ...needing(missing), timeout: 300_000 }, () => {
  let engine: FragileServer
  beforeAll(async () => {
    engine = await startFragileServer({ diskMegabytes: 64 })
  }, 300_000)
  afterAll(() => engine?.stop())

  test('that is full makes Tidemark unwritable until there is space', async () => {
    await withstand(await serveOver(engine, anyDatabase()), {
      words: /ClickHouse failed \(\d+\), its disk is full/,
      ready: 200,
      strike: () => engine.fillDisk(),
      mend: () => engine.clearDisk(),
    })
  })

  test('that is full prevents the start with a clear message', async () => {
    engine.fillDisk()
    expect(await failedStart(databaseUrl(engine, anyDatabase()))).toMatch(/The disk of ClickHouse at http:\S+ is full/)
    engine.clearDisk()
  })
})

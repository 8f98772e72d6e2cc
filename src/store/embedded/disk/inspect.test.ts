import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { dayMs } from '../../../time.ts'
import type { CheckRef } from '../../store.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { databaseFile, openForWriting } from './database.ts'
import { inspect } from './inspect.ts'
import type { Database } from './sqlite.ts'

const start = Date.UTC(2026, 10, 7)
const homepage: CheckRef = { account: 'acme', checkId: 'homepage' }
const shop: CheckRef = { account: 'acme', checkId: 'shop' }
const resultsOf = (check: CheckRef, times: readonly number[]) =>
  times.map((time) => ({
    check,
    result: { ...calm, id: null, startedAt: start + time, runLocation: 'eu', values: { dns: time % 7 }, pages: [] },
  }))

/** Two sealed days of one check, with late and hot results; another check with hot results only. */
let directory: string
beforeEach(async () => {
  directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => start + 9 * dayMs })
  await store.recordDefinitions([{ ...homepage, fingerprint: '1', rhythm: { periodMs: 60_000, graceMs: 0 } }], start)
  await store.append(resultsOf(homepage, [1000, 2000, dayMs + 3000]).map((filed) => ({ ...filed, evidence: Buffer.from('evidence') })))
  await store.seal()
  await store.append([...resultsOf(homepage, [1500, 4 * dayMs]), ...resultsOf(shop, [70_000, 5000, 6000])])
  await store.close()
})

function change(work: (database: Database) => void): void {
  const database = openForWriting(directory)
  work(database)
  database.close()
}

test('a data folder is described check by check', () => {
  expect(inspect(directory)).toEqual({
    problems: [],
    holdings: [
      {
        ...homepage,
        hot: 2,
        late: 1,
        sealed: 3,
        days: 2,
        chunks: expect.any(Number),
        bytes: expect.any(Number),
        first: start,
        last: start + 4 * dayMs,
      },
      { ...shop, hot: 3, late: 0, sealed: 0, days: 0, chunks: 0, bytes: 0, first: start + 5000, last: start + 70_000 },
    ],
  })
  const [{ chunks, bytes } = { chunks: 0, bytes: 0 }] = inspect(directory).holdings
  change((database) => {
    expect(database.prepare('SELECT count(*) AS chunks, sum(length(bytes)) AS bytes FROM chunk').get()).toEqual({ chunks, bytes })
  })
})

test('a check without results has no first and last', () => {
  change((database) => database.exec('DELETE FROM hot; UPDATE series SET segments = 0'))
  expect(inspect(directory).holdings.at(-1)).toMatchObject({ ...shop, hot: 0, first: null, last: null })
})

describe('damage is reported, and the rest described', () => {
  test.each([
    ['a lost segment', 'DELETE FROM hot WHERE series = 2', 'Check shop of acme: some unsealed results are missing.'],
    ['a lost day', 'DELETE FROM day WHERE day = (SELECT max(day) FROM day)', 'Check homepage of acme: some sealed days are missing.'],
    ['a segment of no check', 'UPDATE hot SET series = 9 WHERE series = 2', '1 rows of the table hot belong to no check.'],
    ['days of no check', 'UPDATE day SET series = 9', '2 rows of the table day belong to no check.'],
    ['evidence of no check', 'UPDATE evidence SET series = 9', '3 rows of the table evidence belong to no check.'],
    ['a rhythm of no check', 'UPDATE regime SET series = 9', '1 rows of the table regime belong to no check.'],
    [
      'a column of no check',
      'UPDATE chunk SET key = 9000000000000 WHERE key = (SELECT max(key) FROM chunk)',
      'rows of the table chunk belong',
    ],
    ['a changed column', 'UPDATE chunk SET crc = crc + 1 WHERE key = (SELECT min(key) FROM chunk)', 'is damaged.'],
    ['a lost column', 'DELETE FROM chunk WHERE key = (SELECT min(key) FROM chunk)', 'is missing.'],
    ['a changed segment', 'UPDATE hot SET crc = crc + 1 WHERE series = 2', 'are damaged.'],
    ['a changed day', 'UPDATE day SET results = results + 1', 'is damaged.'],
    ['changed evidence', "UPDATE evidence SET body = x'00'", 'Check homepage of acme: the evidence of a run is damaged.'],
    ['misplaced evidence', 'UPDATE evidence SET startedAt = startedAt + 1', 'the evidence of a run is damaged.'],
    ['a changed rhythm', "UPDATE regime SET body = replace(body, '60000', '90000')", 'is damaged.'],
  ])('%s', (_, statement, problem) => {
    change((database) => database.exec(statement))
    const { problems, holdings } = inspect(directory)
    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`${problem.replaceAll('.', '\\.')}$|${problem}`)))
    expect(problems.join()).not.toContain('tidemark doctor')
    expect(holdings.map(({ checkId }) => checkId)).toEqual(['homepage', 'shop'])
  })

  test('every changed column, not only the first, by its check and date', () => {
    change((database) => database.exec('UPDATE chunk SET crc = crc + 1'))
    const { problems } = inspect(directory)
    expect(problems).toHaveLength(2)
    expect(problems[0]).toMatch(/^Check homepage of acme, 2026-11-07: the column \w+ is damaged\.$/)
  })
})

test('a file that SQLite reports as damaged has problems and no holdings', () => {
  change((database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  const file = readFileSync(databaseFile(directory))
  file.fill(0xff, 3 * 8192, 3 * 8192 + 100)
  writeFileSync(databaseFile(directory), file)
  const { problems, holdings } = inspect(directory)
  expect(problems.length).toBeGreaterThan(0)
  expect(holdings).toEqual([])
})

test('a file that is not a database is rejected with a hint', () => {
  const other = temporaryFolder()
  writeFileSync(databaseFile(other), 'no database at all'.repeat(100))
  expect(() => inspect(other)).toThrow(`Run: tidemark doctor --data ${other}`)
})

import { cpSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test, vi } from 'vitest'
import { expectedAggregate, expectedRaw, inOrder, newestByLocation } from '../../../../test/support/oracle.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { grouped } from '../../../collections/lists.ts'
import { toResult } from '../../query/parts/stored-result.ts'
import type { AggregateQuery, FiledResult, RawQuery, Result } from '../../store.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { openFolderReader } from '../query/folder-reader.ts'
import { databaseFile, openForReading, openForWriting } from './database.ts'
import { inspect } from './inspect.ts'
import { arrivalTable, layoutVersion } from './layout.ts'

const fixtures = fileURLToPath(new URL('../../../../test/fixtures/', import.meta.url))

/**
 * A data folder in an older layout: several results of a time and location with and without ids, some sealed and some hot. One of layout 6 is
 * also one of layout 7, and with one more table one of layout 8.
 */
function oldFolder(layout: number): string {
  const directory = temporaryFolder()
  cpSync(`${fixtures}data-folder-layout-${Math.min(6, layout)}/tidemark.db`, databaseFile(directory))
  if (layout <= 6) return directory
  const database = new DatabaseSync(databaseFile(directory))
  if (layout > 7) database.exec(arrivalTable)
  database.close()
  return setVersion(directory, layout)
}

const filed: readonly FiledResult[] = readFileSync(`${fixtures}data-folder-layout-3/results.ndjson`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
const window = { from: 0, to: Number.MAX_SAFE_INTEGER }
const checks = Array.from(grouped(filed, ({ check }) => check.checkId).values(), (some) => ({
  check: some[0]?.check ?? { account: '', checkId: '' },
  results: some.map(({ check, result }) => toResult(check, result)),
}))

function versionOf(directory: string): number {
  const database = new DatabaseSync(databaseFile(directory))
  const { user_version: version } = database.prepare('PRAGMA user_version').get()
  database.close()
  return version
}

function setVersion(directory: string, version: number): string {
  const database = new DatabaseSync(databaseFile(directory))
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
  return directory
}

describe.each([3, 4, 5, 6, 7, 8])('a data folder of layout %i', (layout) => {
  test('is migrated and complete when it is opened for writing', () => {
    const directory = oldFolder(layout)
    expect(versionOf(directory)).toBe(layout)
    const migrated = vi.fn()
    openForWriting(directory, migrated).close()
    expect(versionOf(directory)).toBe(layoutVersion)
    expect(inspect(directory).problems).toEqual([])
    openForWriting(directory, migrated).close()
    expect(migrated.mock.calls).toEqual([[{ from: layout, to: layoutVersion, ms: expect.any(Number) }]])
  })

  test.each(checks)('has the same results of $check.checkId, in order, and gives the same answers', async ({ check, results }) => {
    const directory = oldFolder(layout)
    const store = await createEmbeddedStore({ directory, workers: 0, clock: () => Date.UTC(2026, 10, 10) })
    const scanned: Result[] = []
    for await (const some of store.scan(check, window)) scanned.push(...some)
    expect(scanned).toEqual(inOrder(check, results))
    const question = {
      check,
      window,
      filter: null,
      groupBy: { by: 'location' },
      rowPage: { offset: 0, limit: 100 },
      groupPage: null,
    } as const
    const raw: RawQuery = { ...question, metrics: [{ metric: 'dns', perPage: false }] }
    expect(await store.raw(raw)).toEqual(expectedRaw(raw, results))
    const { check: _, ...selection } = question
    const aggregate: AggregateQuery = {
      ...selection,
      sources: [{ check, columns: [{ metric: 'dns', perPage: false }], labels: [] }],
      groupBy: [{ by: 'location' }],
      figures: (['max', 'p90'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null })),
      counts: true,
      buckets: { originMs: 0, widthMs: 86_400_000 },
      fill: null,
      histogram: null,
    }
    expect((await store.aggregate(aggregate)).groups).toEqual(expectedAggregate(aggregate, () => results))
    const [latest] = await store.latest([check])
    expect(latest?.byLocation.map(({ arrivedAt, ...result }) => result)).toEqual(newestByLocation(check, results))
    await store.close()
  })

  test('recognizes all of its results as duplicates', async () => {
    const store = await createEmbeddedStore({ directory: oldFolder(layout), workers: 0 })
    expect(await store.append(filed)).toEqual({ duplicates: filed.map((_, i) => i) })
    await store.seal()
    expect(await store.append(filed)).toEqual({ duplicates: filed.map((_, i) => i) })
    await store.close()
  })

  test('keeps the lifetimes of its checks', async () => {
    const store = await createEmbeddedStore({ directory: oldFolder(layout), workers: 0 })
    const created = Date.UTC(2026, 10, 6)
    const definition = { account: 'acme', checkId: 'homepage', fingerprint: 'a', rhythm: { periodMs: 60_000, graceMs: 0 } }
    expect(await store.recordDefinitions([definition], Date.UTC(2026, 10, 20))).toEqual([{ createdAt: created, updatedAt: created }])
    await store.close()
  })

  test('is not changed by a read-only command, which asks to start the server', () => {
    const directory = oldFolder(layout)
    expect(() => openFolderReader(directory, 0)).toThrow(`Start the server once to upgrade it: tidemark serve --data ${directory}`)
    expect(versionOf(directory)).toBe(layout)
  })

  test('is unchanged if its tables are not those of its layout', () => {
    const directory = oldFolder(layout)
    const database = new DatabaseSync(databaseFile(directory))
    database.exec('DROP TABLE latest; CREATE TABLE latest (series INTEGER, location TEXT, body TEXT, crc INTEGER)')
    database.close()
    expect(() => openForWriting(directory)).toThrow('its tables were altered')
    expect(versionOf(directory)).toBe(layout)
  })
})

describe('a data folder of a layout that cannot be migrated', () => {
  test.each([
    ['a newer', layoutVersion + 1],
    ['an older', 2],
  ])('is rejected with a message as %s one', (age, version) => {
    const directory = setVersion(oldFolder(5), version)
    const words = `was written by ${age} Tidemark, in a layout that this one cannot read`
    expect(() => openForWriting(directory)).toThrow(words)
    expect(() => openForReading(directory)).toThrow(words)
  })
})

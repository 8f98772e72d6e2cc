import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { allTime } from '../../../calendar/window.ts'
import { dayMs } from '../../../time.ts'
import { logStart } from '../../documents/document-log.ts'
import type { CheckRef, Result } from '../../store.ts'
import { createEmbeddedStore } from '../embedded-store.ts'
import { databaseFile } from './database.ts'
import { DataFolderError, isDamage } from './errors.ts'
import { inspect } from './inspect.ts'
import { createLayout } from './layout.ts'

const start = Date.UTC(2026, 10, 7)
const now = start + 9 * dayMs
const check: CheckRef = { account: 'acme', checkId: 'homepage' }

/** Stores a sealed day, a hot result, and every other kind of data. */
async function fill(directory: string): Promise<void> {
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => now })
  await store.recordDefinitions([{ ...check, fingerprint: '1', rhythm: { periodMs: 60_000, graceMs: 0 } }], start)
  const filed = (time: number) => ({
    check,
    result: { ...calm, id: `id-${time}`, startedAt: start + time, runLocation: 'eu', values: { dns: time % 7 }, pages: [] },
    evidence: Buffer.from('evidence'),
  })
  await store.append([filed(1000), filed(2000)])
  await store.seal()
  await store.append([filed(4 * dayMs)])
  const document = { account: 'acme', kind: 'check', id: 'homepage', action: 'create', changes: '[]', body: '{}' }
  await store.documents.write([{ ...document, expected: 0 }], { keyId: 'key', keyName: 'Key' })
  await store.close()
}

/** Everything that a server can read from the folder. */
async function contentsOf(directory: string): Promise<string> {
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => now, log: () => {} })
  try {
    const results: Result[] = []
    for await (const page of store.scan(check, allTime)) results.push(...page)
    const runs = await Promise.all(results.map(({ id, startedAt }) => store.result({ check, id, startedAt })))
    const documents = await store.documents.after(logStart, 10)
    return JSON.stringify([results, runs, await store.latest([check]), documents])
  } finally {
    await store.close()
  }
}

/** Values that a damaged record may contain instead: a changed record header changes the type. */
const damagedValues = ['NULL', "x'00'", "''", "'text'", '1.5', '-1', '0', '4611686018427387904']

const columns = columnsOfLayout()

/**
 * Damage to these is detected by a page of their index that differs, or changes no answer: names, the last version of a document, the time
 * when a check was defined, and a number that is only compared with others of its kind.
 */
const uncovered = new Set([
  ...['account', 'checkId', 'fingerprint', 'createdAt', 'updatedAt', 'edition'].map((column) => `series.${column}`),
  'hot.firstAt',
  'document.isHead',
])

/** A row under a damaged key is not found, which only `doctor` reports. */
const unnoticed = new Set(['evidence.startedAt', 'evidence.series', 'evidence.resultId', 'arrival.series', 'document.position'])

let healthy: Buffer
let contents: string
beforeAll(async () => {
  const directory = temporaryFolder()
  await fill(directory)
  contents = await contentsOf(directory)
  healthy = readFileSync(databaseFile(directory))
})

describe.each(columns)('a damaged %s', (table, column) => {
  test.each(damagedValues)('with the value %s never changes an answer silently, and is reported', async (value) => {
    const directory = damagedFolder(table, column, value)
    if (directory === null) return
    const name = `${table}.${column}`
    const read = await contentsOf(directory).catch((error) => error)
    if (read instanceof Error) expect(read.name === 'DataFolderError' || isDamage(read), String(read)).toBe(true)
    else if (!uncovered.has(name) && !unnoticed.has(name)) expect(read).toBe(contents)
    if (read instanceof Error || !uncovered.has(name)) expect(problemsIn(directory)).not.toEqual([])
  })
})

function problemsIn(directory: string): readonly string[] {
  try {
    return inspect(directory).problems
  } catch (error) {
    if (error instanceof DataFolderError) return [error.message]
    throw error
  }
}

/** A folder in which a column has a value that its definition may forbid; null if SQLite cannot store such a value there. */
function damagedFolder(table: string, column: string, value: string): string | null {
  const directory = temporaryFolder()
  const file = databaseFile(directory)
  writeFileSync(file, replaced(healthy, 'NOT NULL', '    NULL'))
  const database = new DatabaseSync(file)
  try {
    if (database.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ${value}`).run().changes === 0) return null
  } catch {
    return null
  } finally {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
  }
  writeFileSync(file, replaced(readFileSync(file), '    NULL', 'NOT NULL'))
  return directory
}

/** Both texts are of the same length. */
function replaced(bytes: Buffer, from: string, to: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
}

function columnsOfLayout(): readonly (readonly [table: string, column: string])[] {
  const database = new DatabaseSync(':memory:')
  createLayout(database)
  const tables: readonly { name: string }[] = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const found = tables.flatMap(({ name }) => {
    const columns: readonly { name: string }[] = database.prepare(`PRAGMA table_info(${name})`).all()
    return columns.map((column) => [name, column.name] as const)
  })
  database.close()
  return found
}

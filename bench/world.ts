import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { newKey } from '../src/catalogue/keys.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { databaseFile } from '../src/store/embedded/disk/database.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { slotId } from '../src/store/slot-id.ts'
import type { FiledResult } from '../src/store/store.ts'
import { anyRunType, exampleCheck } from '../test/support/example-config.ts'
import { calm } from '../test/support/results.ts'

export const folder = fileURLToPath(new URL('./data', import.meta.url))
export const account = 'bench'
export const days = 30
export const perCheck = 130_000
export const checks = Number(process.env.BENCH_CHECKS ?? 100)
/** This check has ten times the rows of the others. */
export const bigCheck = checks
export const end = Math.floor(Date.now() / 86_400_000) * 86_400_000
export const start = end - days * 86_400_000

export const checkType = anyRunType()
export const metrics = Object.keys(checkType.metrics).slice(0, 4)
const locations = ['eu-west-1', 'us-east-1', 'ap-south-1']

export const checkId = (check: number) => `check-${check}`
export const quantileSql = (metric: string, fraction: number) => `quantile_cont("${metric}", ${fraction})`
const rowsOf = (check: number) => (check === bigCheck ? 10 * perCheck : perCheck)

type Row = { readonly startedAt: number; readonly location: string; readonly values: readonly number[] }

/** The rows of a check in order of time, deterministic per day. */
function* rows(check: number): Generator<Row> {
  const random = generator(check + 1)
  const count = rowsOf(check)
  const stepMs = (end - start) / count
  for (let i = 0; i < count; i++) {
    const values = metrics.map(() => Math.round(Math.exp(4 + normal(random) / 2) * 1000) / 1000)
    yield { startedAt: Math.floor(start + i * stepMs), location: locations[i % 3] as string, values }
  }
}

/**
 * Writes a config file with `count` checks, and returns a key for its account. Benches that may run in parallel use different file names.
 */
export function configFile({ name = 'tidemark', count = checks + 1 } = {}): { file: string; key: string } {
  mkdirSync(folder, { recursive: true })
  const { key } = newKey(randomBytes)
  const file = join(folder, `${name}.json`)
  const all = Array.from({ length: count }, (_, check) => ({ ...exampleCheck(checkType), id: checkId(check), name: checkId(check) }))
  const keys = [{ name: 'bench', hash: sha256(key), scopes: ['read', 'ingest', 'metrics'] }]
  const config = { rateLimit: { requests: 1_000_000, per: '60s' }, accounts: [{ id: account, keys, checks: all }] }
  writeFileSync(file, JSON.stringify(config))
  return { file, key }
}

/** Fills our data folder unless an earlier run of the same day did. */
export async function fillOurs(): Promise<{ directory: string; bytesPerResult: number }> {
  const directory = join(folder, `ours-${checks}-${end}`)
  if (!existsSync(join(directory, 'complete'))) {
    rmSync(directory, { recursive: true, force: true })
    const store = await createEmbeddedStore({ directory, workers: 0 })
    for (let check = 0; check <= bigCheck; check++) {
      await fillCheck(store, check)
      await store.seal()
      progress('Tidemark', check)
    }
    await store.close()
    writeFileSync(join(directory, 'complete'), '')
  }
  const results = checks * perCheck + rowsOf(bigCheck)
  return { directory, bytesPerResult: statSync(databaseFile(directory)).size / results }
}

/** Fills a data folder with one check whose results have ids of scheduled runs. Returns the bytes per result on disk. */
export async function fillScheduled(directory: string): Promise<number> {
  rmSync(directory, { recursive: true, force: true })
  const store = await createEmbeddedStore({ directory, workers: 0 })
  await fillCheck(store, 0, { withIds: true })
  await store.seal()
  await store.close()
  return statSync(databaseFile(directory)).size / perCheck
}

/** Appends the results of a check, optionally with ids of scheduled runs. */
export async function fillCheck(store: EmbeddedStore, check: number, { withIds = false } = {}): Promise<void> {
  const ref = { account, checkId: checkId(check) }
  const batch: FiledResult[] = []
  for (const { startedAt, location, values } of rows(check)) {
    const measured = Object.fromEntries(metrics.map((name, i) => [name, values[i] as number]))
    const id = withIds ? slotId(ref, location, startedAt) : null
    const result = { ...calm, id, startedAt, runLocation: location, hasFailures: startedAt % 97 === 0, values: measured, pages: [] }
    batch.push({ check: ref, result })
    if (batch.length === 10_000) await store.append(batch.splice(0))
  }
  await store.append(batch)
}

export async function openDuckDB(): Promise<DuckDBConnection> {
  const file = join(folder, `duckdb-${checks}-${end}.db`)
  const fresh = !existsSync(`${file}.complete`)
  if (fresh) rmSync(file, { force: true })
  const connection = await (await DuckDBInstance.create(file)).connect()
  if (!fresh) return connection
  await connection.run(
    `CREATE TABLE results (checkId INTEGER, startedAt BIGINT, location VARCHAR, hasFailures BOOLEAN, attempts INTEGER, ${metrics.map((name) => `"${name}" DOUBLE`).join(', ')})`,
  )
  for (let check = 0; check <= bigCheck; check++) {
    const appender = await connection.createAppender('results')
    for (const { startedAt, location, values } of rows(check)) {
      appender.appendInteger(check)
      appender.appendBigInt(BigInt(startedAt))
      appender.appendVarchar(location)
      appender.appendBoolean(startedAt % 97 === 0)
      appender.appendInteger(1)
      for (const value of values) appender.appendDouble(value)
      appender.endRow()
    }
    appender.closeSync()
    progress('DuckDB', check)
  }
  await connection.run('CHECKPOINT')
  writeFileSync(`${file}.complete`, '')
  return connection
}

function progress(who: string, check: number): void {
  if (check % 10 === 0) console.error(`  ${who}: ${check} of ${checks} checks filled`)
}

/** mulberry32: numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

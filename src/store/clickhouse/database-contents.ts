import { grouped } from '../../collections/lists.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { dayMs } from '../../time.ts'
import type { CheckRef, Result, Store, Window } from '../store.ts'
import { rhythmText } from '../timeline/regime.ts'
import type { Contents, DefinitionHistory, Destination } from '../transfer/contents.ts'
import { type DefinitionChange, missingChanges } from '../transfer/definition-changes.ts'
import { identityHashSql } from '../transfer/identity-digest.ts'
import { type ClickHouseOptions, createClickHouseStore } from './clickhouse-store.ts'
import { type Connection, unlimited } from './connection.ts'
import { amongChecks } from './read/among-checks.ts'
import { inWindow, ofCheck } from './read/select-results.ts'
import { createRetries, type Retries } from './retry-unavailable.ts'
import { createRowWriter } from './row-binary.ts'
import { notVoid } from './schema/tables.ts'
import { connectTo } from './server.ts'
import { DatabaseError, startFailure } from './server-errors.ts'

type ContentsOptions = ClickHouseOptions & {
  /** Called with the reason while the server cannot be used; requests are retried for some time. */
  readonly warn: (problem: string) => void
}

/** Opens the contents of a ClickHouse database; fails if it holds no results of Tidemark. */
export async function openDatabaseContents(options: ContentsOptions): Promise<Destination> {
  await requireResults(options)
  return openDatabaseDestination(options)
}

/** The same for a destination, which may be a new database. */
export async function openDatabaseDestination(options: ContentsOptions): Promise<Destination> {
  const { server, log = () => {}, warn } = options
  const store = await createClickHouseStore(options)
  const connection = await connectTo(server, { log })
  const retried = createRetries(warn)
  return {
    name: `${server.database} of ${server.url}`,
    ...retriedQuestions(store, retried),
    ...readContents(connection, retried),
    append: (results) => retried(() => store.append(results)),
    addDefinitions: (histories) => retried(() => addDefinitions(connection, histories)),
    documentsAfter: (place, limit) => retried(() => store.documents.after(place, limit)),
    addDocuments: (versions) => retried(() => store.documents.addVersions(versions)),
    async close() {
      await connection.close()
      await store.close()
    },
  }
}

/** A source is never created: a mistyped name would look like an empty database. */
async function requireResults({ server }: ContentsOptions): Promise<void> {
  const { url, database } = server
  const { openConnection } = await import('./connection.ts')
  const connection = await openConnection({ ...server, database: null, log: () => {} })
  const sql = "SELECT name FROM system.tables WHERE database = {database:String} AND name = 'tidemark_schema'"
  const found = await connection
    .rows({ sql, params: { database } })
    .catch((error) => {
      throw startFailure(error, server)
    })
    .finally(() => connection.close())
  if (found.length === 0) throw new DatabaseError(`No Tidemark results in the database ${database} of ${url}.`)
}

type Questions = Pick<Contents, 'aggregate' | 'raw' | 'results' | 'result' | 'states' | 'outages' | 'failures' | 'scan'>

function retriedQuestions(store: Store, retried: Retries): Questions {
  return {
    aggregate: (query) => retried(() => store.aggregate(query)),
    raw: (query) => retried(() => store.raw(query)),
    results: (query) => retried(() => store.results(query)),
    result: (query) => retried(() => store.result(query)),
    states: (query) => retried(() => store.states(query)),
    outages: (query) => retried(() => store.outages(query)),
    failures: (query) => retried(() => store.failures(query)),
    scan: (check, window) => retriedScan(store, retried, { check, window }),
  }
}

type Scan = { readonly check: CheckRef; readonly window: Window }

/** Resumes after a failure at the start of the last result, so that some results may come twice. */
async function* retriedScan(store: Store, retried: Retries, { check, window }: Scan): AsyncGenerator<readonly Result[]> {
  let rest = window
  const begin = () => store.scan(check, rest)[Symbol.asyncIterator]()
  let pages = begin()
  for (;;) {
    const { value: page, done } = await retried(() =>
      pages.next().catch((error) => {
        pages = begin()
        throw error
      }),
    )
    if (done) return
    yield page
    rest = { ...rest, from: page.at(-1)?.startedAt ?? rest.from }
  }
}

type Listed = Pick<Contents, 'checks' | 'dayCounts' | 'digests' | 'evidenceIn' | 'readEvidence' | 'definitionsOf'>

function readContents(connection: Connection, retried: Retries): Listed {
  const rows: Connection['rows'] = ({ sql, params = {} }) => retried(() => connection.rows({ sql, params, settings: unlimited }))
  return {
    async checks() {
      const counted = await rows({ sql: 'SELECT account, checkId, count() FROM results GROUP BY account, checkId' })
      const defined = await rows({ sql: 'SELECT DISTINCT account, checkId FROM definitions' })
      const results = new Map(counted.map(([account, checkId, count]) => [checkKey(refOf(account, checkId)), Number(count)]))
      const checks = new Map(
        [...counted, ...defined].map(([account, checkId]) => [checkKey(refOf(account, checkId)), refOf(account, checkId)]),
      )
      return [...checks]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, check]) => ({ ...check, results: results.get(name) ?? 0, revision: null }))
    },
    async dayCounts(checks) {
      const { sql: among, params } = amongChecks(checks)
      const sql = `SELECT account, checkId, intDiv(startedAt, ${dayMs}) AS day, count() FROM results FINAL WHERE ${among} AND ${notVoid} GROUP BY account, checkId, day ORDER BY day`
      const counted = grouped(await rows({ sql, params }), ([account, checkId]) => checkKey(refOf(account, checkId)))
      return checks.map((check) =>
        (counted.get(checkKey(check)) ?? []).map(([, , day, results]) => ({ day: Number(day), results: Number(results) })),
      )
    },
    async digests(check, window, widthMs) {
      const sql = `SELECT intDiv(startedAt, {widthMs:Int64}) AS unit, count(), toString(groupBitXor(${identityHashSql})) FROM results FINAL WHERE ${ofCheck} AND ${inWindow} AND ${notVoid} GROUP BY unit ORDER BY unit`
      const found = await rows({ sql, params: { ...refOf(check.account, check.checkId), ...window, widthMs } })
      return found.map(([unit, results, digest]) => ({ from: Number(unit) * widthMs, results: Number(results), digest: String(digest) }))
    },
    async evidenceIn(check, window) {
      const sql = `SELECT startedAt, resultId, length(body) FROM evidence FINAL WHERE ${ofCheck} AND ${inWindow}`
      const found = await rows({ sql, params: { ...refOf(check.account, check.checkId), ...window } })
      return found.map(([startedAt, resultId, bytes]) => ({
        startedAt: Number(startedAt),
        resultId: String(resultId),
        bytes: Number(bytes),
      }))
    },
    async readEvidence(check, listed) {
      const times = listed.map(({ startedAt }) => startedAt)
      const window = { from: Math.min(...times), to: Math.max(...times) }
      const ids = listed.map(({ resultId }) => resultId)
      const sql = `SELECT resultId, hex(body) FROM evidence FINAL WHERE ${ofCheck} AND ${inWindow} AND resultId IN {ids:Array(String)}`
      const found = await rows({ sql, params: { ...refOf(check.account, check.checkId), ...window, ids } })
      return new Map(found.map(([resultId, body]) => [String(resultId), new Uint8Array(Buffer.from(String(body), 'hex'))]))
    },
    definitionsOf: (checks) => retried(() => definitionsOf(connection, checks)),
  }
}

async function definitionsOf(connection: Connection, checks: readonly CheckRef[]): Promise<readonly (readonly DefinitionChange[])[]> {
  const { sql: among, params } = amongChecks(checks)
  const sql = `SELECT account, checkId, seenAt, fingerprint, rhythm FROM definitions WHERE ${among} ORDER BY seenAt, fingerprint`
  const byCheck = grouped(await connection.rows({ sql, params }), ([account, checkId]) => checkKey(refOf(account, checkId)))
  return checks.map((check) =>
    (byCheck.get(checkKey(check)) ?? []).map(([, , seenAt, fingerprint, rhythm]) => ({
      seenAt: Number(seenAt),
      fingerprint: String(fingerprint),
      rhythm: JSON.parse(String(rhythm)),
    })),
  )
}

async function addDefinitions(connection: Connection, histories: readonly DefinitionHistory[]): Promise<void> {
  const recorded = await definitionsOf(
    connection,
    histories.map(({ check }) => check),
  )
  const writer = createRowWriter()
  for (const [i, { check, changes }] of histories.entries())
    for (const { seenAt, fingerprint, rhythm } of missingChanges(changes, recorded[i] ?? [])) {
      writer.text(check.account)
      writer.text(check.checkId)
      writer.int64(seenAt)
      writer.text(fingerprint)
      writer.text(rhythmText(rhythm))
    }
  const rows = writer.written()
  if (rows.length > 0) await connection.insert('definitions (account, checkId, seenAt, fingerprint, rhythm)', rows)
}

const refOf = (account: unknown, checkId: unknown): CheckRef => ({ account: String(account), checkId: String(checkId) })

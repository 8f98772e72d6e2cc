import { checkKey } from '../../../ids/check-ref.ts'
import type { Reader } from '../../query/question-reader.ts'
import type { CheckRef, QuestionOptions, Result } from '../../store.ts'
import type { Connection, ServerConnectionOptions, StatementSettings } from '../connection.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { type ClickHouseServer, connectTo, oneCheckSettings } from '../server.ts'
import { amongChecks, inHalves } from './among-checks.ts'
import { createDayCache } from './day-cache.ts'
import { createDefinitions } from './definitions.ts'
import { createOneResult } from './one-result.ts'
import { createSelect, ofCheck } from './select-results.ts'
import { createReader } from './server-reader.ts'
import { createSummaries } from './summaries.ts'
import { together } from './together.ts'

/** Input of a reader, which can be sent to another thread. */
export type ReaderData = { readonly server: ClickHouseServer; readonly metrics: MetricColumns }
type OpenOptions = Pick<ServerConnectionOptions, 'log' | 'onStatement'> & { readonly clock: () => number; readonly checkpoint?: () => void }

/** Per reader. */
const cacheBytes = 64 * 2 ** 20

/** Opens a reader with its own connections. */
export async function openServerReader(
  { server, metrics }: ReaderData,
  { clock, checkpoint, ...options }: OpenOptions,
): Promise<Reader & { close(): Promise<void> }> {
  const connection = await connectTo(server, options)
  const settings = oneCheckSettings(server)
  const select = createSelect({ connection, metrics, settings })
  const firstStart = createFirstStart(connection)
  const { resultAt, ...reader } = createReader({
    select,
    readCached: createDayCache({ connection, select, settings, capacityBytes: cacheBytes }),
    summarize: createSummaries({ connection, metrics, settings }),
    metrics,
    firstStart,
    regimesOf: createDefinitions(connection).regimesOf,
    ...(checkpoint && { checkpoint }),
  })
  const oneResult = createOneResult({ select, reader: { ...reader, resultAt }, firstStart, clock })
  const evidence = createEvidence({ connection, settings })
  return {
    ...reader,
    async result(query, options) {
      const found = await oneResult(query, options)
      return found && { ...found, evidence: await evidence.of(query.check, found.result, options) }
    },
    close: () => connection.close(),
  }
}

/** The start of a check's first result; null without results. Calls of the same event loop turn share a statement. */
function createFirstStart(connection: Connection) {
  const firstStart = together<CheckRef, number | null>({
    nameOf: () => '',
    most: 1000,
    async ask(checks, signal) {
      const rows = await inHalves(checks, (some, settings) => {
        const { sql: among, params } = amongChecks(some)
        const sql = `SELECT account, checkId, min(startedAt) FROM results WHERE ${among} GROUP BY account, checkId`
        return connection.rows({ sql, params, settings }, signal)
      })
      const firsts = new Map(
        rows.map(([account, checkId, first]) => [checkKey({ account: String(account), checkId: String(checkId) }), Number(first)]),
      )
      return checks.map((check) => firsts.get(checkKey(check)) ?? null)
    },
  })
  return (check: CheckRef, { signal }: QuestionOptions = {}) => firstStart(check, signal)
}

type EvidenceOptions = { readonly connection: Connection; readonly settings: StatementSettings }

function createEvidence({ connection, settings }: EvidenceOptions) {
  return {
    async of(check: CheckRef, { id, startedAt }: Result, { signal }: QuestionOptions = {}): Promise<Uint8Array | null> {
      const sql = `SELECT hex(body) FROM evidence FINAL WHERE ${ofCheck} AND startedAt = {startedAt:Int64} AND resultId = {resultId:String}`
      const [row] = await connection.rows({ sql, params: { ...check, startedAt, resultId: id }, settings }, signal)
      return row ? new Uint8Array(Buffer.from(String(row[0]), 'hex')) : null
    },
  }
}

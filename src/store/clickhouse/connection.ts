import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { createAddresses } from './addresses.ts'
import { connectingAgent } from './connect-deadline.ts'
import { endingBy } from './ending-by.ts'
import { type ColumnBlock, decodeNative } from './native.ts'
import { explainFailure, isCutOff, isLostConnection, isQueued, isSilent } from './server-errors.ts'

/** A statement with bound values: its text depends only on the shape of a question. */
export type Statement = { readonly sql: string; readonly params?: StatementParams; readonly settings?: StatementSettings }
export type StatementParams = Readonly<Record<string, string | number | readonly string[] | readonly number[]>>
export type StatementSettings = Readonly<Record<string, string | number>>

export type Connection = {
  columns(statement: Statement, signal?: AbortSignal): Promise<ColumnBlock>
  /** For small answers. Parameters may be long lists. */
  rows(statement: Statement, signal?: AbortSignal): Promise<readonly (readonly unknown[])[]>
  /** Inserts rows in the RowBinary format; resolves once they are durable. */
  insert(into: string, rows: Uint8Array, settings?: StatementSettings): Promise<void>
  /** Defines or alters tables, or deletes rows. */
  command(sql: string, params?: StatementParams): Promise<void>
  /** DDL for all servers of a cluster. True once all have run it; false if some have not within `waitSeconds`: they run it later. */
  define(sql: string, waitSeconds: number): Promise<boolean>
  /** Deletes rows, now or later: waits only for the server that is asked. */
  submit(sql: string): Promise<void>
  close(): Promise<void>
}

export type ServerConnectionOptions = {
  readonly url: string
  /** Other servers of the same cluster. */
  readonly otherUrls?: readonly string[]
  /** Null for the user's default database. */
  readonly database: string | null
  readonly username: string
  readonly password: string
  readonly ca: Uint8Array | null
  readonly log: (problem: unknown) => void
  readonly questionSettings?: StatementSettings
  readonly insertSettings?: StatementSettings
  /** Idle timeout: how long the server may send nothing. */
  readonly silenceMs?: number
  readonly connectMs?: number
  readonly onStatement?: (sql: string) => void
}

const questionLimits = {
  max_execution_time: 30,
  max_memory_usage: String(4 * 2 ** 30),
  max_rows_to_read: '1000000000',
  max_result_rows: '20000000',
  result_overflow_mode: 'throw',
  // Rows with the same key have the same start, so they are in the same month: FINAL can skip each month that is merged into one part.
  do_not_merge_across_partitions_select_final: 1,
} as const

/** For maintenance statements, which may read a whole table and take long. */
export const unlimited: StatementSettings = { max_rows_to_read: '0', max_execution_time: 0 }

/** Queues a statement for the servers of a cluster, and deletes rows in the background, instead of waiting. */
const unawaited = { distributed_ddl_task_timeout: '0', mutations_sync: '0' } as const
/** Since version 24.4 a `DELETE` has its own setting for waiting on all replicas; older versions refuse it. */
const unawaitedDelete = { lightweight_deletes_sync: '0' } as const
const findDeleteSetting = "SELECT name FROM system.settings WHERE name = 'lightweight_deletes_sync'"

/**
 * The status of an answer must show whether it is complete, and a question ends when its client disconnects. While the server works, it
 * sends progress headers, which show that it is alive.
 */
const answerSettings = {
  wait_end_of_query: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '5000',
} as const

/** Idle timeout. Like the deadlines of questions and inserts, it is below the minute after which proxies usually give up. */
const defaultSilenceMs = 20_000
/** Total time per statement, including a second try. */
const deadlinesMs = { question: 45_000, insert: 30_000, command: 180_000, unlimited: 3_600_000 } as const
const maxConnections = 16
/** Far below the idle timeout, since accepting a connection needs no computation. */
const defaultConnectMs = 5000
/** One progress header of a few hundred bytes every 5 s, for as long as a statement may take; Node's default limit is 16 KiB. */
const maxHeaderBytes = 2 ** 20

/** Clients of one server; `patient` is for statements during which the server sends nothing. */
type Address = { readonly client: ClickHouseClient; readonly patient: ClickHouseClient }
type Sent = { readonly sql: string; readonly deadlineMs: number; readonly signal?: AbortSignal }

/** Whether to skip this server for a while. */
const isGone = (error: unknown) => isLostConnection(error) || isSilent(error)

export async function openConnection(options: ServerConnectionOptions): Promise<Connection> {
  const { url, otherUrls = [], database, username, password, ca, log, questionSettings = {}, insertSettings = {} } = options
  const { onStatement = () => {}, silenceMs = defaultSilenceMs, connectMs = defaultConnectMs } = options
  const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client')
  const clientOf = (url: string, silentForMs = silenceMs): ClickHouseClient =>
    createClient({
      url,
      username,
      password,
      request_timeout: silentForMs,
      max_open_connections: maxConnections,
      max_response_headers_size: maxHeaderBytes,
      http_agent: connectingAgent(url, { maxSockets: maxConnections, ca, connectMs }),
      application: 'tidemark',
      log: { level: ClickHouseLogLevel.OFF },
      ...(database !== null && { database }),
    })
  const addressOf = (url: string): Address => ({ client: clientOf(url), patient: clientOf(url, deadlinesMs.command) })
  const all: readonly [Address, ...Address[]] = [addressOf(url), ...otherUrls.map(addressOf)]
  const addresses = createAddresses(all)

  /**
   * Sends to one server. After a lost connection it tries another one, or the same again; after a timeout, or if the server is cut off from
   * its cluster, only another one.
   */
  async function sendTo<T>(work: (address: Address) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const observed = async (address: Address): Promise<T> => {
      try {
        const answer = await work(address)
        addresses.answered(address)
        return answer
      } catch (error) {
        if (!signal?.aborted && !isCutOff(error)) addresses[isGone(error) ? 'failed' : 'answered'](address)
        throw error
      }
    }
    const first = addresses.choose()
    return observed(first).catch(async (error) => {
      const isLost = isLostConnection(error)
      const mayOtherDoIt = (isSilent(error) || isCutOff(error)) && addresses.hasOther(first)
      if (signal?.aborted || !(isLost || mayOtherDoIt)) throw error
      const second = addresses.choose()
      const answer = await observed(second)
      // A cut-off server counts as failed only if another one answers. If none can, a shard is at fault, and servers of other shards must
      // not be skipped.
      if (isCutOff(error) && second !== first) addresses.failed(first)
      return answer
    })
  }

  /** Every statement may be sent twice: questions change nothing, and repeated rows count once. */
  const send = async <T>({ sql, deadlineMs, signal }: Sent, work: (address: Address) => Promise<T>): Promise<T> => {
    onStatement(sql)
    try {
      signal?.throwIfAborted()
      return await endingBy(deadlineMs, sendTo(work, signal))
    } catch (error) {
      signal?.throwIfAborted()
      throw explainFailure(error, log)
    }
  }
  const question = ({ sql, settings }: Statement, signal?: AbortSignal): Sent => {
    const deadlineMs = settings?.max_execution_time === 0 ? deadlinesMs.unlimited : deadlinesMs.question
    return { sql, deadlineMs, ...(signal && { signal }) }
  }
  const asked = ({ params, settings }: Statement, signal?: AbortSignal) => ({
    query_params: { ...params },
    clickhouse_settings: { ...questionLimits, ...answerSettings, ...questionSettings, ...settings },
    ...(signal && { abort_signal: signal }),
  })
  return {
    columns: (statement, signal) =>
      send(question(statement, signal), async ({ client }) => {
        const { stream } = await client.exec({ query: `${statement.sql} FORMAT Native`, ...asked(statement, signal) })
        return decodeNative(await buffer(stream))
      }),
    rows: (statement, signal) =>
      send(question(statement, signal), async ({ client }) => {
        const options = { ...asked(statement, signal), use_multipart_params_auto: true, format: 'JSONCompact' } as const
        const answer = await client.query({ query: statement.sql, ...options })
        return (await answer.json<readonly unknown[]>()).data
      }),
    insert: (into, rows, settings) =>
      send({ sql: into, deadlineMs: deadlinesMs.insert }, async ({ client }) => {
        const query = `INSERT INTO ${into} FORMAT RowBinary`
        const values = Readable.from([rows], { objectMode: false })
        const { stream } = await client.exec({ query, values, clickhouse_settings: { async_insert: 0, ...insertSettings, ...settings } })
        await buffer(stream)
      }),
    command: (sql, params) =>
      send({ sql, deadlineMs: deadlinesMs.command }, async ({ patient }) => {
        await patient.command({ query: sql, query_params: { ...params }, clickhouse_settings: { wait_end_of_query: 1 } })
      }),
    define: (sql, waitSeconds) =>
      send({ sql, deadlineMs: deadlinesMs.command }, async ({ patient }) => {
        const clickhouse_settings = { wait_end_of_query: 1, distributed_ddl_task_timeout: String(waitSeconds) } as const
        return patient.command({ query: sql, clickhouse_settings }).then(
          () => true,
          (error) => {
            if (!isQueued(error)) throw error
            return false
          },
        )
      }),
    submit: (sql) =>
      send({ sql, deadlineMs: deadlinesMs.insert }, async ({ client }) => {
        const known = await client.query({ query: findDeleteSetting, format: 'JSONCompact' })
        const isKnown = (await known.json<readonly unknown[]>()).data.length > 0
        const clickhouse_settings = { wait_end_of_query: 1, ...unawaited, ...(isKnown && unawaitedDelete) } as const
        await client.command({ query: sql, clickhouse_settings }).catch((error) => {
          if (!isQueued(error)) throw error
        })
      }),
    async close() {
      await Promise.all(all.flatMap(({ client, patient }) => [client.close(), patient.close()]))
    },
  }
}

import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { type ColumnBlock, decodeNative } from './native.ts'
import { explainFailure, isLostConnection } from './server-errors.ts'

/** A statement whose values are bound: its text depends on the shape of a question alone. */
export type Statement = { readonly sql: string; readonly params?: StatementParams; readonly settings?: StatementSettings }
export type StatementParams = Readonly<Record<string, string | number | readonly string[] | readonly number[]>>
export type StatementSettings = Readonly<Record<string, string | number>>

export type Connection = {
  /** An answer as columns. */
  columns(statement: Statement, signal?: AbortSignal): Promise<ColumnBlock>
  /** An answer as rows, for small ones; parameters may be long lists. */
  rows(statement: Statement, signal?: AbortSignal): Promise<readonly (readonly unknown[])[]>
  /** Inserts rows in the format RowBinary; resolves once they are durable. */
  insert(into: string, rows: Uint8Array, settings?: StatementSettings): Promise<void>
  /** Defines or alters tables, or deletes rows. */
  command(sql: string, params?: StatementParams): Promise<void>
  close(): Promise<void>
}

export type ServerConnectionOptions = {
  readonly url: string
  /** Null for the user's default one. */
  readonly database: string | null
  readonly username: string
  readonly password: string
  readonly ca: Uint8Array | null
  readonly log: (problem: unknown) => void
  readonly questionSettings?: StatementSettings
  readonly insertSettings?: StatementSettings
  /** Called with the text of each statement. */
  readonly onStatement?: (sql: string) => void
}

/** What a question may use of the server. */
const questionLimits = {
  max_execution_time: 30,
  max_memory_usage: String(4 * 2 ** 30),
  max_rows_to_read: '1000000000',
  max_result_rows: '20000000',
  result_overflow_mode: 'throw',
} as const

/** The status of an answer must show whether it is whole, and a question ends with the client that asked it. */
const answerSettings = { wait_end_of_query: 1, cancel_http_readonly_queries_on_client_close: 1 } as const

const requestTimeoutMs = 60_000
const maxConnections = 16

export async function openConnection(options: ServerConnectionOptions): Promise<Connection> {
  const { url, database, username, password, ca, log, questionSettings = {}, insertSettings = {}, onStatement = () => {} } = options
  const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client')
  const client: ClickHouseClient = createClient({
    url,
    username,
    password,
    request_timeout: requestTimeoutMs,
    max_open_connections: maxConnections,
    application: 'tidemark',
    log: { level: ClickHouseLogLevel.OFF },
    ...(database !== null && { database }),
    ...(ca && { tls: { ca_cert: Buffer.from(ca) } }),
  })
  /** Every statement may be sent twice: questions change nothing, and rows that are inserted again count once. */
  const send = async <T>(sql: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    onStatement(sql)
    try {
      signal?.throwIfAborted()
      return await work().catch((error) => {
        if (signal?.aborted || !isLostConnection(error)) throw error
        return work()
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw explainFailure(error, log)
    }
  }
  const asked = ({ params, settings }: Statement, signal?: AbortSignal) => ({
    query_params: { ...params },
    clickhouse_settings: { ...questionLimits, ...answerSettings, ...questionSettings, ...settings },
    ...(signal && { abort_signal: signal }),
  })
  return {
    columns: (statement, signal) =>
      send(
        statement.sql,
        async () => {
          const { stream } = await client.exec({ query: `${statement.sql} FORMAT Native`, ...asked(statement, signal) })
          return decodeNative(await buffer(stream))
        },
        signal,
      ),
    rows: (statement, signal) =>
      send(
        statement.sql,
        async () => {
          const options = { ...asked(statement, signal), use_multipart_params_auto: true, format: 'JSONCompact' } as const
          const answer = await client.query({ query: statement.sql, ...options })
          return (await answer.json<readonly unknown[]>()).data
        },
        signal,
      ),
    insert: (into, rows, settings) =>
      send(into, async () => {
        const query = `INSERT INTO ${into} FORMAT RowBinary`
        const values = Readable.from([rows], { objectMode: false })
        const { stream } = await client.exec({ query, values, clickhouse_settings: { async_insert: 0, ...insertSettings, ...settings } })
        await buffer(stream)
      }),
    command: (sql, params) =>
      send(sql, async () => {
        await client.command({ query: sql, query_params: { ...params }, clickhouse_settings: { wait_end_of_query: 1 } })
      }),
    close: () => client.close(),
  }
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, gunzipSync } from 'node:zlib'
import { createSemaphore, type Semaphore } from '../../../src/concurrency/semaphore.ts'
import { intoLocal, isExpected, isReplicated, type OldServer, onOneReplica, toOldSetting, toOldSql } from './old-dialect.ts'
import { expandParameters } from './parameters.ts'

export type Front = { readonly url: string; close(): Promise<void> }

/** Parameters of the HTTP interface itself, as opposed to settings. */
const interfaceParameters = new Set([
  'query_id',
  'database',
  'session_id',
  'session_timeout',
  'user',
  'password',
  'default_format',
  'compress',
])

export type Behind = OldServer & {
  readonly target: string
  /**
   * One permit per shard, shared by all fronts of a cluster: old servers reject a write while another one waits for its quorum, newer
   * ones do not.
   */
  readonly quorumWrites: QuorumWrites
  /** One server of each other shard of the cluster. */
  readonly otherShards: readonly string[]
  /** All other servers of the cluster. */
  readonly others: readonly string[]
  /**
   * Whether an insert with a deduplication token succeeded, by database and token. Shared by all fronts of a cluster, since old servers
   * have no tokens.
   */
  readonly tokens: Map<string, Promise<boolean>>
  /** One server of each shard, by shard number. */
  readonly shards: ReadonlyMap<number, string>
}

/** The permit to write to a shard, by shard number; 0 is for tables that every server holds whole. */
export type QuorumWrites = (shard: number) => Semaphore

export function createQuorumWrites(): QuorumWrites {
  const byShard = new Map<number, Semaphore>()
  return (shard) => {
    const writes = byShard.get(shard) ?? createSemaphore(1)
    byShard.set(shard, writes)
    return writes
  }
}

/** Lets today's client use an old server: expands bound parameters and translates statements, settings and errors. */
export async function startFront(behind: Behind): Promise<Front> {
  const server = createServer((request, response) => {
    forward(request, response, behind).catch((error: Error) => refuse(response, 400, `Code: 36. DB::Exception: ${error.message}`))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
  }
}

type Statement = { readonly sql: string; readonly parameters: ReadonlyMap<string, string>; readonly hasData: boolean }

async function forward(request: IncomingMessage, response: ServerResponse, behind: Behind): Promise<void> {
  const { target } = behind
  const url = new URL(request.url ?? '/', target)
  if (url.pathname === '/ping') return send(request, response, { url, sql: '', body: null })
  const { sql, parameters, hasData } = await statementOf(request, url)
  const oldSql = toOldSql(expandParameters(sql, parameters), behind)
  const text = onOneReplica(oldSql)
  if (text !== oldSql)
    await Promise.all((isReplicated(text) ? behind.otherShards : behind.others).map((server) => alter(server, { sql, text })))
  const query = settingsOf(url, behind)
  const shardNumber = Number(url.searchParams.get('insert_shard_id'))
  const shard = behind.shards.get(shardNumber)
  if (hasData) query.set('query', shard === undefined ? text : intoLocal(text))
  if (/^\s*TRUNCATE\b/i.test(sql)) behind.tokens.clear()
  const token = url.searchParams.get('insert_deduplication_token')
  if (token !== null && !(await isFirst(response, behind.tokens, `${url.searchParams.get('database')} ${token}`))) {
    request.resume()
    return void response.end()
  }
  if (Number(query.get('insert_quorum')) > 1 && !(await turnOf(response, behind.quorumWrites(shardNumber)))) return
  endWithClient(response, shard ?? target, query.get('query_id'))
  send(request, response, { url: new URL(`/?${query}`, shard ?? target), sql, body: hasData ? null : text })
}

/** Whether no insert with this token has succeeded; the next one waits for the outcome of this one. */
async function isFirst(response: ServerResponse, tokens: Behind['tokens'], key: string): Promise<boolean> {
  for (let earlier = tokens.get(key); earlier; earlier = tokens.get(key)) {
    if (await earlier) return false
    if (tokens.get(key) === earlier) tokens.delete(key)
  }
  const done = once(response, 'close').then(() => response.writableFinished && response.statusCode === 200)
  tokens.set(key, done)
  return true
}

/** Skips a server that is down. */
async function alter(server: string, { sql, text }: { readonly sql: string; readonly text: string }): Promise<void> {
  const answer = await fetch(server, { method: 'POST', body: text }).catch(() => null)
  if (!answer) return
  const problem = await answer.text()
  if (!answer.ok && !isExpected(sql, problem)) throw new Error(problem)
}

/** Waits for the permit and holds it until the response has ended; false if the client disconnects before. */
async function turnOf(response: ServerResponse, writes: Semaphore): Promise<boolean> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const release = await writes.acquire(gone.signal)
  if (release === undefined) return false
  if (response.destroyed) release()
  else response.once('close', release)
  return true
}

/** The statement is in the URL and its data in the body, or the body is the statement, alone or in a form with its parameters. */
async function statementOf(request: IncomingMessage, url: URL): Promise<Statement> {
  const parameters = new Map<string, string>()
  const collect = (name: string, value: string) => {
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value)
  }
  url.searchParams.forEach((value, name) => {
    collect(name, value)
  })
  const inUrl = url.searchParams.get('query')
  if (inUrl !== null) return { sql: inUrl, parameters, hasData: true }
  const body = await buffer(bodyOf(request))
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return { sql: body.toString(), parameters, hasData: false }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  for (const [name, value] of form) collect(name, String(value))
  return { sql: String(form.get('query')), parameters, hasData: false }
}

function settingsOf(url: URL, old: OldServer): URLSearchParams {
  const known = [...url.searchParams].flatMap(([name, value]): [string, string][] => {
    if (interfaceParameters.has(name)) return [[name, value]]
    const setting = toOldSetting(name, value, old)
    return setting === null ? [] : [setting]
  })
  return new URLSearchParams(known)
}

function bodyOf(request: IncomingMessage): Readable {
  return request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
}

type Outgoing = { readonly url: URL; readonly sql: string; readonly body: string | null }

/** Forwards the request, with `body` instead of its own unless that is null. If the server is gone, drops the client's connection, too. */
function send(request: IncomingMessage, response: ServerResponse, { url, sql, body }: Outgoing): void {
  const headers = without(request.headers, ['host', 'connection', 'content-length', 'content-type', 'content-encoding'])
  const upstream = requestHttp(url, { method: request.method, headers, agent: false }, (answer) => {
    answer.on('error', () => response.destroy())
    if ((answer.statusCode ?? 500) >= 400) return void refuseAs(answer, response, sql)
    response.writeHead(answer.statusCode ?? 200, without(answer.headers, ['connection', 'keep-alive', 'transfer-encoding']))
    answer.pipe(response)
  })
  upstream.on('error', () => request.socket.destroy())
  if (body === null) bodyOf(request).pipe(upstream)
  else upstream.end(body)
}

function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

/** Translates errors of old servers into today's form: `Code: 62. DB::Exception: … (CODE_62)`. */
async function refuseAs(answer: IncomingMessage, response: ServerResponse, sql: string): Promise<void> {
  const body = await buffer(answer).catch(() => null)
  if (body === null) return void response.destroy()
  const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
  const [, code = '1001', message = text] = /Code: (\d+), e\.displayText\(\) = ([\s\S]*), e\.what\(\) = /.exec(text) ?? []
  if (isExpected(sql, text)) response.end()
  else refuse(response, answer.statusCode ?? 500, `Code: ${code}. ${message}`)
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  const code = /^Code: (\d+)/.exec(text)?.[1] ?? '1001'
  response.writeHead(status, { 'content-type': 'text/plain; charset=UTF-8', 'x-clickhouse-exception-code': code })
  response.end(`${text}. (CODE_${code}) (version 18.16.1)\n`)
}

/** Newer servers cancel a query when its client disconnects. */
function endWithClient(response: ServerResponse, target: string, queryId: string | null): void {
  response.once('close', () => {
    if (response.writableFinished || queryId === null || !/^[\w-]+$/.test(queryId)) return
    const kill = requestHttp(new URL('/', target), { method: 'POST', agent: false }, (answer) => answer.resume())
    kill.on('error', () => {})
    kill.end(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`)
  })
}

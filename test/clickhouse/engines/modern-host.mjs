import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'

/**
 * Runs a current ClickHouse as a library in this process, behind as much of ClickHouse's HTTP interface as its client uses. Prints its
 * address once it answers.
 *
 * Usage: node modern-host.mjs FOLDER_OF_DEPENDENCIES DATA_FOLDER [ARGUMENT…]
 */
const [dependencies, folder, ...engineArguments] = process.argv.slice(2)
const { Session } = createRequire(join(dependencies, 'index.js'))('chdb')

/** Keeps the engine open between requests. */
const engine = open([])

/** Parameters of the HTTP interface itself, as opposed to settings. */
const interfaceParameters = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'role',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'wait_end_of_query',
  'cancel_http_readonly_queries_on_client_close',
])

/** Serves one request at a time: the library has one engine, and settings of one session must not affect another. */
let turn = Promise.resolve()
const server = createServer((request, response) => {
  keepAlive(response)
  turn = turn.then(() => answer(request, response)).catch((error) => refuse(response, error))
})
server.listen(0, '127.0.0.1', async () => {
  await engine.queryAsync('SELECT 1')
  console.log(`http://127.0.0.1:${server.address().port}`)
})

/** Clients time out after a minute of silence. Under emulation, a statement may take longer, or wait that long for its turn. */
function keepAlive(response) {
  const timer = setInterval(() => response.headersSent || response.writeProcessing(), 5000)
  response.once('close', () => clearInterval(timer))
}

function open(settings) {
  return new Session(join(folder, 'data'), { connectionArgs: [...engineArguments, ...settings] })
}

/** LRU cache of sessions by settings and database, so that nothing of one request leaks into another. */
const sessions = new Map()
const maxSessions = 20

async function sessionOf(settings, database) {
  const key = JSON.stringify([settings, database])
  const session = sessions.get(key) ?? (await sessionIn(database, settings))
  sessions.delete(key)
  sessions.set(key, session)
  const [oldest] = sessions.values()
  if (sessions.size > maxSessions) close(oldest)
  return session
}

function close(session) {
  for (const [key, other] of sessions) if (other === session) sessions.delete(key)
  session.cleanup()
}

async function sessionIn(database, settings) {
  const session = open(settings)
  if (database) await session.queryAsync(`USE ${database}`)
  return session
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://engine')
  if (url.pathname === '/ping') return response.end('Ok.\n')
  const statement = await statementOf(request, url)
  if (response.destroyed) return
  const session = await sessionOf(settingsOf(url), url.searchParams.get('database'))
  const { sql, format } = splitFormat(forOneEngine(statement.sql))
  const result = await (statement.data
    ? insert(session, sql, format, statement.data)
    : session.queryBindAsync(sql, statement.parameters, { format })
  ).catch((error) => {
    // Rows of a failed statement may show up in the next one of its session.
    close(session)
    throw error
  })
  response.setHeader('x-clickhouse-query-id', url.searchParams.get('query_id') ?? '')
  response.end(Buffer.from(result.bytes()))
}

/** The statement is in the URL and its data in the body, or the body is the statement, alone or in a form with its parameters. */
async function statementOf(request, url) {
  const body = await buffer(request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request)
  const type = request.headers['content-type'] ?? ''
  const form = type.startsWith('multipart/form-data') ? await new Response(body, { headers: { 'content-type': type } }).formData() : null
  const inUrl = url.searchParams.get('query')
  const sql = inUrl ?? (form ? String(form.get('query')) : body.toString())
  return { sql, parameters: parametersOf(sql, [...url.searchParams, ...(form ?? [])]), data: inUrl === null ? null : body }
}

function parametersOf(sql, given) {
  const bound = given.flatMap(([key, text]) => {
    const name = /^param_(\w+)$/.exec(key)?.[1]
    if (name === undefined) return []
    return [[name, new RegExp(`\\{${name}\\s*:\\s*Array`).test(sql) ? elementsOf(text) : boundValue(text)]]
  })
  return Object.fromEntries(bound)
}

function elementsOf(array) {
  const elements = array.slice(1, -1).match(/'(?:[^'\\]|\\.)*'|[^\s,]+/gs) ?? []
  return elements.map((element) => (element.startsWith("'") ? boundValue(element.slice(1, -1)) : Number(element)))
}

const escapes = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' }

/** Undoes the client's escapes, since the library escapes values itself. */
function boundValue(text) {
  return text === '\\N' ? null : text.replaceAll(/\\(.)/gs, (_, character) => escapes[character] ?? character)
}

/** The engine's arguments override settings of a request. */
function settingsOf(url) {
  const isSetting = (name) => !interfaceParameters.has(name) && !name.startsWith('param_')
  const isFixed = (name) => engineArguments.some((argument) => argument.startsWith(`--${name}=`))
  const settings = [...url.searchParams].filter(([name]) => isSetting(name) && !isFixed(name))
  return settings.map(([name, value]) => `--${name}=${value}`)
}

/** The library has no Keeper, so tables are not replicated and are created in this engine only. */
function forOneEngine(sql) {
  if (!/^\s*(CREATE|ALTER|DROP|DELETE)\s/i.test(sql)) return sql
  return sql.replace(/ ON CLUSTER \w+/, '').replace(/\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, '$1(')
}

/** The library takes the format as an argument; the client writes it at the end of the statement. */
function splitFormat(sql) {
  const found = /\sFORMAT\s+(\w+)\s*;?\s*$/i.exec(sql)
  return found ? { sql: sql.slice(0, found.index), format: found[1] } : { sql, format: 'TabSeparated' }
}

/** Goes through a file, since the data may be binary. */
async function insert(session, sql, format, data) {
  const file = join(folder, randomUUID())
  writeFileSync(file, data)
  try {
    return await session.queryAsync(`${sql} FROM INFILE '${file}' FORMAT ${format}`)
  } finally {
    rmSync(file)
  }
}

const notFound = ['46', '47', '60', '81']

function refuse(response, error) {
  if (response.headersSent || response.destroyed) return response.destroy()
  const code = /Code: (\d+)/.exec(error.message)?.[1]
  response.writeHead(code === undefined ? 500 : notFound.includes(code) ? 404 : 400, { 'x-clickhouse-exception-code': code ?? '1001' })
  response.end(code === undefined ? `Code: 1001. DB::Exception: ${error.message} (STD_EXCEPTION)` : error.message)
}

import { QueryTooLarge, StoreUnavailable } from '../store.ts'

/** The database cannot be used as it is; the message says why and what to do. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/** `Retry-After` for refused callers. */
export const retryAfterSeconds = 5

/** Error codes of the server, by meaning. */
const codes = {
  tooLarge: new Set(['158', '307', '396']),
  memory: '241',
  unknownTable: '60',
  unknownDatabase: '81',
  columnExists: '44',
  noRights: new Set(['164', '497']),
  wrongPassword: new Set(['192', '193', '194', '516']),
  diskFull: '243',
  timeout: '159',
  noKeeper: new Set(['225', '242', '999']),
  noReplica: '279',
  behindQuorum: '289',
} as const

/** Errors that an operator can act on. */
const meanings: readonly (readonly [codes: Iterable<string>, words: string])[] = [
  [codes.wrongPassword, 'it rejected this user or password'],
  [codes.noRights, 'the user has insufficient privileges'],
  [[codes.memory], 'it is out of memory'],
  [[codes.timeout], 'a statement took too long'],
  [[codes.unknownDatabase], 'the database is missing'],
  [[codes.unknownTable], 'a table is missing'],
  [['16', '47'], 'a table has been altered'],
  [[codes.diskFull], 'its disk is full'],
  [codes.noKeeper, 'it has lost ClickHouse Keeper or ZooKeeper'],
  [['285', '286', '319'], 'too few replicas for a quorum'],
  [[codes.noReplica], 'no replica of a shard is reachable'],
  [[codes.behindQuorum], 'it is behind a quorum of its replicas'],
  [['209', '210', '32'], 'another server of the cluster does not respond'],
  [['252'], 'it cannot merge as fast as results arrive, or gets too many months at once'],
  [['115'], 'it is too old for a setting'],
]
const meaningByCode = new Map(meanings.flatMap(([codes, words]) => Array.from(codes, (code) => [code, words] as const)))

const publicCodes = new Set(['32', '159', '209', '210', '225', '241', '242', '252', '279', '285', '286', '289', '319', '999'])

/** The server's error code; null if the error did not come from the server. */
function serverCode(error: unknown): string | null {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9]+$/.test(code) ? code : null
}

/** A statement for a cluster reports a timeout if some servers have not run it in time; it stays queued for them. */
export const isQueued = (error: unknown) => serverCode(error) === codes.timeout

/** Codes of a server that cannot do what others of its cluster may still do. */
const cutOff = new Set([...codes.noKeeper, codes.noReplica, codes.behindQuorum])

/** Whether the server is cut off from its cluster, so that another one may be tried. */
export const isCutOff = (error: unknown) => cutOff.has(serverCode(error) ?? '')

/** A statement failed while servers of the cluster had yet to run an earlier one. They catch up in turn, so a start may be retried. */
export class LateServers extends Error {
  override readonly name = 'LateServers'
}

/** A statement was not answered in time. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer'
}

/** Whether the server did not answer in time; the client's own timeout has no code. */
export const isSilent = (error: unknown) =>
  error instanceof SilentServer || /^Timeout error\b/.test(wordsOf(error)) || codeOf(error) === unconnected

export const isColumnExists = (error: unknown) => serverCode(causeOf(error)) === codes.columnExists

/** Connecting took too long. */
const unconnected = 'ETIMEDOUT'
/** The host name cannot be resolved, or not now. */
const unnamed = new Set(['ENOTFOUND', 'EAI_AGAIN'])
const unreachable = ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']
const lostConnection = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', ...unreachable, ...unnamed])

/** Whether the connection broke or could not be opened, so that another one may be tried. */
export function isLostConnection(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return lostConnection.has(String(code)) || /socket hang up|other side closed/.test(String(message))
}

/** The error that callers get; the server's own message goes only to the log. */
export function explainFailure(error: unknown, log: (problem: unknown) => void): Error {
  const code = serverCode(error)
  if (code !== null && codes.tooLarge.has(code))
    return new QueryTooLarge('it would read more results than the store allows', { cause: error })
  if (code === codes.memory && !isOutOfMemory(error))
    return new QueryTooLarge('it would need more database memory than a query may use', { cause: error })
  log(`ClickHouse failed (${code ?? codeOf(error)})${meaningOf(error)}: ${wordsOf(error)}`)
  const publicReason = publicReasonOf(error)
  return new StoreUnavailable('The results database is unavailable.', retryAfterSeconds, { cause: error, publicReason })
}

/** What every caller may know: the state of the cluster, and nothing about its users. */
function publicReasonOf(error: unknown): string | null {
  if (isDiskFull(error)) return 'Tidemark cannot store results: the disk of its database is full.'
  if (isSilent(error)) return 'The results database does not answer in time.'
  if (isLostConnection(error)) return 'The results database cannot be reached.'
  const words = publicCodes.has(serverCode(error) ?? '') ? meaningByCode.get(serverCode(error) ?? '') : undefined
  return words ? `The results database cannot do this now: ${words}.` : null
}

/** Whether the server as a whole is out of memory, not just one statement. */
const isOutOfMemory = (error: unknown) => /\(total\)/.test(wordsOf(error))

/** Why a server cannot be used, for the operator who starts Tidemark. */
export function startFailure(error: unknown, { url, database }: { readonly url: string; readonly database: string }): Error {
  if (error instanceof LateServers) return startFailure(error.cause, { url, database })
  const cause = causeOf(error)
  const code = serverCode(cause)
  const server = withoutPassword(url)
  if (code === null && unnamed.has(codeOf(cause)))
    return new DatabaseError(`Unknown host in ${server} (${codeOf(cause)}). Check the URL of ClickHouse.`)
  if (code === null && (isLostConnection(cause) || codeOf(cause) === unconnected))
    return new DatabaseError(`ClickHouse does not respond at ${server} (${codeOf(cause)}). Check its URL.`)
  if (code === null && isSilent(cause)) return new DatabaseError(`ClickHouse at ${server} accepts connections but does not respond.`)
  if (code === null && untrusted.test(codeOf(cause)))
    return new DatabaseError(
      `The certificate of ClickHouse at ${server} is not trusted (${codeOf(cause)}). Set its CA: tls: { caFile: … }.`,
    )
  if (code === null && /wrong version number|EPROTO/.test(`${codeOf(cause)} ${wordsOf(cause)}`))
    return new DatabaseError(`The server at ${server} does not support TLS. Use http://, or the port for https.`)
  if (code === null && !(error instanceof StoreUnavailable)) return error instanceof Error ? error : new Error(String(error))
  if (codes.wrongPassword.has(code ?? ''))
    return new DatabaseError(`ClickHouse at ${server} rejected this user or password (code ${code}).`)
  if (codes.noRights.has(code ?? ''))
    return new DatabaseError(
      `The user of ClickHouse at ${server} has insufficient privileges in the database ${database} (code ${code}): ${wordsOf(cause)}`,
    )
  if (code !== null && tooOld.has(code))
    return new DatabaseError(
      `ClickHouse at ${server} does not support a Tidemark statement (code ${code}), so it may be older than version 24: ${wordsOf(cause)}`,
    )
  if (code === codes.unknownDatabase) return new DatabaseError(`ClickHouse at ${server} has no database ${database} (code ${code}).`)
  if (isDiskFull(cause)) return new DatabaseError(`The disk of ClickHouse at ${server} is full (code ${code}).`)
  if (code === null) return new DatabaseError(`The server at ${server} is not ClickHouse, or the URL is wrong: ${wordsOf(cause)}`)
  return new DatabaseError(`ClickHouse at ${server} cannot be used (code ${code}): ${wordsOf(cause)}`)
}

const untrusted = /SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT_ALTNAME_INVALID/
/** Unknown settings, functions, codecs, engines and syntax. */
const tooOld = new Set(['46', '50', '56', '62', '115', '432'])

/** Whether the server, or the rest of its cluster, may be available shortly. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof LateServers) return true
  const cause = causeOf(error)
  return isCutOff(cause) || (serverCode(cause) === null && (isLostConnection(cause) || isSilent(cause)))
}

/** What the error means, for the log; empty if unknown. */
function meaningOf(error: unknown): string {
  if (isSilent(error)) return ', it does not answer in time'
  const words = meaningByCode.get(isDiskFull(error) ? codes.diskFull : (serverCode(error) ?? ''))
  return words ? `, ${words}` : ''
}

/** A full disk shows up as many errors, most of which pass on the message of the operating system. */
function isDiskFull(error: unknown): boolean {
  return serverCode(error) === codes.diskFull || /No space left on device/.test(wordsOf(error))
}

const causeOf = (error: unknown): unknown => (error instanceof StoreUnavailable ? error.cause : error)

const codeOf = (error: unknown) => String((error as { readonly code?: unknown }).code ?? 'no code')

/** The first line of the server's message. */
function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 500) ?? ''
}

/** The origin of a URL. */
export function withoutPassword(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  return url ? `${url.protocol}//${url.host}` : text
}

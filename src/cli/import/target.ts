import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { openCatalogue, readConfig } from '../../catalogue/open.ts'
import { backoffMs } from '../../concurrency/backoff.ts'
import { createCardinality } from '../../ingest/cardinality.ts'
import { ingest, type Outcome } from '../../ingest/ingest.ts'
import type { RejectedRow } from '../../ingest/read-rows.ts'
import type { IncomingRow } from '../../ingest/rows.ts'
import { createManagedChecks } from '../../managed/managed-checks.ts'
import { CommandFailure, type Context } from '../context.ts'
import { openDataFolder } from '../data-folder.ts'
import { busyPauseMs, busyText, maxPauseMs, maxTries } from '../remote/busy-server.ts'
import { certificateAdvice } from '../remote/certificate-advice.ts'
import { callServer, errorReply, type Remote, remoteOf } from '../remote/remote.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { openVault } from '../secret-key.ts'

/** Either a data folder with its config file, or a server. */
export type TargetOptions = {
  readonly config: string
  readonly data: string
  readonly url?: string
  readonly key?: string
  readonly account?: string
}

export type ImportTarget = { put(rows: readonly IncomingRow[]): Promise<Outcome>; close(): Promise<void> }

export async function openTarget(context: Context, options: TargetOptions): Promise<ImportTarget> {
  return options.url === undefined ? openFolder(context, options) : openServer(remoteOf(options.url, options), context)
}

async function openFolder(context: Context, { config: file, data, account }: TargetOptions): Promise<ImportTarget> {
  const { env, now, settings, stderr } = context
  const { accounts } = await readConfig(file, env)
  const owner = resolveAccount(accounts, account)
  const vault = await openVault(settings)
  const store = await openDataFolder(data, { clock: now })
  const closers = [() => store.close()]
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
  }
  const { documents, recordDefinitions } = store
  const silent = { info: () => {}, error: () => {} }
  const log = { error: (message: string) => void stderr.write(`${message}\n`) }
  const openChecks = async () => {
    const opened = await openCatalogue({ file, env, now, log: silent, recordDefinitions })
    closers.push(opened.close)
    const managed = await createManagedChecks({ documents, opened, env, vault, now, log, recordDefinitions })
    closers.push(managed.close)
    return opened.catalogue
  }
  const catalogue = await openChecks().catch(async (error) => {
    await close()
    throw error
  })
  const cardinality = createCardinality({ store, limits: () => catalogue.service().limits })
  return {
    put: (rows) => ingest(owner, rows, { catalogue, store, cardinality, now: now() }),
    close,
  }
}

const compress = promisify(gzip)
const maxBodyLength = 2_000_000

function openServer(remote: Remote, { stderr }: Context): ImportTarget {
  const warn = (line: string) => stderr.write(`${line}\n`)
  return {
    async put(rows) {
      const outcomes: Outcome[] = []
      for (const part of parts(rows)) outcomes.push(await post(remote, part, warn))
      const sum = (name: 'accepted' | 'duplicates') => outcomes.reduce((total, outcome) => total + outcome[name], 0)
      const unread = rows.flatMap((row) => ('rejection' in row ? [{ at: row.at, ...row.rejection }] : []))
      const rejected = [...unread, ...outcomes.flatMap((outcome) => outcome.rejected)].sort((a, b) => a.at - b.at)
      return { accepted: sum('accepted'), duplicates: sum('duplicates'), rejected }
    },
    async close() {},
  }
}

type Part = { readonly lines: readonly string[]; readonly lineNumbers: readonly number[] }

/** Splits rows into requests of limited size. */
function* parts(rows: readonly IncomingRow[]): Generator<Part> {
  let part = { lines: [] as string[], lineNumbers: [] as number[] }
  let length = 0
  for (const row of rows) {
    if ('rejection' in row) continue
    const line = JSON.stringify(row.value, finite)
    if (length > 0 && length + line.length > maxBodyLength) {
      yield part
      part = { lines: [], lineNumbers: [] }
      length = 0
    }
    part.lines.push(line)
    part.lineNumbers.push(row.at)
    length += line.length + 1
  }
  if (part.lines.length > 0) yield part
}

/** Sends NaN and infinities as text, because JSON would turn them into null, which means that nothing was measured. */
function finite(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

type Answer = {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: readonly (Omit<RejectedRow, 'at'> & { readonly index: number })[]
}

async function post(remote: Remote, { lines, lineNumbers }: Part, warn: (line: string) => void): Promise<Outcome> {
  const body = await compress(lines.join('\n'))
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
  for (let tries = 1; ; tries++) {
    const response = await callServer(remote, '/v1/check-results', { method: 'POST', headers, body }).catch((error: Error) => error)
    if (!(response instanceof Error) && response.ok) return outcomeOf((await response.json()) as Answer, lineNumbers)
    const delayMs = retryAfterMs(response, tries)
    if (delayMs === null || tries === maxTries) throw await failure(response, remote)
    warn(`${problemOf(response, remote)} Retrying in ${delayMs / 1000} s.`)
    await sleep(delayMs)
  }
}

function outcomeOf({ accepted, duplicates, rejected }: Answer, lineNumbers: readonly number[]): Outcome {
  return { accepted, duplicates, rejected: rejected.map(({ index, code, message }) => ({ at: lineNumbers[index] ?? 0, code, message })) }
}

function retryAfterMs(response: Response | Error, tries: number): number | null {
  if (response instanceof Error)
    return response instanceof CommandFailure || certificateAdvice(response) ? null : backoffMs(tries, { firstMs: 500, maxMs: maxPauseMs })
  return busyPauseMs(response)
}

async function failure(response: Response | Error, remote: Remote): Promise<Error> {
  if (response instanceof CommandFailure) return response
  if (!(response instanceof Error)) return errorReply(response.status, await response.text())
  return new CommandFailure(`${problemOf(response, remote)} Run this again to continue.`)
}

function problemOf(response: Response | Error, remote: Remote): string {
  if (!(response instanceof Error)) return busyText(remote, response)
  const { cause, message } = response as Error & { cause?: NodeJS.ErrnoException }
  const advice = certificateAdvice(response)
  return `The server at ${remote.url.href} does not respond (${cause?.code ?? message}).${advice === null ? '' : ` ${advice}`}`
}

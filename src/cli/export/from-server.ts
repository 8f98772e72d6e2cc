import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { checkTypes } from '../../checks/registry.ts'
import { history, type PastCheck } from '../../prometheus/history.ts'
import type { Run } from '../../prometheus/run-gauges.ts'
import type { Window } from '../../store/store.ts'
import { isoText } from '../../time.ts'
import { get, okBody } from '../api-client.ts'
import { callServer, errorReply, type Remote, remoteOf } from '../remote.ts'
import { findCheck } from '../report/find-check.ts'
import type { ExportSource } from './from-folder.ts'

export async function fromServer(
  url: string,
  { check, window, format, ...credentials }: ExportSource,
): Promise<AsyncIterable<Uint8Array | string>> {
  const remote = remoteOf(url, credentials)
  const checks = check === undefined ? await allChecks(remote) : [await findCheck(remote, check)]
  if (format === 'openmetrics') return history(checks, ({ id }) => runsOf(remote, id, window))
  return (async function* () {
    for (const { id } of checks) yield* await exportOf(remote, id, { format, window })
  })()
}

type Wanted = { readonly format: 'ndjson' | 'csv'; readonly window: Window }

async function exportOf(remote: Remote, id: string, { format, window }: Wanted): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({ format, from: isoText(window.from), to: isoText(window.to) })
  const response = await callServer(remote, `/v1/check-results/${id}/export?${query}`)
  if (!response.ok || !response.body) throw errorReply(response.status, await response.text())
  return response.body as ReadableStream<Uint8Array>
}

type ExportedRow = Omit<Run, 'startedAt' | 'values'> & { readonly startedAt: string }

/** The lines of an export have the values of a result among its other properties. */
async function* runsOf(remote: Remote, id: string, window: Window): AsyncGenerator<readonly Run[]> {
  const body = await exportOf(remote, id, { format: 'ndjson', window })
  for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
    const row = JSON.parse(line) as ExportedRow & Run['values']
    yield [{ ...row, startedAt: Date.parse(row.startedAt), values: row }]
  }
}

const pageSize = 100

async function allChecks(remote: Remote): Promise<readonly PastCheck[]> {
  const checks: PastCheck[] = []
  for (let page = 1; ; page++) {
    const parameters = new URLSearchParams({ limit: String(pageSize), page: String(page) })
    const listed = JSON.parse(okBody(await get(remote, '/v1/checks', parameters))) as { readonly id: string; readonly checkType: string }[]
    checks.push(...listed.map(({ id, checkType }) => ({ id, checkType: checkTypes.find(({ type }) => type === checkType) ?? null })))
    if (listed.length < pageSize) return checks
  }
}

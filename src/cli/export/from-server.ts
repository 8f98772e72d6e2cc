import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { checkTypes } from '../../checks/registry.ts'
import { history, type PastCheck } from '../../prometheus/history.ts'
import type { Run } from '../../prometheus/run-gauges.ts'
import { isoText } from '../../time.ts'
import { CommandFailure } from '../context.ts'
import { ask } from '../remote/api-client.ts'
import { type Remote, remoteOf } from '../remote/remote.ts'
import { findServerCheck } from '../remote/server-check.ts'
import type { ExportSource } from './from-folder.ts'

export async function fromServer(
  url: string,
  { check, window, format, ...credentials }: ExportSource,
): Promise<AsyncIterable<Uint8Array | string>> {
  const text = { from: isoText(window.from), to: isoText(window.to) }
  const remote = remoteOf(url, credentials)
  const checks = check === undefined ? await allChecks(remote) : [await findServerCheck(remote, check)]
  if (format === 'openmetrics') return history(checks, ({ id }) => runsOf(remote, id, text))
  return (async function* () {
    for (const { id } of checks) yield* await exportStream(remote, id, { format, ...text })
  })()
}

type ExportQuery = { readonly format: 'ndjson' | 'csv'; readonly from: string; readonly to: string }

export async function exportStream(remote: Remote, id: string, query: ExportQuery): Promise<AsyncIterable<Uint8Array>> {
  const init = { params: { path: { id }, query }, parseAs: 'stream' } as const
  const { data } = await ask(remote, (client) => client.GET('/v1/check-results/{id}/export', init))
  // An empty response has no stream.
  return whole((data as AsyncIterable<Uint8Array> | undefined) ?? Readable.from([]), remote)
}

/** Fails the command if the connection breaks in the middle of the stream. */
async function* whole(stream: AsyncIterable<Uint8Array>, { url }: Remote): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    const { code } = Object((error as Error).cause) as { readonly code?: string }
    throw new CommandFailure(`The connection to ${url.href} broke (${code ?? (error as Error).message}): the results are incomplete.`)
  }
}

type ExportedRow = Omit<Run, 'startedAt' | 'values'> & { readonly startedAt: string }

/** In an export line, metric values are next to the other properties of a result. */
async function* runsOf(remote: Remote, id: string, window: Omit<ExportQuery, 'format'>): AsyncGenerator<readonly Run[]> {
  const body = await exportStream(remote, id, { format: 'ndjson', ...window })
  for await (const line of createInterface({ input: Readable.from(body) })) {
    const row = JSON.parse(line) as ExportedRow & Run['values']
    yield [{ ...row, startedAt: Date.parse(row.startedAt), values: row }]
  }
}

function allChecks(remote: Remote): Promise<readonly PastCheck[]> {
  return ask(remote, async (client) => {
    const checks: PastCheck[] = []
    for await (const page of client.pages('/v1/checks'))
      checks.push(...page.map(({ id, checkType }) => ({ id, checkType: checkTypes.find(({ type }) => type === checkType) ?? null })))
    return checks
  })
}

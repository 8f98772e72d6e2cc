import { isoText } from '../../time.ts'
import { ask } from '../api-client.ts'
import { type Remote, remoteOf } from '../remote.ts'
import { findCheck } from '../report/find-check.ts'
import type { ExportSource } from './from-folder.ts'

export async function fromServer(url: string, { check, window, format, ...credentials }: ExportSource): Promise<AsyncIterable<Uint8Array>> {
  const query = { format, from: isoText(window.from), to: isoText(window.to) }
  const remote = remoteOf(url, credentials)
  const ids = check === undefined ? await allChecks(remote) : [(await findCheck(remote, check)).id]
  return (async function* () {
    for (const id of ids) yield* await exportStream(remote, id, query)
  })()
}

type ExportQuery = { readonly format: 'ndjson' | 'csv'; readonly from: string; readonly to: string }

/** The export of a check, as it arrives. */
export async function exportStream(remote: Remote, id: string, query: ExportQuery): Promise<AsyncIterable<Uint8Array>> {
  const init = { params: { path: { id }, query }, parseAs: 'stream' } as const
  const { data } = await ask(remote, (client) => client.GET('/v1/check-results/{id}/export', init))
  return data as AsyncIterable<Uint8Array>
}

function allChecks(remote: Remote): Promise<readonly string[]> {
  return ask(remote, async (client) => {
    const ids: string[] = []
    for await (const page of client.pages('/v1/checks')) ids.push(...page.map(({ id }) => id))
    return ids
  })
}

import { isoText } from '../../time.ts'
import { get, okBody } from '../api-client.ts'
import { callServer, errorReply, type Remote, remoteOf } from '../remote.ts'
import { findCheck } from '../report/find-check.ts'
import type { ExportSource } from './from-folder.ts'

export async function fromServer(url: string, { check, window, format, ...credentials }: ExportSource): Promise<AsyncIterable<Uint8Array>> {
  const query = new URLSearchParams({ format, from: isoText(window.from), to: isoText(window.to) })
  const remote = remoteOf(url, credentials)
  const ids = check === undefined ? await allChecks(remote) : [(await findCheck(remote, check)).id]
  return (async function* () {
    for (const id of ids) {
      const response = await callServer(remote, `/v1/check-results/${id}/export?${query}`)
      if (!response.ok || !response.body) throw errorReply(response.status, await response.text())
      yield* response.body
    }
  })()
}

const pageSize = 100

async function allChecks(remote: Remote): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const parameters = new URLSearchParams({ limit: String(pageSize), page: String(page) })
    const listed = JSON.parse(okBody(await get(remote, '/v1/checks', parameters))) as { readonly id: string }[]
    ids.push(...listed.map(({ id }) => id))
    if (listed.length < pageSize) return ids
  }
}

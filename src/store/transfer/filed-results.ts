import type { CheckRef, FiledResult, Result, Window } from '../store.ts'
import type { Contents, EvidenceSize } from './contents.ts'

/** Evidence held in memory at a time, in addition to that of a batch. */
const maxEvidenceBytes = 4 * 2 ** 20

/** The results of a check in a window, in order, with their evidence. */
export async function* filedResults(source: Contents, check: CheckRef, window: Window): AsyncGenerator<readonly FiledResult[]> {
  for await (const page of source.scan(check, window)) {
    const listed = await source.evidenceIn(check, spanOf(page))
    if (listed.length === 0) yield page.map((result) => ({ check, result }))
    else yield* withEvidence(source, check, { page, listed })
  }
}

type Page = { readonly page: readonly Result[]; readonly listed: readonly EvidenceSize[] }

async function* withEvidence(source: Contents, check: CheckRef, { page, listed }: Page): AsyncGenerator<readonly FiledResult[]> {
  const byResult = new Map(listed.map((size) => [size.resultId, size]))
  let results: Result[] = []
  let wanted: EvidenceSize[] = []
  let bytes = 0
  for (const result of page) {
    results.push(result)
    const size = byResult.get(result.id)
    if (size) wanted.push(size)
    bytes += size?.bytes ?? 0
    if (bytes < maxEvidenceBytes) continue
    yield await filed(source, check, { page: results, listed: wanted })
    results = []
    wanted = []
    bytes = 0
  }
  if (results.length > 0) yield await filed(source, check, { page: results, listed: wanted })
}

async function filed(source: Contents, check: CheckRef, { page, listed }: Page): Promise<readonly FiledResult[]> {
  const bodies = listed.length === 0 ? new Map<string, Uint8Array>() : await source.readEvidence(check, listed)
  return page.map((result) => {
    const evidence = bodies.get(result.id)
    return { check, result, ...(evidence && { evidence }) }
  })
}

/** Results of a scan come in order of time. */
function spanOf(page: readonly Result[]): Window {
  const from = page[0]?.startedAt ?? 0
  return { from, to: page.at(-1)?.startedAt ?? from }
}

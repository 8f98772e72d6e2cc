import type { Api } from '../api/client.ts'

const mostPages = 200

type Whole = { readonly file: Blob /** Whether there are more rows than loaded. */; readonly isCut: boolean }

/** Joins all pages of a table into one file. */
export async function loadWholeCsv(api: Pick<Api, 'table'>, path: string, signal: AbortSignal): Promise<Whole> {
  const parts: BlobPart[] = []
  let cursor: string | null = null
  do {
    const { csv, next } = await api.table(cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`, signal)
    parts.push(parts.length === 0 ? csv : await withoutHead(csv))
    cursor = next
  } while (cursor !== null && parts.length < mostPages)
  return { file: new Blob(parts, { type: 'text/csv;charset=utf-8' }), isCut: cursor !== null }
}

async function withoutHead(csv: Blob): Promise<string> {
  const text = await csv.text()
  return text.slice(text.indexOf('\n') + 1)
}

import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Store } from '../store/store.ts'
import { type BodyFormat, readBody } from './body.ts'
import { type ReadRows, type RejectedRow, readRows } from './read-rows.ts'
import { type RowReader, rowReader } from './row.ts'
import type { Row } from './rows.ts'

export type Outcome = { readonly accepted: number; readonly duplicates: number; readonly rejected: readonly RejectedRow[] }

type IngestDeps = { readonly catalogue: Catalogue; readonly store: Store; readonly now: number }

/** Keeps the rows of one account; resolves once every accepted one is safe on disk. A bad row harms no other. */
export async function ingest(account: string, rows: Iterable<Row>, deps: IngestDeps): Promise<Outcome> {
  return keep(readRows(rows, readerFor(account, deps)), deps.store)
}

/** The same for the rows of a body; rejects where it is broken as a whole. */
export async function ingestBody(account: string, { body, format }: Body, deps: IngestDeps): Promise<Outcome> {
  return keep(readBody(body, format, readerFor(account, deps)), deps.store)
}

export type Body = { readonly body: Buffer; readonly format: BodyFormat }

function readerFor(account: string, { catalogue, now }: IngestDeps): RowReader {
  return rowReader({ account, now, typeOf: (checkId) => catalogue.check(account, checkId)?.checkType })
}

async function keep({ filed, rejected }: ReadRows, store: Store): Promise<Outcome> {
  const fresh = filed.length === 0 ? [] : await store.append(filed)
  let accepted = 0
  for (const isNew of fresh) if (isNew) accepted++
  return { accepted, duplicates: filed.length - accepted, rejected }
}

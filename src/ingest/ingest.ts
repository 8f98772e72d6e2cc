import type { Catalogue } from '../catalogue/catalogue.ts'
import type { FiledResult, Store } from '../store/store.ts'
import type { Rejection } from './rejections.ts'
import { isRejection, rowReader } from './row.ts'
import type { Row } from './rows.ts'

export type RejectedRow = Rejection & { readonly at: number }
export type Outcome = { readonly accepted: number; readonly duplicates: number; readonly rejected: readonly RejectedRow[] }

type IngestDeps = { readonly catalogue: Catalogue; readonly store: Store; readonly now: number }

/** Keeps the rows of one account; resolves once every accepted one is safe on disk. A bad row harms no other. */
export async function ingest(account: string, rows: Iterable<Row>, { catalogue, store, now }: IngestDeps): Promise<Outcome> {
  const read = rowReader({ account, now, typeOf: (checkId) => catalogue.check(account, checkId)?.checkType })
  const filed: FiledResult[] = []
  const rejected: RejectedRow[] = []
  for (const row of rows) {
    const verdict = 'rejection' in row ? row.rejection : read(row.value)
    if (isRejection(verdict)) rejected.push({ at: row.at, ...verdict })
    else filed.push(verdict)
  }
  const fresh = filed.length === 0 ? [] : await store.append(filed)
  const accepted = fresh.filter(Boolean).length
  return { accepted, duplicates: filed.length - accepted, rejected }
}

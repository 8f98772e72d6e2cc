import type { FiledResult } from '../store/store.ts'
import type { Rejection } from './rejections.ts'
import { isRejection, type RowReader } from './row.ts'
import type { Row } from './rows.ts'

export type RejectedRow = Rejection & { readonly at: number }

/** What rows have come to. */
export type ReadRows = { readonly filed: FiledResult[]; readonly rejected: RejectedRow[] }

export function readRows(rows: Iterable<Row>, reader: RowReader): ReadRows {
  const read: ReadRows = { filed: [], rejected: [] }
  for (const row of rows) sortRow(row, reader, read)
  return read
}

/** Reads a row and puts it where it belongs. */
export function sortRow(row: Row, reader: RowReader, { filed, rejected }: ReadRows): void {
  const verdict = 'rejection' in row ? row.rejection : reader.read(row.value)
  if (isRejection(verdict)) rejected.push({ at: row.at, ...verdict })
  else filed.push(verdict)
}

export function countOf({ filed, rejected }: ReadRows): number {
  return filed.length + rejected.length
}

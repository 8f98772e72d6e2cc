import type { FiledResult } from '../store/store.ts'
import type { Rejection } from './rejections.ts'
import { isRejection, type RowReader } from './row.ts'
import type { IncomingRow } from './rows.ts'

export type RejectedRow = Rejection & { readonly at: number }

/** Rows after validation. */
export type ReadRows = { readonly filed: FiledResult[]; readonly rejected: RejectedRow[] }

export function readRows(rows: Iterable<IncomingRow>, reader: RowReader): ReadRows {
  const read: ReadRows = { filed: [], rejected: [] }
  for (const row of rows) addRow(row, reader, read)
  return read
}

/** Validates a row and adds it to the accepted or the rejected ones. */
export function addRow(row: IncomingRow, reader: RowReader, { filed, rejected }: ReadRows): void {
  const result = 'rejection' in row ? row.rejection : reader.read(row.value, row.at)
  if (isRejection(result)) rejected.push({ at: row.at, ...result })
  else filed.push(result)
}

export function rowCount({ filed, rejected }: ReadRows): number {
  return filed.length + rejected.length
}

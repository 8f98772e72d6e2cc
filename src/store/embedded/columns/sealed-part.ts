import { dayMs } from '../../../time.ts'
import type { Part } from '../../query/part.ts'
import type { Window } from '../../store.ts'
import type { ColumnSource, SealedDay } from '../disk/chunk.ts'
import { type Columns, columnsPart } from './columns.ts'

/** The results of a sealed day that started within a window. */
export function sealedPart(sealed: SealedDay, window: Window, source: ColumnSource): Part {
  return columnsPart(sealedColumns(sealed, source), window)
}

export function sealedColumns(sealed: SealedDay, source: ColumnSource): Columns {
  const { day, results: count, columns, measured } = sealed
  const start = day * dayMs
  const span = { from: start, to: start + dayMs - 1 }
  return { count, start, span, measured, bytesOf: (name) => (columns.has(name) ? source(name, sealed) : null) }
}

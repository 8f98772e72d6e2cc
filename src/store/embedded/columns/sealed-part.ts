import { dayMs } from '../../../time.ts'
import { startOfDay } from '../../day-number.ts'
import { hourStarts } from '../../kernels/time-runs.ts'
import type { Part } from '../../query/parts/part.ts'
import type { Window } from '../../store.ts'
import type { ColumnSource } from '../disk/chunk-reader.ts'
import type { SealedDay } from '../disk/days.ts'
import { columnsPart, type EncodedColumns, timesFrom } from './columns.ts'

/** The results of a sealed day that started within a window. */
export function sealedPart(sealed: SealedDay, window: Window, source: ColumnSource): Part {
  return columnsPart(sealedColumns(sealed, source), window)
}

export function sealedColumns(sealed: SealedDay, source: ColumnSource): EncodedColumns {
  const { day, results: count, columns, measured } = sealed
  const start = startOfDay(day)
  const span = { from: start, to: start + dayMs - 1 }
  const sealedColumns: EncodedColumns = {
    count,
    start,
    span,
    measured,
    columnOf: (name) => (columns.has(name) ? source(name, sealed) : null),
    hours() {
      sealed.hours ??= hourStarts(timesFrom(sealedColumns, 0, count), start, 24)
      return sealed.hours
    },
  }
  return sealedColumns
}

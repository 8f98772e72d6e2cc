import { dayOf, startOfDay } from '../../../time.ts'
import { absentInt } from '../../kernels/numbers.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import { type Texts, withoutUnused } from '../../kernels/texts.ts'
import type { NumberedDay } from '../../query/parts/day.ts'
import { definePart, isPageColumn, type Part, pageStarts } from '../../query/parts/part.ts'
import type { Window } from '../../store.ts'
import type { ColumnBlock, NativeColumn } from '../native.ts'

/** Columns of ordered results, by the names that a `Part` uses. Columns that no result can have are absent. */
export type LoadedColumns = {
  readonly count: number
  readonly numbers: ReadonlyMap<string, Float64Array>
  readonly texts: ReadonlyMap<string, Texts>
}

/** Names the columns of an answer. */
export function loadedColumns(names: readonly string[], { count, columns }: ColumnBlock): LoadedColumns {
  const numbers = new Map<string, Float64Array>()
  const texts = new Map<string, Texts>()
  const add = (name: string, column: NativeColumn | undefined): void => {
    if (column?.kind === 'numbers') numbers.set(name, column.numbers)
    else if (column?.kind === 'texts') texts.set(name, withoutEmptyIds(name, column.texts))
    else if (column) add(name, column.items)
  }
  for (const [i, name] of names.entries()) add(name, columns[i])
  return { count, numbers, texts }
}

export const emptyColumns: LoadedColumns = { count: 0, numbers: new Map(), texts: new Map() }

export function loadedDays(columns: LoadedColumns): readonly NumberedDay[] {
  const times = columns.numbers.get('time') ?? new Float64Array()
  const days: NumberedDay[] = []
  for (let first = 0; first < times.length; ) {
    const day = dayOf(times[first] as number)
    const end = firstNotBefore(times, startOfDay(day + 1), first + 1)
    const part = loadedPart(columns, { first, end })
    days.push({ day, count: () => part.count, part: () => part })
    first = end
  }
  return days
}

export function dayWithin(day: number, columns: LoadedColumns, { from, to }: Window): NumberedDay {
  const times = columns.numbers.get('time') ?? new Float64Array()
  const first = firstNotBefore(times, from)
  const part = loadedPart(columns, { first, end: firstNotBefore(times, Math.floor(to) + 1, first) })
  return { day, count: () => part.count, part: () => part }
}

/** Copies these columns by day, so that a day does not keep the memory of others. */
export function columnsByDay(columns: LoadedColumns, names: readonly string[]): ReadonlyMap<number, LoadedColumns> {
  const [numbers, texts] = [columns.numbers, columns.texts].map((known) => names.filter((name) => known.has(name))) as [string[], string[]]
  const copy = (part: Part): LoadedColumns => ({
    count: part.count,
    numbers: new Map(numbers.map((name) => [name, part.numbers(name)])),
    texts: new Map(texts.map((name) => [name, withoutUnused(part.texts(name))])),
  })
  return new Map(loadedDays(columns).map(({ day, part }) => [day, copy(part())]))
}

export function textsOf(loaded: LoadedColumns, name: string): (row: number) => string {
  const { dictionary, codes }: Texts = loaded.texts.get(name) ?? { dictionary: [], codes: new Int32Array() }
  return (row) => dictionary[codes[row] as number] ?? ''
}

export function wholePart(columns: LoadedColumns): Part {
  return loadedPart(columns, { first: 0, end: columns.count })
}

export type Rows = { readonly first: number; readonly end: number }

function loadedPart(columns: LoadedColumns, { first, end }: Rows): Part {
  const { numbers, texts } = columns
  let pages: Rows | null = null
  const rowsOf = (column: string): Rows => {
    if (!isPageColumn(column)) return { first, end }
    if (pages) return pages
    const starts = pageStarts(Int32Array.from(numbers.get('pages') ?? new Float64Array(columns.count)))
    pages = { first: starts[first] as number, end: starts[end] as number }
    return pages
  }
  const slice = <Values extends Float64Array | Int32Array>(values: Values, column: string) => {
    const rows = rowsOf(column)
    return values.subarray(rows.first, rows.end)
  }
  return definePart({
    count: end - first,
    span: spanOf(numbers.get('time'), { first, end }),
    measured: [...numbers.keys()].filter((name) => name.startsWith('v:') || name.startsWith('p:')),
    slice: (from, to) => loadedPart(columns, { first: first + from, end: first + to }),
    lengthOf(column) {
      const rows = rowsOf(column)
      return rows.end - rows.first
    },
    fill(column, target) {
      const values = numbers.get(column)
      if (values) target.set(slice(values, column))
      else target.fill(Number.NaN)
      return true
    },
    /** Doubles that are whole thousandths add up like integers anyway. */
    holdsInts: () => false,
    fillInts(column, scale, target) {
      const values = numbers.get(column)
      if (values) target.set(slice(values, column).map((value) => (Number.isNaN(value) ? absentInt : Math.round(value * scale))))
      else target.fill(absentInt)
      return true
    },
    fillTexts(column, target) {
      const known = texts.get(column)
      if (known) target.set(slice(known.codes, column))
      else target.fill(absentInt)
      return known?.dictionary ?? []
    },
  })
}

function spanOf(times: Float64Array | undefined, { first, end }: Rows): Window {
  const [a = 0, b = 0] = times && end > first ? [times[first], times[end - 1]] : []
  return { from: Math.min(a, b), to: Math.max(a, b) }
}

/** Results that were sent without an id are stored with an empty one. */
function withoutEmptyIds(name: string, texts: Texts): Texts {
  const empty = name === 'id' ? texts.dictionary.indexOf('') : -1
  if (empty < 0) return texts
  return { dictionary: texts.dictionary, codes: texts.codes.map((code) => (code === empty ? absentInt : code)) }
}

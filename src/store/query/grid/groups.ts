import { dayOfWeekAt, hourOfDayAt } from '../../../calendar/local-fields.ts'
import { compareText } from '../../../text/compare-text.ts'
import { crossRuns, eachRow, isRuns, oneRun, type RowIndexes } from '../../kernels/row-indexes.ts'
import { timeRuns } from '../../kernels/time-runs.ts'
import type { Grouping, GroupKey } from '../../store.ts'
import type { Part, PartRows } from '../parts/part.ts'

export type GroupKeys = readonly GroupKey[]

/** The group of each row, as an index into `keys`. */
export type RowGroups = { readonly keys: readonly GroupKeys[]; readonly of: RowIndexes }

/** Groups the rows of a part. `labels` has the check's key for each grouping by label, in order. */
export function groupRows(part: Part, rows: PartRows, groupBy: readonly Grouping[], labels: readonly GroupKey[]): RowGroups {
  let label = 0
  const whole = { keys: [[]], of: oneRun(rows.count) }
  const sameKey = (key: GroupKey): RowGroups => ({ ...whole, keys: [[key]] })
  const each = groupBy.map((grouping) => (grouping.by === 'label' ? sameKey(labels[label++] ?? null) : groupsOf(part, rows, grouping)))
  return each.reduce(combine, whole)
}

export function compareGroupKeys(a: GroupKeys, b: GroupKeys): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareKeys(a[i] as GroupKey, b[i] as GroupKey)
    if (order !== 0) return order
  }
  return 0
}

export function compareKeys(a: GroupKey, b: GroupKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))
}

function groupsOf(part: Part, rows: PartRows, grouping: Exclude<Grouping, { readonly by: 'label' }>): RowGroups {
  switch (grouping.by) {
    case 'page':
      return numbered(rows.pages?.indexes ?? new Int32Array(rows.count))
    case 'location': {
      const { dictionary, codes } = part.texts('location')
      return { keys: dictionary.map((location) => [location]), of: rows.spread(codes) }
    }
    case 'field':
      return distinct(rows.spread(part.numbers(`v:${grouping.name}`)))
    case 'hourOfDay':
    case 'dayOfWeek': {
      const fieldAt = grouping.by === 'hourOfDay' ? hourOfDayAt : dayOfWeekAt
      const runs = timeRuns(rows.times(), (time) => fieldAt(time, grouping.offsets))
      return { keys: runs.values.map((field) => [field]), of: runs }
    }
  }
}

/** Small whole numbers that are their own keys. */
function numbered(numbers: Int32Array): RowGroups {
  let max = -1
  for (let row = 0; row < numbers.length; row++) if ((numbers[row] as number) > max) max = numbers[row] as number
  return { keys: Array.from({ length: max + 1 }, (_, key) => [key]), of: numbers }
}

/** One key per distinct number; null for absent numbers. */
function distinct(numbers: Float64Array): RowGroups {
  const indexes = new Map<number, number>()
  const of = new Int32Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) {
    const value = numbers[row] as number
    const index = indexes.get(value) ?? indexes.size
    if (index === indexes.size) indexes.set(value, index)
    of[row] = index
  }
  return { keys: [...indexes.keys()].map((value) => [Number.isNaN(value) ? null : value]), of }
}

/** Groups by both: a key for each pair that occurs. */
function combine(a: RowGroups, b: RowGroups): RowGroups {
  const pairOf = (i: number, j: number) => (a.keys[i] as GroupKeys).concat(b.keys[j] as GroupKeys)
  if (a.keys.length === 1) return { keys: b.keys.map((_, j) => pairOf(0, j)), of: b.of }
  if (b.keys.length === 1) return { keys: a.keys.map((_, i) => pairOf(i, 0)), of: a.of }
  const width = b.keys.length
  const pairs = numberDistinct(a.keys.length * width)
  const indexOf = (i: number, j: number) => pairs.indexOf(i * width + j)
  const of = isRuns(a.of) && isRuns(b.of) ? crossRuns(a.of, b.of, indexOf) : crossRows(eachRow(a.of), eachRow(b.of), indexOf)
  return { keys: pairs.distinct.map((pair) => pairOf(Math.floor(pair / width), pair % width)), of }
}

function crossRows(a: Int32Array, b: Int32Array, indexOf: (a: number, b: number) => number): Int32Array {
  const of = new Int32Array(a.length)
  for (let row = 0; row < of.length; row++) of[row] = indexOf(a[row] as number, b[row] as number)
  return of
}

/** Numbers distinct values below `end` in order of appearance. */
function numberDistinct(end: number) {
  const indexes = new Int32Array(end).fill(-1)
  const distinct: number[] = []
  const indexOf = (value: number) => {
    if (indexes[value] === -1) indexes[value] = distinct.push(value) - 1
    return indexes[value] as number
  }
  return { distinct, indexOf }
}

import { fillDayOfWeek, fillHourOfDay } from '../../calendar/local-fields.ts'
import { compareText } from '../../text/compare-text.ts'
import type { Grouping, GroupKey } from '../store.ts'
import type { Part } from './part.ts'
import type { Rows } from './rows.ts'

/** The keys of one group, one for each grouping. */
export type GroupKeys = readonly GroupKey[]

/** Which group each row belongs to, as an index into `keys`; `of` is null where all rows are in the first. */
export type Groups = { readonly keys: readonly GroupKeys[]; readonly of: Int32Array | null }

/** Groups the rows of a part. `labels` has the check's key for each grouping by label, in order. */
export function groupRows(part: Part, rows: Rows, groupBy: readonly Grouping[], labels: readonly GroupKey[]): Groups {
  let label = 0
  const each = groupBy.map((grouping) => (grouping.by === 'label' ? sameKey(labels[label++] ?? null) : groupsOf(part, rows, grouping)))
  return each.reduce(combine, { keys: [[]], of: null })
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

const sameKey = (key: GroupKey): Groups => ({ keys: [[key]], of: null })

function groupsOf(part: Part, rows: Rows, grouping: Exclude<Grouping, { readonly by: 'label' }>): Groups {
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
      const fields = new Int32Array(part.count)
      const fill = grouping.by === 'hourOfDay' ? fillHourOfDay : fillDayOfWeek
      fill(part.numbers('time'), grouping.offsets, fields)
      return numbered(rows.spread(fields))
    }
  }
}

/** Small whole numbers that are their own keys. */
function numbered(numbers: Int32Array): Groups {
  let max = -1
  for (let row = 0; row < numbers.length; row++) if ((numbers[row] as number) > max) max = numbers[row] as number
  return { keys: Array.from({ length: max + 1 }, (_, key) => [key]), of: numbers }
}

/** A key for each distinct number; absent ones have the key null. */
function distinct(numbers: Float64Array): Groups {
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
function combine(a: Groups, b: Groups): Groups {
  const pairOf = (i: number, j: number) => [...(a.keys[i] as GroupKeys), ...(b.keys[j] as GroupKeys)]
  if (!a.of && a.keys.length === 1) return { keys: b.keys.map((_, j) => pairOf(0, j)), of: b.of }
  if (!b.of && b.keys.length === 1) return { keys: a.keys.map((_, i) => pairOf(i, 0)), of: a.of }
  const [ofA, ofB, width] = [a.of as Int32Array, b.of as Int32Array, b.keys.length]
  const indexes = new Map<number, number>()
  const of = new Int32Array(ofA.length)
  for (let row = 0; row < of.length; row++) {
    const pair = (ofA[row] as number) * width + (ofB[row] as number)
    const index = indexes.get(pair) ?? indexes.size
    if (index === indexes.size) indexes.set(pair, index)
    of[row] = index
  }
  return { keys: Array.from(indexes.keys(), (pair) => pairOf(Math.floor(pair / width), pair % width)), of }
}

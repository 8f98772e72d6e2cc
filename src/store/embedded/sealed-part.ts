import type { Window } from '../store.ts'
import { type ColumnSource, dayMs, type SealedDay } from './chunk.ts'
import { firstNotBefore } from './kernels/buckets.ts'
import { absentInt, decodeInts, decodeNumbers, holdsInts } from './kernels/column.ts'
import { decodeTexts } from './kernels/text-column.ts'
import { definePart, isPageColumn, type Part, pageStarts } from './part.ts'

/** Whether a window holds all of a sealed day, so that its results need not be looked at to be counted. */
export function isWhole({ day }: SealedDay, { from, to }: Window): boolean {
  return from <= day * dayMs && to >= (day + 1) * dayMs - 1
}

/** The results of a sealed day that started within a window. */
export function sealedPart(sealed: SealedDay, window: Window, source: ColumnSource): Part {
  if (isWhole(sealed, window)) return partOf(sealed, 0, sealed.results, source)
  const start = sealed.day * dayMs
  const times = new Float64Array(sealed.results)
  decodeNumbers(source('time', sealed), 0, sealed.results, times)
  return partOf(sealed, firstNotBefore(times, window.from - start), firstNotBefore(times, window.to - start + 1), source)
}

/** The results `first` up to (not with) `end` of a sealed day. */
function partOf(sealed: SealedDay, first: number, end: number, source: ColumnSource): Part {
  const { day, results, columns, measured } = sealed
  const start = day * dayMs
  const fetch = (name: string) => (columns.has(name) ? source(name, sealed) : null)
  let pages: readonly [number, number] | null = null
  const sliceOf = (column: string): readonly [number, number] => {
    if (!isPageColumn(column)) return [first, end]
    if (pages) return pages
    const counts = new Int32Array(results)
    decodeInts(source('pages', sealed), 0, results, 1, counts)
    const starts = pageStarts(counts)
    pages = [starts[first] as number, starts[end] as number]
    return pages
  }
  return definePart({
    count: end - first,
    span: { from: start, to: start + dayMs - 1 },
    measured,
    slice: (from, to) => partOf(sealed, first + from, first + to, source),
    lengthOf(column) {
      const [from, to] = sliceOf(column)
      return to - from
    },
    fill(column, target) {
      const bytes = fetch(column)
      const gaps = bytes ? decodeNumbers(bytes, ...sliceOf(column), target) : allAbsent(target, Number.NaN)
      if (column === 'time') shift(target, start)
      return gaps
    },
    holdsInts(column, scale) {
      const bytes = fetch(column)
      return !bytes || holdsInts(bytes, scale)
    },
    fillInts(column, scale, target) {
      const bytes = fetch(column)
      return bytes ? decodeInts(bytes, ...sliceOf(column), scale, target) : allAbsent(target, absentInt)
    },
    fillTexts(column, target) {
      const bytes = fetch(column)
      if (bytes) return decodeTexts(bytes, ...sliceOf(column), target)
      allAbsent(target, absentInt)
      return []
    },
  })
}

function allAbsent(target: Float64Array | Int32Array, absent: number): true {
  target.fill(absent)
  return true
}

function shift(times: Float64Array, by: number): void {
  for (let i = 0; i < times.length; i++) times[i] = (times[i] as number) + by
}

import { once } from '../../../cache/cache.ts'
import { grouped } from '../../../collections/lists.ts'
import { dayOf, startOfDay } from '../../../time.ts'
import { absentInt } from '../../kernels/numbers.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import { withoutUnused } from '../../kernels/texts.ts'
import type { HourStarts, Times } from '../../kernels/time-runs.ts'
import { orderedPart } from '../../query/parts/merged-part.ts'
import { definePart, isPageColumn, type Part, pageStarts, runNumbers, runTexts } from '../../query/parts/part.ts'
import type { Window } from '../../store.ts'
import { decodeInts, decodeNumbers, encodeNumbers, holdsInts, numberReader } from './number-codec.ts'
import { aligned, decodeTexts, type EncodedColumn, encodedColumn, encodeTexts } from './text-codec.ts'

/** Results in order, as encoded columns. */
export type EncodedColumns = {
  readonly count: number
  /** The column `time` is relative to this instant. */
  readonly start: number
  /** All results started within this window. */
  readonly span: Window
  readonly measured: readonly string[]
  /** Null if no result has a value in this column. */
  readonly columnOf: (name: string) => EncodedColumn | null
  readonly hours?: () => HourStarts
}

/** Encodes the columns of a part; times are relative to `start`. */
export function encodeColumns(part: Part, start: number): Map<string, Uint8Array> {
  const columns = new Map<string, Uint8Array>()
  for (const name of [...runNumbers, ...part.measured]) {
    const numbers = part.numbers(name)
    if (name === 'time') shift(numbers, -start)
    columns.set(name, encodeNumbers(numbers))
  }
  for (const name of [...runTexts, 'pageUrl']) {
    const texts = withoutUnused(part.texts(name))
    if (texts.dictionary.length > 0) columns.set(name, encodeTexts(texts))
  }
  return columns
}

export function measuredIn(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => name.startsWith('v:') || name.startsWith('p:'))
}

/** Whether a window contains all results, so that their times need not be decoded. */
export function isWithin({ span }: Pick<EncodedColumns, 'span'>, { from, to }: Window): boolean {
  return from <= span.from && to >= span.to
}

/** The results that started within a window. */
export function columnsPart(columns: EncodedColumns, window: Window): Part {
  if (isWithin(columns, window)) return partOf(columns, 0, columns.count, columns.span)
  const times = timesOf(columns)
  return partOf(columns, firstNotBefore(times, window.from), firstNotBefore(times, window.to + 1), columns.span)
}

export function timesOf({ columnOf, count, start }: EncodedColumns): Float64Array {
  const times = new Float64Array(count)
  decodeNumbers(required(columnOf('time')), 0, count, times)
  shift(times, start)
  return times
}

/** The times of the results `[first, end)`; their column is read on first use. */
export function timesFrom({ columnOf, count, start, hours }: EncodedColumns, first: number, end: number): Times {
  const timeReader = once(() => numberReader(required(columnOf('time'))))
  return { count: end - first, at: (run) => start + timeReader()(first + run), hours: end - first === count ? hours : undefined }
}

/** The results `[first, end)`; all started within `span`. */
function partOf(columns: EncodedColumns, first: number, end: number, span: Window): Part {
  const { columnOf, start, count } = columns
  const bytesOf = (name: string) => columnOf(name)?.bytes ?? null
  let pages: readonly [number, number] | null = null
  const sliceOf = (column: string): readonly [number, number] => {
    if (!isPageColumn(column)) return [first, end]
    if (pages) return pages
    const counts = new Int32Array(count)
    decodeInts(required(columnOf('pages')), 0, count, 1, counts)
    const starts = pageStarts(counts)
    pages = [starts[first] as number, starts[end] as number]
    return pages
  }
  return definePart({
    count: end - first,
    span,
    measured: columns.measured,
    slice: (from, to) => partOf(columns, first + from, first + to, span),
    lengthOf(column) {
      const [from, to] = sliceOf(column)
      return to - from
    },
    times: () => timesFrom(columns, first, end),
    fill(column, target) {
      const bytes = bytesOf(column)
      const gaps = bytes ? decodeNumbers(bytes, ...sliceOf(column), target) : allAbsent(target, Number.NaN)
      if (column === 'time') shift(target, start)
      return gaps
    },
    holdsInts(column, scale) {
      const bytes = bytesOf(column)
      return !bytes || holdsInts(bytes, scale)
    },
    fillInts(column, scale, target) {
      const bytes = bytesOf(column)
      return bytes ? decodeInts(bytes, ...sliceOf(column), scale, target) : allAbsent(target, absentInt)
    },
    fillTexts(column, target) {
      const encoded = columnOf(column)
      if (encoded) return decodeTexts(encoded, ...sliceOf(column), target)
      allAbsent(target, absentInt)
      return []
    },
  })
}

/** Every result has a time and a number of pages. */
const required = (column: EncodedColumn | null) => (column as EncodedColumn).bytes

function allAbsent(target: Float64Array | Int32Array, absent: number): true {
  target.fill(absent)
  return true
}

function shift(times: Float64Array, by: number): void {
  for (let i = 0; i < times.length; i++) times[i] = (times[i] as number) + by
}

/** The header of a segment; its columns follow, each aligned to 8 bytes. */
type Header = {
  readonly count: number
  readonly from: number
  readonly to: number
  readonly columns: readonly (readonly [string, number])[]
}

const lengthBytes = 4

/** Encodes ordered results as one byte array. */
export function encodeSegment(part: Part): Uint8Array {
  const times = part.numbers('time')
  const [from = 0, to = from] = [times[0], times.at(-1)]
  const columns = [...encodeColumns(part, from)]
  const header: Header = { count: part.count, from, to, columns: columns.map(([name, bytes]) => [name, bytes.length]) }
  const text = Buffer.from(JSON.stringify(header))
  let at = aligned(lengthBytes + text.length)
  const segment = new Uint8Array(columns.reduce((end, [, bytes]) => aligned(end + bytes.length), at))
  new DataView(segment.buffer).setUint32(0, text.length, true)
  segment.set(text, lengthBytes)
  for (const [, bytes] of columns) {
    segment.set(bytes, at)
    at = aligned(at + bytes.length)
  }
  return segment
}

export function decodeSegment(segment: Uint8Array): EncodedColumns {
  const textLength = new DataView(segment.buffer, segment.byteOffset).getUint32(0, true)
  const text = Buffer.from(segment.buffer, segment.byteOffset + lengthBytes, textLength).toString()
  const { count, from, to, columns }: Header = JSON.parse(text)
  const byName = new Map<string, EncodedColumn>()
  let at = aligned(lengthBytes + textLength)
  for (const [name, length] of columns) {
    byName.set(name, encodedColumn(segment.subarray(at, at + length)))
    at = aligned(at + length)
  }
  return { count, start: from, span: { from, to }, measured: measuredIn(byName.keys()), columnOf: (name) => byName.get(name) ?? null }
}

/** Merges the segments of one check into one ordered part per day, within a window. */
export function segmentsByDay(segments: readonly EncodedColumns[], window: Window): Map<number, Part> {
  const parts = segments.flatMap((segment) => dayParts(segment, window))
  const byDay = grouped(parts, ({ span }) => dayOf(span.from))
  return new Map(Array.from(byDay, ([day, parts]) => [day, orderedPart(parts)]))
}

/** Splits a segment by day. */
function dayParts(segment: EncodedColumns, window: Window): readonly Part[] {
  const { from, to } = segment.span
  if (to < window.from || from > window.to) return []
  if (dayOf(from) === dayOf(to) && isWithin(segment, window)) return [columnsPart(segment, window)]
  const times = timesOf(segment)
  const end = firstNotBefore(times, window.to + 1)
  const parts: Part[] = []
  for (let first = firstNotBefore(times, window.from); first < end; ) {
    const startedAt = times[first] as number
    const next = Math.min(end, firstNotBefore(times, startOfDay(dayOf(startedAt) + 1), first + 1))
    parts.push(partOf(segment, first, next, { from: startedAt, to: times[next - 1] as number }))
    first = next
  }
  return parts
}

import { grouped } from '../../../collections/grouped.ts'
import { dayOf, startOfDay } from '../../day-number.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import { orderedPart } from '../../query/parts/merged-part.ts'
import type { Part } from '../../query/parts/part.ts'
import type { Window } from '../../store.ts'
import { columnsPart, type EncodedColumns, encodeColumns, isWithin, measuredIn, partOf, timesOf } from './columns.ts'
import { type EncodedColumn, encodedColumn } from './text-codec.ts'

/** The header of a segment; its columns follow, each aligned to 8 bytes. */
type Header = {
  readonly count: number
  readonly from: number
  readonly to: number
  readonly columns: readonly (readonly [string, number])[]
}

const lengthBytes = 4
const aligned = (length: number) => Math.ceil(length / 8) * 8

/** Encodes results, which are in order, as one array of bytes. */
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

/** The results of segments of one check by day, within a window, in order. */
export function segmentsByDay(segments: readonly EncodedColumns[], window: Window): Map<number, Part> {
  const parts = segments.flatMap((segment) => dayParts(segment, window))
  const byDay = grouped(parts, ({ span }) => dayOf(span.from))
  return new Map(Array.from(byDay, ([day, parts]) => [day, orderedPart(parts)]))
}

/** A part for each day. */
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

import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CsvError, csvRecords } from '../text/csv.ts'
import { quoted } from '../text/shortened.ts'
import { type IncomingRow, lineRow, malformedRow, maxRowLength, tooLargeRow } from './rows.ts'

export type FileFormat = 'ndjson' | 'csv'

/** The file is invalid from some point on: not CSV, not UTF-8, broken gzip. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/**
 * Streams the rows of a file in batches of up to `size`; `at` of a row is its line, from 1. Detects and decompresses gzip.
 * If the file becomes unreadable, the rows before that point are yielded first.
 */
export async function* fileRows(bytes: AsyncIterable<Buffer>, format: FileFormat, size: number): AsyncGenerator<readonly IncomingRow[]> {
  let rows: IncomingRow[] = []
  let problem: unknown = null
  const source = format === 'csv' ? csvRows(decompressed(bytes)) : lineRows(decompressed(bytes))
  try {
    for await (const row of source) {
      if (rows.push(row) < size) continue
      yield rows
      rows = []
    }
  } catch (error) {
    problem = error
  }
  if (rows.length > 0) yield rows
  if (problem) throw problem
}

async function* decompressed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = bytes[Symbol.asyncIterator]()
  const { value: first, done } = await iterator.next()
  if (done) return
  const all = prepended(first, iterator)
  if (!(first[0] === 0x1f && first[1] === 0x8b)) return yield* all
  try {
    yield* gunzipped(all)
  } catch (cause) {
    throw new UnreadableFile('The gzip is corrupt or truncated.', { cause })
  }
}

async function* prepended(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** Errors of the source surface in the returned iterable. */
function gunzipped(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(bytes, createGunzip(), () => {})
}

const newline = 0x0a

/** Buffers no more of an endless line than the maximum length of a row. */
async function* lineRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<IncomingRow> {
  let pending: Buffer[] = []
  let length = 0
  let line = 1
  for await (const chunk of bytes) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const row = byteRow(pending, chunk.subarray(start, end), length + end - start, line++)
      if (row) yield row
      pending = []
      length = 0
      start = end + 1
    }
    length += chunk.length - start
    if (length <= maxLineBytes) pending.push(chunk.subarray(start))
  }
  const last = byteRow(pending, Buffer.alloc(0), length, line)
  if (last) yield last
}

const maxLineBytes = maxRowLength * 4

function byteRow(pending: readonly Buffer[], end: Buffer, length: number, line: number): IncomingRow | null {
  if (length > maxLineBytes) return tooLargeRow(line)
  const text = utf8Text(pending.length === 0 ? end : Buffer.concat([...pending, end]))
  return text === undefined ? malformedRow(line, 'it is not UTF-8') : lineRow(text, line)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of some bytes, without a byte order mark; undefined if they are not UTF-8. */
function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

async function* csvRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<IncomingRow> {
  let header: readonly string[] | undefined
  try {
    for await (const { line, cells } of csvRecords(utf8Pieces(bytes), maxRowLength)) {
      if (header) yield csvRow(header, cells, line)
      else header = checkedHeader(cells)
    }
  } catch (cause) {
    throw cause instanceof CsvError ? new UnreadableFile(cause.message) : cause
  }
}

async function* utf8Pieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    throw cause instanceof TypeError ? new UnreadableFile('The file is not UTF-8.') : cause
  }
}

function checkedHeader(cells: readonly string[]): readonly string[] {
  if (cells.includes('checkId') && cells.includes('startedAt')) return cells
  throw new UnreadableFile(`The first line must be a header with checkId and startedAt. It starts with ${quoted(cells.join())}.`)
}

function csvRow(header: readonly string[], cells: readonly string[], line: number): IncomingRow {
  if (cells.length !== header.length) return malformedRow(line, `it has ${cells.length} cells, but there are ${header.length} columns`)
  const value: Record<string, unknown> = Object.create(null)
  header.forEach((name, index) => {
    const text = cells[index] ?? ''
    if (text !== '') value[name] = cellValue(name, text)
  })
  return { at: line, value }
}

const texts = new Set(['id', 'checkId', 'runLocation', 'state', 'error', 'pageUrl'])

/** Cells of columns that are not text are parsed as JSON; a cell that does not parse stays text and is rejected as a value. */
function cellValue(name: string, text: string): unknown {
  if (texts.has(name) || (name === 'startedAt' && !/^\d+(\.\d+)?$/.test(text))) return text
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

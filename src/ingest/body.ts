import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { apiError } from '../errors.ts'
import type { FiledResult } from '../store/store.ts'
import { type ByteReader, byteReader, skipSpaces } from './fast-path/byte-reader.ts'
import { arrayElements } from './json-elements.ts'
import { addRow, type ReadRows, rowCount } from './read-rows.ts'
import type { RowReader } from './row.ts'
import { lineRow, maxRowLength } from './rows.ts'
import { runSteps, runStepsInTurns, type Steps, workPerRow, workPerStep } from './steps.ts'

export const maxBodyBytes = 8 * 1024 * 1024
const maxBodyRows = 10_000
export const bodyLimits = { bytes: '8 MiB', rows: '10,000 rows' } as const

export type BodyFormat = 'array' | 'lines'

const inflate = promisify(gunzip)

/** Decompresses the body, up to the size limit. */
export async function decodeBody(body: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'plain bytes or with Content-Encoding: gzip' })
  return inflate(body, { maxOutputLength: maxBodyBytes }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw apiError('BODY_TOO_LARGE', { limit: `${bodyLimits.bytes} when decompressed` })
    throw apiError('INVALID_BODY', { reason: 'The body is not valid gzip, or is truncated.' })
  })
}

/** Parses the rows of a body; throws if the whole body is invalid, while an invalid line is a rejected row. */
export function readBody(body: Buffer, format: BodyFormat, reader: RowReader): ReadRows {
  return runSteps(bodySteps(body, format, reader))
}

/** For large bodies, whose rows would block the thread too long. */
export function readBodyInTurns(body: Buffer, format: BodyFormat, reader: RowReader): Promise<ReadRows> {
  return runStepsInTurns(bodySteps(body, format, reader))
}

function* bodySteps(body: Buffer, format: BodyFormat, reader: RowReader): Steps<ReadRows> {
  if (!isUtf8(body)) throw apiError('INVALID_BODY', { reason: 'The body is not UTF-8.' })
  if (format === 'lines') return yield* lineSteps(body, reader)
  return (yield* plainArraySteps(body, reader)) ?? (yield* arraySteps(body, reader))
}

function* lineSteps(body: Buffer, reader: RowReader): Steps<ReadRows> {
  const rows: ReadRows = { filed: [], rejected: [] }
  const cursor = byteReader(body, startOf(body))
  let work = 0
  while (cursor.at < body.length) {
    const start = cursor.at
    if (!skipBlankLines(cursor)) {
      const result = reader.readPlain(cursor)
      if (result !== null && skipLineEnd(cursor) && cursor.at - start <= maxRowLength) rows.filed.push(result)
      else readLine(cursor, start, { rows, reader })
      if (rowCount(rows) > maxBodyRows) throw tooManyRows()
    }
    work += cursor.at - start + workPerRow
    if (work < workPerStep) continue
    work = 0
    yield
  }
  return rows
}

/** Skips blank lines, at most `workPerStep` bytes at a time. */
function skipBlankLines(cursor: ByteReader): boolean {
  const { bytes } = cursor
  const end = Math.min(bytes.length, cursor.at + workPerStep)
  let after = cursor.at
  for (let at = cursor.at; at < end; at++) {
    const byte = bytes[at]
    if (byte === charCode.newline) after = at + 1
    else if (byte !== charCode.space && byte !== charCode.tab && byte !== charCode.carriageReturn) break
  }
  const hasSkipped = after > cursor.at
  cursor.at = after
  return hasSkipped
}

function readLine(cursor: ByteReader, start: number, { rows, reader }: { readonly rows: ReadRows; readonly reader: RowReader }): void {
  const newline = cursor.bytes.indexOf(charCode.newline, start)
  const end = newline === -1 ? cursor.bytes.length : newline
  cursor.at = end + 1
  const row = lineRow(cursor.bytes.toString('utf8', start, end), rowCount(rows))
  if (row !== null) addRow(row, reader, rows)
}

/** Fast path: null unless the body is an array of valid plain rows within the limit. */
function* plainArraySteps(body: Buffer, reader: RowReader): Steps<ReadRows | null> {
  const filed: FiledResult[] = []
  const cursor = byteReader(body, startOf(body))
  if (body[cursor.at] !== charCode.openList) return null
  let stepEnd = workPerStep
  do {
    cursor.at++
    skipSpaces(cursor)
    const result = reader.readPlain(cursor)
    if (result === null || filed.push(result) > maxBodyRows) return null
    if (cursor.at < stepEnd) continue
    stepEnd = cursor.at + workPerStep
    yield
  } while (body[cursor.at] === charCode.comma)
  if (body[cursor.at++] !== charCode.closeList) return null
  return skipLineEnd(cursor) && cursor.at >= body.length ? { filed, rejected: [] } : null
}

function* arraySteps(body: Buffer, reader: RowReader): Steps<ReadRows> {
  const rows: ReadRows = { filed: [], rejected: [] }
  yield* arrayElements(body, { start: startOf(body), maxRows: maxBodyRows, tooManyRows, take: (row) => addRow(row, reader, rows) })
  return rows
}

const byteOrderMark = Buffer.from('\ufeff')

function startOf(body: Buffer): number {
  return body[0] === byteOrderMark[0] && body.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
}

/** The end of the body counts as a line end. */
function skipLineEnd(cursor: ByteReader): boolean {
  if (cursor.bytes[cursor.at] === charCode.carriageReturn) cursor.at++
  return cursor.at >= cursor.bytes.length || cursor.bytes[cursor.at++] === charCode.newline
}

const tooManyRows = () => apiError('BODY_TOO_LARGE', { limit: bodyLimits.rows })
const charCode = { tab: 0x09, newline: 0x0a, carriageReturn: 0x0d, space: 0x20, comma: 0x2c, openList: 0x5b, closeList: 0x5d }

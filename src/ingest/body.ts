import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { apiError } from '../errors.ts'
import type { FiledResult } from '../store/store.ts'
import { type ByteReader, byteReader, skipSpaces } from './fast-path/byte-reader.ts'
import { addRow, countOf, type ReadRows, readRows } from './read-rows.ts'
import type { RowReader } from './row.ts'
import { lineRow, maxRowLength, type Row } from './rows.ts'

export const maxBodyBytes = 8 * 1024 * 1024
const maxBodyRows = 10_000
export const bodyLimits = { bytes: '8 MiB', rows: '10,000 rows' } as const

export type BodyFormat = 'array' | 'lines'

const maxDepth = 16
const inflate = promisify(gunzip)

/** Decompresses the body, up to the size limit. */
export async function decodeBody(body: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'plain bytes or with Content-Encoding: gzip' })
  return inflate(body, { maxOutputLength: maxBodyBytes }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw apiError('BODY_TOO_LARGE', { limit: `${bodyLimits.bytes} when decompressed` })
    throw apiError('INVALID_BODY', { reason: 'The body is no gzip, or was cut off.' })
  })
}

/** Parses the rows of a body; throws where the whole body is invalid, while an invalid line is a rejected row. */
export function readBody(body: Buffer, format: BodyFormat, reader: RowReader): ReadRows {
  if (!isUtf8(body)) throw apiError('INVALID_BODY', { reason: 'The body is not UTF-8.' })
  if (format === 'lines') return readLines(body, reader)
  return readPlainArray(body, reader) ?? readRows(arrayRows(body), reader)
}

function readLines(body: Buffer, reader: RowReader): ReadRows {
  const rows: ReadRows = { filed: [], rejected: [] }
  const cursor = byteReader(body, startOf(body))
  while (cursor.at < body.length) {
    const start = cursor.at
    const result = reader.readPlain(cursor)
    if (result !== null && skipLineEnd(cursor) && cursor.at - start <= maxRowLength) rows.filed.push(result)
    else readLine(cursor, start, { rows, reader })
    if (countOf(rows) > maxBodyRows) throw tooManyRows()
  }
  return rows
}

function readLine(cursor: ByteReader, start: number, { rows, reader }: { readonly rows: ReadRows; readonly reader: RowReader }): void {
  const newline = cursor.bytes.indexOf(charCode.newline, start)
  const end = newline === -1 ? cursor.bytes.length : newline
  cursor.at = end + 1
  const row = lineRow(cursor.bytes.toString('utf8', start, end), countOf(rows))
  if (row !== null) addRow(row, reader, rows)
}

/** Fast path: null unless the body is an array of valid plain rows within the limit. */
function readPlainArray(body: Buffer, reader: RowReader): ReadRows | null {
  const filed: FiledResult[] = []
  const cursor = byteReader(body, startOf(body))
  if (body[cursor.at] !== charCode.openList) return null
  do {
    cursor.at++
    skipSpaces(cursor)
    const result = reader.readPlain(cursor)
    if (result === null || filed.push(result) > maxBodyRows) return null
  } while (body[cursor.at] === charCode.comma)
  if (body[cursor.at++] !== charCode.closeList) return null
  return skipLineEnd(cursor) && cursor.at >= body.length ? { filed, rejected: [] } : null
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

function arrayRows(body: Buffer): readonly Row[] {
  const { deep, commas } = scanJson(body)
  if (deep) throw tooDeep()
  if (commas >= maxBodyRows) throw tooManyRows()
  const values = parse(body.toString('utf8', startOf(body)))
  if (!Array.isArray(values))
    throw apiError('INVALID_BODY', { reason: 'Send a JSON array of results, or one result per line as application/x-ndjson.' })
  return values.map((value: unknown, at) => ({ at, value }))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw apiError('INVALID_BODY', { reason: 'The body is no JSON. One result per line is application/x-ndjson.' })
  }
}

const tooManyRows = () => apiError('BODY_TOO_LARGE', { limit: bodyLimits.rows })
const tooDeep = () => apiError('INVALID_BODY', { reason: `The body is nested deeper than ${maxDepth}.` })

const charCode = {
  newline: 0x0a,
  carriageReturn: 0x0d,
  quote: 0x22,
  comma: 0x2c,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
}

/** Scans JSON before it is parsed: whether it nests too deep, and how many commas the outermost array has. */
function scanJson(json: Uint8Array): { readonly deep: boolean; readonly commas: number } {
  let depth = 0
  let commas = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === charCode.quote) inText = !inText
    else if (inText) at += byte === charCode.backslash ? 1 : 0
    else if (byte === charCode.comma) commas += depth === 1 ? 1 : 0
    else if (byte === charCode.openList || byte === charCode.openObject) depth++
    else if (byte === charCode.closeList || byte === charCode.closeObject) depth--
    if (depth > maxDepth) return { deep: true, commas }
  }
  return { deep: false, commas }
}

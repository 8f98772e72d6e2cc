import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { apiError } from '../errors.ts'
import { lineRow, type Row, utf8Text } from './rows.ts'

export const maxBodyBytes = 8 * 1024 * 1024
const maxBodyRows = 10_000
export const bodyLimits = { bytes: '8 MiB', rows: '10,000 rows' } as const

export type BodyFormat = 'array' | 'lines'

const maxDepth = 16
const inflate = promisify(gunzip)

/** The body as it was before it was compressed; never more than the limit, whatever it claims to be. */
export async function decodeBody(body: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'plain bytes or with Content-Encoding: gzip' })
  return inflate(body, { maxOutputLength: maxBodyBytes }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw apiError('BODY_TOO_LARGE', { limit: `${bodyLimits.bytes} when unpacked` })
    throw apiError('INVALID_BODY', { reason: 'The body is no gzip, or was cut off.' })
  })
}

/** The rows of a body; a body that is broken as a whole throws, a broken line is a row with its rejection. */
export function bodyRows(body: Buffer, format: BodyFormat): readonly Row[] {
  const text = utf8Text(body)
  if (text === undefined) throw apiError('INVALID_BODY', { reason: 'The body is not UTF-8.' })
  const rows = format === 'array' ? arrayRows(body, text) : lineRows(text)
  if (rows.length > maxBodyRows) throw tooManyRows()
  return rows
}

function arrayRows(body: Buffer, text: string): readonly Row[] {
  const { deep, commas } = survey(body)
  if (deep) throw tooDeep()
  if (commas >= maxBodyRows) throw tooManyRows()
  const values = parse(text)
  if (!Array.isArray(values))
    throw apiError('INVALID_BODY', { reason: 'Send a JSON array of results, or one result per line as application/x-ndjson.' })
  return values.map((value: unknown, at) => ({ at, value }))
}

function lineRows(text: string): readonly Row[] {
  const rows: Row[] = []
  let at = 0
  for (const line of text.split('\n')) {
    const row = lineRow(line, at)
    if (row === null) continue
    at = rows.push(row)
    if (at > maxBodyRows) return rows
  }
  return rows
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

const mark = { quote: 0x22, backslash: 0x5c, comma: 0x2c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d }

/** What a parser would meet, before one is let loose on it: brackets nested too deep, and commas in the outermost ones. */
function survey(json: Uint8Array): { readonly deep: boolean; readonly commas: number } {
  let depth = 0
  let commas = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === mark.quote) inText = !inText
    else if (inText) at += byte === mark.backslash ? 1 : 0
    else if (byte === mark.comma) commas += depth === 1 ? 1 : 0
    else if (byte === mark.openList || byte === mark.openObject) depth++
    else if (byte === mark.closeList || byte === mark.closeObject) depth--
    if (depth > maxDepth) return { deep: true, commas }
  }
  return { deep: false, commas }
}

import { type Rejection, rejection } from './rejections.ts'

/** A row as it arrived: its place (an index or a line) and its value, or why it has none. */
export type Row = { readonly at: number; readonly value: unknown } | { readonly at: number; readonly rejection: Rejection }

export const maxRowBytes = 262_144
export const maxDepth = 16

const newline = 0x0a
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The text of some bytes; undefined where they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** One line of NDJSON. */
export function lineRow(line: Uint8Array, at: number): Row | null {
  if (line.length > maxRowBytes) return tooLargeRow(at)
  const text = utf8Text(line)
  if (text === undefined) return { at, rejection: rejection('MALFORMED_ROW', { reason: 'it is not UTF-8' }) }
  if (text.trim() === '') return null
  if (survey(line).deep) return { at, rejection: rejection('MALFORMED_ROW', { reason: `it is nested deeper than ${maxDepth}` }) }
  return jsonRow(text, at)
}

export function tooLargeRow(at: number): Row {
  return { at, rejection: rejection('ROW_TOO_LARGE', { limit: `${maxRowBytes / 1024} KiB` }) }
}

/** The lines of some bytes, without their ends. */
export function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    yield bytes.subarray(start, end)
    start = end + 1
  }
  if (start < bytes.length) yield bytes.subarray(start)
}

const mark = { quote: 0x22, backslash: 0x5c, comma: 0x2c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d }

/** How deep brackets are nested, up to just beyond what is allowed, and how many commas stand in the outermost ones. */
export function survey(json: Uint8Array): { readonly deep: boolean; readonly commas: number } {
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

function jsonRow(text: string, at: number): Row {
  try {
    return { at, value: JSON.parse(text) }
  } catch {
    return { at, rejection: rejection('MALFORMED_ROW', { reason: 'its JSON does not parse' }) }
  }
}

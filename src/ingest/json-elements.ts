import { apiError } from '../errors.ts'
import { type IncomingRow, tooLargeRow } from './rows.ts'
import { type Steps, workPerRow, workPerStep } from './steps.ts'

const maxDepth = 16
/** More values than any valid row has; parsing them in one go takes some milliseconds. */
const maxRowValues = 100_000
/** The root of a longer body is judged by its first byte. */
const maxParsedRoot = 65_536
/** Bytes that are scanned in one step. */
const scanStep = 1_000_000

type Options = {
  readonly start: number
  readonly maxRows: number
  readonly tooManyRows: () => Error
  /** Receives each element. Values take much more memory than their text, so they are not collected. */
  readonly take: (row: IncomingRow) => void
}

/** Parses the elements of a JSON array one by one; throws as JSON.parse of the whole would, possibly after some of them. */
export function* arrayElements(json: Buffer, { start, maxRows, tooManyRows, take }: Options): Steps<void> {
  const { depth, ends, close, crowded } = yield* scan(json, maxRows)
  if (depth > maxDepth) throw apiError('INVALID_BODY', { reason: `The body is nested deeper than ${maxDepth}.` })
  if (ends.length >= maxRows) throw tooManyRows()
  const open = yield* skipBlank(json, start)
  if (json[open] !== charCode.openList) throw noArray(json, open)
  if (json[close] !== charCode.closeList || (yield* skipBlank(json, close + 1)) < json.length) throw noJson()
  if (ends.length === 0 && (yield* skipBlank(json, open + 1)) === close) return
  let work = 0
  let from = open + 1
  for (const [at, to] of [...ends, close].entries()) {
    take(crowded.has(at) ? tooLargeRow(at, `${maxRowValues} values`) : { at, value: parse(json, from, to) })
    work += to + 1 - from + workPerRow
    from = to + 1
    if (work < workPerStep) continue
    work = 0
    yield
  }
}

type Scan = {
  at: number
  depth: number
  inText: boolean
  /** Commas in the element so far. */
  values: number
  /** The commas of the outermost array, up to the limit. */
  readonly ends: number[]
  /** The end of the outermost value; the length of the body if it does not end. */
  close: number
  /** Elements with too many values. */
  readonly crowded: Set<number>
}

/** Finds where the elements are, and whether it is safe to parse them. */
function* scan(json: Uint8Array, maxRows: number): Steps<Scan> {
  const found: Scan = { at: 0, depth: 0, inText: false, values: 0, ends: [], close: json.length, crowded: new Set() }
  while (found.at < json.length && found.depth <= maxDepth) {
    scanPart(json, found, maxRows)
    yield
  }
  return found
}

/** A separate function: V8 compiles its loop while it runs, which it does not do in a generator. */
function scanPart(json: Uint8Array, found: Scan, maxRows: number): void {
  let { at, depth, inText, values } = found
  const { ends, crowded } = found
  for (const end = Math.min(json.length, at + scanStep); at < end && depth <= maxDepth; at++) {
    const byte = json[at] as number
    if (byte === charCode.quote) inText = !inText
    else if (inText) at += byte === charCode.backslash ? 1 : 0
    else if (byte === charCode.comma && depth === 1) {
      if (ends.length < maxRows) ends.push(at)
      values = 0
    } else if (byte === charCode.comma) {
      if (++values > maxRowValues) crowded.add(ends.length)
    } else if (byte === charCode.openList || byte === charCode.openObject) depth++
    else if ((byte === charCode.closeList || byte === charCode.closeObject) && --depth === 0 && at < found.close) found.close = at
  }
  Object.assign(found, { at, depth, inText, values })
}

function parse(json: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(json.toString('utf8', from, to))
  } catch {
    throw noJson()
  }
}

function noArray(json: Buffer, open: number): Error {
  if (open >= json.length) return noJson()
  if (json.length <= maxParsedRoot) parse(json, open, json.length)
  return apiError('INVALID_BODY', { reason: 'Send a JSON array of results, or one result per line as application/x-ndjson.' })
}

const noJson = () => apiError('INVALID_BODY', { reason: 'The body is not JSON. Send one result per line as application/x-ndjson.' })

/** The index of the first byte that is not JSON whitespace. */
function* skipBlank(json: Uint8Array, from: number): Steps<number> {
  let at = from
  for (;;) {
    const end = Math.min(json.length, at + scanStep)
    at = blankUntil(json, at, end)
    if (at < end || at >= json.length) return at
    yield
  }
}

function blankUntil(json: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09)) at++
  return at
}

const charCode = { quote: 0x22, comma: 0x2c, openList: 0x5b, backslash: 0x5c, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d }

import { percentEncoded } from './percent-encoded.ts'

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const harmless = /^[\w.:]*$/
/** Spreadsheets skip blank or invisible characters before a sign, and some read full-width and small signs as plain ones. */
const formulaStart = '(?:[\\t\\r\\n]|[\\s\\p{C}]*[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212])'
const formula = new RegExp(`^'*${formulaStart}`, 'u')
const defused = new RegExp(`^'+${formulaStart}`, 'u')

/** One line of CSV (RFC 4180) with its line end. A cell that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** List items are separated by spaces, and percent-encoded since they may contain any character. */
export function csvValue(value: string | number | boolean | null | undefined | readonly (string | number)[]): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? value.map(percentEncoded).join(' ') : String(value)
}

type CsvRecord = {
  /** The line on which it starts, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export class CsvError extends Error {
  override readonly name = 'CsvError'
}

/** Records of a CSV text that arrives in chunks, without the apostrophes that `csvLine` adds. */
export async function* csvRecords(pieces: AsyncIterable<string>, maxRecordLength: number): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader(maxRecordLength)
  for await (const piece of pieces) yield* reader.push(piece)
  yield* reader.end()
}

function csvCell(text: string): string {
  if (harmless.test(text)) return text
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const quote = 0x22
const newline = 0x0a

/** Keeps the incomplete record between two chunks. */
class CsvReader {
  readonly #maxRecordLength: number
  #unread = ''
  #quoted = false
  #line = 1

  constructor(maxRecordLength: number) {
    this.#maxRecordLength = maxRecordLength
  }

  *push(piece: string): Generator<CsvRecord> {
    const text = this.#unread + piece
    let start = 0
    for (let at = this.#unread.length; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) this.#quoted = !this.#quoted
      if (code !== newline || this.#quoted) continue
      yield* this.#record(text.slice(start, at + 1))
      start = at + 1
    }
    this.#unread = text.slice(start)
    if (this.#unread.length > this.#maxRecordLength)
      throw new CsvError(`The record at line ${this.#line} is longer than ${this.#maxRecordLength} characters: is a quote missing?`)
  }

  *end(): Generator<CsvRecord> {
    if (this.#unread !== '') yield* this.#record(this.#unread)
  }

  *#record(text: string): Generator<CsvRecord> {
    const line = this.#line
    this.#line += text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    const content = text.replace(/\r?\n$/, '')
    if (content !== '') yield { line, cells: cellsOf(content, line) }
  }
}

const cellGrammar = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y

function cellsOf(record: string, line: number): readonly string[] {
  const cells: string[] = []
  cellGrammar.lastIndex = 0
  for (;;) {
    const match = cellGrammar.exec(record)
    if (!match) throw new CsvError(`Line ${line}: unexpected quote.`)
    const text = match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"')
    cells.push(defused.test(text) ? text.slice(1) : text)
    if (match[3] === '') return cells
  }
}

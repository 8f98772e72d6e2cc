import { createTurns } from '../concurrency/turns.ts'
import { csvLine, csvValue } from '../text/csv.ts'
import type { AnswerRow, AnswerSeries } from './report.ts'

/** An answer of the API that has rows. */
export type Tabular =
  | readonly object[]
  | { readonly intervals?: readonly object[]; readonly series: readonly AnswerSeries[] }
  | { readonly outages: readonly object[] }
  | { readonly failures: readonly object[] }
  | { readonly days: readonly object[] }

/** The rows of an answer as CSV. `known` columns come first, even without rows. */
export async function answerCsv(answer: Tabular, known: readonly string[]): Promise<string> {
  const turns = createTurns()
  const rows: Cells[] = []
  for (const row of rowsOf(answer)) {
    const cells = flattened(row)
    rows.push(cells)
    await turns(1 + cells.size / 10)
  }
  const columns = columnsOf(rows, 'intervals' in answer ? intervalColumns : known)
  const lines = [csvLine(columns)]
  for (const row of rows) {
    lines.push(csvLine(columns.map((column) => csvValue(row.get(column)))))
    await turns(1 + columns.length / 10)
  }
  return lines.join('')
}

const intervalColumns = ['from', 'to', 'state']

type Cell = Parameters<typeof csvValue>[0]
type Cells = ReadonlyMap<string, Cell>

/** A generator, since flattening many rows takes long: the caller yields to the event loop in between. */
function* rowsOf(answer: Tabular): Generator<object> {
  if (isList(answer)) for (const line of answer) yield* bucketRows(line)
  else if ('outages' in answer) yield* answer.outages
  else if ('failures' in answer) yield* answer.failures
  else if ('days' in answer) yield* answer.days
  else if (answer.intervals) yield* answer.intervals
  else for (const series of answer.series) yield* seriesRows(series)
}

/** `Array.isArray` does not narrow to readonly arrays. */
const isList = (answer: Tabular): answer is readonly object[] => Array.isArray(answer)

function* seriesRows({ data, ...keys }: AnswerSeries): Generator<object> {
  for (const row of data) yield Object.assign({}, keys, row)
}

/** A line of the summary: a row for each of its buckets, or one row if it has none. */
function* bucketRows(line: object & { readonly data?: readonly AnswerRow[] }): Generator<object> {
  if (!line.data) yield line
  else for (const data of line.data.length > 0 ? line.data : [{}]) yield { ...line, data }
}

/** The cells of a row: those of a nested object as `outer.inner`; lists of objects are left out. */
function flattened(row: object): Cells {
  const cells = new Map<string, Cell>()
  const add = (value: object, prefix: string) => {
    for (const [name, inner] of Object.entries(value)) {
      if (Array.isArray(inner)) {
        if (inner.every((item) => typeof item !== 'object')) cells.set(prefix + name, inner)
      } else if (typeof inner === 'object' && inner !== null) add(inner, `${prefix}${name}.`)
      else cells.set(prefix + name, inner)
    }
  }
  add(row, '')
  return cells
}

/** Drops names that have columns below them: a value may be an object in some rows and null in others. */
function columnsOf(rows: readonly Cells[], known: readonly string[]): readonly string[] {
  const names = new Set(known)
  for (const row of rows) for (const name of row.keys()) names.add(name)
  const outer = new Set([...names].filter((name) => name.includes('.')).map((name) => name.slice(0, name.indexOf('.'))))
  return [...names].filter((name) => !outer.has(name))
}

import type { Report, Row } from '../api/answers.ts'

export type Cell = string | number | boolean | null

/** A table with its head as the first row. */
export type Rows = readonly (readonly Cell[])[]

export function reportRows(report: Report): Rows {
  return rowsOf(report.series.flatMap(({ data }) => data))
}

/** One column for each name that any row has, in the order in which they are first met. */
export function rowsOf(rows: readonly Row[]): (readonly string[] | readonly Cell[])[] {
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [head, ...rows.map((row) => head.map((name) => row[name] ?? null))]
}

/** Comma-separated values for spreadsheets; a cell that one would run as a formula is defused. */
export function csv(rows: Rows): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const defused = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused
}

import { csvLine, csvValue } from '../../text/csv.ts'
import type { Report, Row } from '../api/answers.ts'

export type Cell = string | number | boolean | null

/** A table; the first row is its header. */
export type Rows = readonly (readonly Cell[])[]

export function reportRows(report: Report): Rows {
  return rowsOf(report.series.flatMap(({ data }) => data))
}

/** One column per name that any row has, in the order of first appearance. */
export function rowsOf(rows: readonly Row[]): (readonly string[] | readonly Cell[])[] {
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [head, ...rows.map((row) => head.map((name) => row[name] ?? null))]
}

/** CSV for spreadsheets; cells that would run as a formula are escaped. */
export function csv(rows: Rows): string {
  return rows.map((row) => csvLine(row.map(csvValue))).join('')
}

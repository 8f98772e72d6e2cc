import { csvLine, csvValue } from '../../text/csv.ts'
import type { Report, Row } from '../api/answers.ts'

export type TableCell = string | number | boolean | null

/** A table; the first row is its header. */
export type TableRows = readonly (readonly TableCell[])[]

export function reportRows(report: Report): TableRows {
  return tableRows(report.series.flatMap(({ data }) => data))
}

/** One column for each name in any row, in order of first appearance. */
export function tableRows(rows: readonly Row[]): (readonly string[] | readonly TableCell[])[] {
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [head, ...rows.map((row) => head.map((name) => row[name] ?? null))]
}

/** CSV for spreadsheets. Escapes cells that would run as a formula. */
export function csv(rows: TableRows): string {
  return rows.map((row) => csvLine(row.map(csvValue))).join('')
}

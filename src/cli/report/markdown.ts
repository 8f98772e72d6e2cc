import { withoutControls } from '../../text/without-controls.ts'
import type { ReportBody } from './fetch-report.ts'
import { columnNames, flatRows, rounded, unitOf, unitSuffix } from './format.ts'

/** The rows as a Markdown table with a heading, for comments and job summaries. */
export function reportMarkdown(report: ReportBody, title: string): string {
  const rows = report.series.flatMap(flatRows)
  const columns = columnNames(rows)
  const isFigure = (column: string) => rows.some((row) => typeof row[column] === 'number')
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const table = [
    line(columns.map((column) => escapeMarkdown(`${column}${unitSuffix(report, column)}`))),
    line(columns.map((column) => (isFigure(column) ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => escapeMarkdown(rounded(row[column], unitOf(report, column)))))),
  ]
  const body = rows.length > 0 ? table.join('') : 'No results.\n'
  return `### ${escapeMarkdown(title)}\n\n${report.from} to ${report.to}\n\n${body}`
}

/**
 * Escapes text for Markdown. GitHub ignores backslashes in mentions and references such as `@team` and `#12`, so an empty comment follows
 * the sign.
 */
export function escapeMarkdown(text: string): string {
  return withoutControls(text)
    .replace(/[\\`*[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/[@#](?=\w)/g, '$&<!-- -->')
}

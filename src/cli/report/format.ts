import { csvLine } from '../../text/csv.ts'
import { withoutControls } from '../../text/without-controls.ts'
import { alignedTable } from '../terminal/table.ts'
import type { FetchedRow, FetchedSeries, FetchedValue, ReportBody } from './fetch-report.ts'

const units: Readonly<Record<string, string>> = { milliseconds: 'ms', percentage: '%' }

/** The rows as CSV with group columns. Without rows, only a header with the metrics. */
export function reportCsv(report: ReportBody): string {
  const rows = report.series.flatMap(flatRows)
  const columns = rows.length > 0 ? columnNames(rows) : Object.keys(report.metadata)
  return [columns, ...rows.map((row) => columns.map((column) => text(row[column])))].map(csvLine).join('')
}

/** The rows as a table. Each series with several rows has a sparkline per metric. */
export function reportTable(report: ReportBody, title: string, width?: number): string {
  const rows = report.series.flatMap(flatRows)
  const columns = columnNames(rows)
  const heads = columns.map((column) => `${column}${unitSuffix(report, column)}`)
  const figures = new Set(columns.flatMap((column, index) => (rows.some((row) => typeof row[column] === 'number') ? [index] : [])))
  const body = rows.map((row) => columns.map((column) => rounded(row[column], unitOf(report, column))))
  const sparks = report.series.flatMap((series) => sparkLines(series, report))
  const parts = [
    `${withoutControls(title)}\n${report.from} to ${report.to}\n`,
    rows.length > 0 ? alignedTable(heads, body, { right: figures, width }) : 'No results.\n',
  ]
  return [...parts, ...(sparks.length > 0 ? [sparks.map((line) => `${line}\n`).join('')] : [])].join('\n')
}

const ticks = '▁▂▃▄▅▆▇█'

/**
 * One character per value, scaled from the lowest to the highest value, or to `range`. Null is a space; if all values are equal, the line
 * is in the middle.
 */
export function sparkline(values: readonly (number | null)[], range?: { readonly low: number; readonly high: number }): string {
  const present = values.filter((value) => value !== null)
  const { low, high } = range ?? { low: Math.min(...present), high: Math.max(...present) }
  const share = (value: number) => (high === low ? 0.4 : Math.min(1, Math.max(0, (value - low) / (high - low))))
  return values.map((value) => (value === null ? ' ' : ticks.charAt(Math.round(share(value) * (ticks.length - 1))))).join('')
}

export function flatRows(series: FetchedSeries): readonly FetchedRow[] {
  const { data, ...group } = series
  return data.map((row) => ({ ...(group as FetchedRow), ...row }))
}

export function columnNames(rows: readonly FetchedRow[]): readonly string[] {
  return [...new Set(rows.flatMap(Object.keys))]
}

function sparkLines({ data, ...group }: FetchedSeries, { metadata }: ReportBody): readonly string[] {
  if (data.length < 2) return []
  const inTime = 'period' in (data[0] ?? {}) ? data : data.toReversed()
  const label = withoutControls(Object.values(group).map(String).join(' '))
  const longest = Math.max(...Object.keys(metadata).map(({ length }) => length))
  return Object.entries(metadata).flatMap(([metric, { unit }]) => {
    const values = inTime.slice(-120).map((row) => (typeof row[metric] === 'number' ? row[metric] : null))
    const present = values.filter((value) => value !== null)
    if (present.length < 2) return []
    const ends = new Set([Math.min(...present), Math.max(...present)].map((end) => rounded(end, unit)))
    const range = `${[...ends].join(' to ')} ${units[unit] ?? ''}`
    return [`${label ? `${label}  ` : ''}${metric.padEnd(longest)}  ${sparkline(values)}  ${range}`.trimEnd()]
  })
}

export function unitSuffix(report: ReportBody, column: string): string {
  const unit = units[unitOf(report, column)]
  return unit ? ` (${unit})` : ''
}

function text(cell: FetchedValue | undefined): string {
  return cell === null || cell === undefined ? '' : String(cell)
}

/** The unit of a column, also of its figures in the compared period; empty for other columns. */
export function unitOf({ metadata }: ReportBody, column: string): string {
  return metadata[column.replace(/ before$/, '')]?.unit ?? ''
}

/** Percentages are never rounded up to 100. */
export function rounded(cell: FetchedValue | undefined, unit = ''): string {
  if (unit === 'percentage' && typeof cell === 'number' && cell > 99.99 && cell < 100) return '99.99'
  if (typeof cell === 'number') return Number.isInteger(cell) ? String(cell) : cell.toFixed(Math.abs(cell) < 10 ? 3 : 2)
  return cell === null || cell === undefined ? '–' : String(cell)
}

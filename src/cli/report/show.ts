import { csvLine } from '../../text/csv.ts'
import { alignedTable } from '../table.ts'
import type { Answered, Cell, Row, Series } from './answer.ts'

const units: Readonly<Record<string, string>> = { milliseconds: 'ms', percentage: '%' }

/** The rows as CSV: one line per row, with the group in it; without rows, the names of the metrics. */
export function reportCsv(answered: Answered): string {
  const rows = answered.series.flatMap(rowsOf)
  const columns = rows.length > 0 ? columnsOf(rows) : Object.keys(answered.metadata)
  return [columns, ...rows.map((row) => columns.map((column) => text(row[column])))].map(csvLine).join('')
}

/** The rows for people, with a line over time for each metric of each series where there is more than one row. */
export function reportTable(answered: Answered, title: string): string {
  const rows = answered.series.flatMap(rowsOf)
  const columns = columnsOf(rows)
  const heads = columns.map((column) => `${column}${unitSuffix(answered, column)}`)
  const figures = new Set(columns.flatMap((column, index) => (rows.some((row) => typeof row[column] === 'number') ? [index] : [])))
  const body = rows.map((row) => columns.map((column) => rounded(row[column])))
  const sparks = answered.series.flatMap((series) => sparkLines(series, answered))
  const parts = [`${title}\n${answered.from} to ${answered.to}\n`, rows.length > 0 ? alignedTable(heads, body, figures) : 'No results.\n']
  return [...parts, ...(sparks.length > 0 ? [sparks.map((line) => `${line}\n`).join('')] : [])].join('\n')
}

const ticks = '▁▂▃▄▅▆▇█'

/** One character per value, from the lowest to the highest; a gap where there is none, a middle line where all are equal. */
export function sparkline(values: readonly (number | null)[]): string {
  const present = values.filter((value) => value !== null)
  const low = Math.min(...present)
  const span = Math.max(...present) - low
  return values
    .map((value) => (value === null ? ' ' : ticks.charAt(Math.round((span === 0 ? 0.4 : (value - low) / span) * (ticks.length - 1)))))
    .join('')
}

function rowsOf(series: Series): readonly Row[] {
  const { data, ...group } = series
  return data.map((row) => ({ ...(group as Row), ...row }))
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap(Object.keys))]
}

function sparkLines({ data, ...group }: Series, { metadata }: Answered): readonly string[] {
  if (data.length < 2) return []
  const inTime = 'period' in (data[0] ?? {}) ? data : data.toReversed()
  const label = Object.values(group).map(String).join(' ')
  const longest = Math.max(...Object.keys(metadata).map(({ length }) => length))
  return Object.entries(metadata).flatMap(([metric, { unit }]) => {
    const values = inTime.slice(-120).map((row) => (typeof row[metric] === 'number' ? row[metric] : null))
    const present = values.filter((value) => value !== null)
    if (present.length < 2) return []
    const ends = new Set([Math.min(...present), Math.max(...present)].map(rounded))
    const range = `${[...ends].join(' to ')} ${units[unit] ?? ''}`
    return [`${label ? `${label}  ` : ''}${metric.padEnd(longest)}  ${sparkline(values)}  ${range}`.trimEnd()]
  })
}

function unitSuffix({ metadata }: Answered, column: string): string {
  const unit = units[metadata[column]?.unit ?? '']
  return unit ? ` (${unit})` : ''
}

function text(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? '' : String(cell)
}

function rounded(cell: Cell | undefined): string {
  if (typeof cell === 'number') return Number.isInteger(cell) ? String(cell) : cell.toFixed(Math.abs(cell) < 10 ? 3 : 2)
  return cell === null || cell === undefined ? '–' : String(cell)
}

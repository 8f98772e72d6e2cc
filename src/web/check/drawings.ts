import { minuteMs } from '../../time.ts'
import type { Report, Unit } from '../api/answers.ts'
import type { ReportQuery } from '../api/report-query.ts'
import { colourOf, type Drawing, type Line } from '../chart/line.ts'
import { type Table, tableOf } from '../chart/table.ts'
import { percentiles } from './check-state.ts'

export type Cut = {
  readonly report: Report
  readonly query: ReportQuery
  readonly unit: Unit
}

/** The percentiles of one metric together, filled between. */
export function bandDrawing(cut: Cut): Drawing {
  const table = tableFor(cut)
  const lines = table.columns.map(({ values }, index): Line => {
    const name = percentiles[index] ?? ''
    return { label: name, values, colour: `band-${name}`, shape: 'line', band: name !== 'p50', width: name === 'p50' ? 2 : 1.25 }
  })
  return drawing(cut, table, lines)
}

/** One line per group, or a single one. */
export function groupsDrawing(cut: Cut, shape: Line['shape'], alone: string): Drawing {
  const table = tableFor(cut)
  const grouped = cut.query.groupBy !== null
  const lines = table.columns.map(
    ({ group, values }, index): Line => ({
      label: group ?? alone,
      values,
      shape: grouped ? 'line' : shape,
      ...colourOf(index),
    }),
  )
  return drawing(cut, table, distinct(lines))
}

/** Passed and failed runs as stacked bars of their counts, which start at zero; lines of availability where there are groups. */
export function availabilityDrawing(cut: Cut): Drawing {
  const table = tableFor(cut)
  if (cut.query.groupBy !== null) return { ...groupsDrawing(cut, 'line', ''), scale: availabilityScale(table) }
  const [passed = [], total = []] = tableFor(cut, ['success', 'total']).columns.map(({ values }) => values)
  const failed = total.map((count, index) => (count === null ? null : count - (passed[index] ?? 0)))
  const lines: Line[] = [
    { label: 'failed', values: failed, colour: 'failing', shape: 'bars' },
    { label: 'passed', values: passed, colour: 'passing-soft', shape: 'bars' },
  ]
  const readouts = [{ label: 'availability', unit: 'percentage' as const, values: table.columns[0]?.values ?? [] }]
  return { ...drawing({ ...cut, unit: 'count' }, table, lines), stacked: true, readouts }
}

export function stackDrawing(cut: Cut, labels: readonly string[]): Drawing {
  const table = tableFor(cut)
  const lines = table.columns.map(({ values }, index): Line => ({ label: labels[index] ?? '', values, shape: 'bars', ...colourOf(index) }))
  return { ...drawing(cut, table, lines), stacked: true }
}

function tableFor({ report, query }: Cut, metrics = query.metrics): Table {
  return tableOf(report, { metrics, groupBy: query.groupBy, bucketMs: bucketMs(query) })
}

function drawing({ report, unit, query }: Cut, table: Table, lines: readonly Line[]): Drawing {
  return { unit, times: table.times, bucketMs: bucketMs(query), from: Date.parse(report.from), to: Date.parse(report.to), lines }
}

function bucketMs(query: ReportQuery): number {
  return (query.interval ?? 0) * minuteMs
}

/** Groups with the same label, such as two hosts' front pages, get a number. */
function distinct(lines: readonly Line[]): Line[] {
  const seen = new Map<string, number>()
  return lines.map((line) => {
    const count = (seen.get(line.label) ?? 0) + 1
    seen.set(line.label, count)
    return count === 1 ? line : { ...line, label: `${line.label} (${count})` }
  })
}

function availabilityScale({ columns }: Table): readonly [number, number] {
  const lowest = Math.min(100, ...columns.flatMap(({ values }) => values.filter((value) => value !== null)))
  const floor = [98, 95, 90, 75, 50].find((step) => lowest > step) ?? 0
  return [floor, 100 + (100 - floor) * 0.02]
}

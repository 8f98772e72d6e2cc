import type { Report, Unit } from '../api/answers.ts'
import type { ReportQuery } from '../api/report-query.ts'
import { type ChartGroup, type ChartLine, colourOf, type Drawing, mostLines } from '../chart/line.ts'
import { type ChartTable, tableOf } from '../chart/table.ts'
import { percentiles } from './check-options.ts'

type Cut = {
  readonly report: Report
  readonly query: ReportQuery
  readonly unit: Unit
}

/** The percentiles of one metric, with filled areas between them. */
export function bandDrawing(cut: Cut): Drawing {
  const table = tableFor(cut)
  const lines = table.columns.map(({ values }, index): ChartLine => {
    const name = percentiles[index] ?? ''
    return { label: name, values, colour: `band-${name}`, shape: 'line', band: name !== 'p50', width: name === 'p50' ? 2 : 1.25 }
  })
  return drawing(cut, table, lines)
}

/** One line per group, or a single line. If there are too many groups, draws the highest ones, or the first ones by `rank`. */
export function groupsDrawing(cut: Cut, shape: ChartLine['shape'], alone: string, rank: Rank = highestValue): Drawing {
  const table = tableFor(cut)
  const groups = inOrderOf(rank, groupsOf(table, alone))
  const drawn = groups.slice(0, mostLines)
  const lines = drawn.map(
    (group, index): ChartLine => ({ ...group, shape: cut.query.groupBy === null ? shape : 'line', ...colourOf(index) }),
  )
  return { ...drawing(cut, table, lines), ...(groups.length > mostLines && { groups }) }
}

/** Sort key of a group; the highest comes first. */
type Rank = (group: ChartGroup, index: number) => number

const highestValue: Rank = ({ values }) => Math.max(...values.map((value) => value ?? Number.NEGATIVE_INFINITY))

function inOrderOf(rank: Rank, groups: readonly ChartGroup[]): ChartGroup[] {
  const ranks = new Map(groups.map((group, index) => [group, rank(group, index)]))
  return groups.toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0))
}

/** Passed and failed runs as stacked bars, which start at zero. With groups, lines of availability instead. */
export function availabilityDrawing(cut: Cut): Drawing {
  const table = tableFor(cut)
  if (cut.query.groupBy !== null)
    return { ...groupsDrawing(cut, 'line', '', shareFailed(cut)), scale: availabilityScale(table), worst: 'lowest' }
  const [passed = [], total = []] = tableFor(cut, ['success', 'total']).columns.map(({ values }) => values)
  const failed = total.map((count, index) => (count === null ? null : count - (passed[index] ?? 0)))
  const lines: ChartLine[] = [
    { label: 'failed', values: failed, colour: 'failing', shape: 'bars' },
    { label: 'passed', values: passed, colour: 'passing-soft', shape: 'bars' },
  ]
  const readouts = [{ label: 'availability', unit: 'percentage' as const, values: table.columns[0]?.values ?? [] }]
  return { ...drawing({ ...cut, unit: 'count' }, table, lines), stacked: true, readouts }
}

/** Ranks groups by their share of failed runs, so the worst comes first. */
function shareFailed(cut: Cut): Rank {
  const counts = tableFor(cut, ['success', 'total']).columns.map(({ values }) =>
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
  )
  return (_, index) => {
    const [passed = 0, total = 0] = counts.slice(2 * index, 2 * index + 2)
    return total === 0 ? -1 : 1 - passed / total
  }
}

/** The seconds of each state, in drawing order: the worst at the bottom. */
const statesOfTime = [
  { label: 'down', metric: 'downSeconds', colour: 'failing' },
  { label: 'degraded', metric: 'degradedSeconds', colour: 'degraded' },
  { label: 'up', metric: 'upSeconds', colour: 'passing-soft' },
  { label: 'maintenance', metric: 'maintenanceSeconds', colour: 'paused' },
  { label: 'unknown', metric: 'unknownSeconds', colour: 'unknown' },
] as const

/** The time of each bucket by state, stacked. States without any time are left out, except up and down. */
export function timeDrawing(cut: Cut): Drawing {
  const table = tableFor(
    cut,
    statesOfTime.map(({ metric }) => metric),
  )
  const lines = statesOfTime.flatMap(({ label, colour }, index): ChartLine[] => {
    const values = (table.columns[index]?.values ?? []).map((seconds) => (seconds === null ? null : seconds * 1000))
    const isShown = label === 'up' || label === 'down' || values.some((value) => value !== null && value > 0)
    return isShown ? [{ label, values, colour, shape: 'bars' }] : []
  })
  const readouts = [{ label: 'availability', unit: 'percentage' as const, values: tableFor(cut).columns[0]?.values ?? [] }]
  return { ...drawing({ ...cut, unit: 'milliseconds' }, table, lines), stacked: true, readouts }
}

/** The runs of each group, such as each status code, stacked. If there are too many groups, the rarest are combined. */
export function countsDrawing(cut: Cut): Drawing {
  const table = tableFor(cut, ['total'])
  const groups = groupsOf(table, '')
  const drawn = groups.length > mostLines ? highest(groups, mostLines - 1, sumOf) : groups
  const rest = groups.filter((group) => !drawn.includes(group))
  const all = rest.length === 0 ? drawn : [...drawn, { label: 'others', values: addedUp(rest, table.times.length) }]
  const lines = all.map((group, index): ChartLine => ({ ...group, shape: 'bars', ...colourOf(index) }))
  return { ...drawing({ ...cut, unit: 'count' }, table, lines), stacked: true, ...(rest.length > 0 && { groups }) }
}

export function stackDrawing(cut: Cut, labels: readonly string[]): Drawing {
  const table = tableFor(cut)
  const lines = table.columns.map(
    ({ values }, index): ChartLine => ({ label: labels[index] ?? '', values, shape: 'bars', ...colourOf(index) }),
  )
  return { ...drawing(cut, table, lines), stacked: true }
}

function tableFor({ report, query }: Cut, metrics = query.metrics): ChartTable {
  return tableOf(report, { metrics, groupBy: query.groupBy, interval: query.interval })
}

function drawing({ report, unit }: Cut, table: ChartTable, lines: readonly ChartLine[]): Drawing {
  return { unit, times: table.times, ends: table.ends, from: Date.parse(report.from), to: Date.parse(report.to), lines }
}

/** Numbers groups with equal labels, such as the front pages of two hosts. */
function groupsOf({ columns }: ChartTable, alone: string): ChartGroup[] {
  const seen = new Map<string, number>()
  return columns.map(({ group, values }) => {
    const label = group ?? alone
    const count = (seen.get(label) ?? 0) + 1
    seen.set(label, count)
    return { label: count === 1 ? label : `${label} (${count})`, values }
  })
}

/** The `count` highest groups by a figure, in their original order. */
function highest(groups: readonly ChartGroup[], count: number, by: (group: ChartGroup) => number): ChartGroup[] {
  const kept = new Set([...groups].sort((a, b) => by(b) - by(a)).slice(0, count))
  return groups.filter((group) => kept.has(group))
}

function sumOf({ values }: ChartGroup): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

function addedUp(groups: readonly ChartGroup[], buckets: number): number[] {
  return Array.from({ length: buckets }, (_, bucket) => groups.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0))
}

function availabilityScale({ columns }: ChartTable): readonly [number, number] {
  const lowest = Math.min(100, ...columns.flatMap(({ values }) => values.filter((value) => value !== null)))
  const floor = [98, 95, 90, 75, 50].find((step) => lowest > step) ?? 0
  return [floor, 100 + (100 - floor) * 0.02]
}

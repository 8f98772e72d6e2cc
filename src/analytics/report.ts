import { localText } from '../calendar/local-text.ts'
import { utc, type Zone } from '../calendar/zone.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { createTurns } from '../concurrency/turns.ts'
import type { AggregateGroup, AggregateQuery, AggregateRow, GroupKey, RawGroup, RawRow } from '../store/store.ts'
import type { StateInterval } from '../store/timeline/interval.ts'
import { availability as availabilityByTime, noTime, type StateTime } from '../store/timeline/state-time.ts'
import { isoText, minuteMs } from '../time.ts'
import { describeMetric, type FigureColumn } from './metric-names.ts'
import type { Plan } from './plan.ts'

type Value = string | number | boolean | null | AnswerRow
export type AnswerRow = { readonly [name: string]: Value }
export type AnswerSeries = { readonly data: readonly AnswerRow[]; readonly [key: string]: GroupKey | readonly AnswerRow[] }

export type Report = {
  readonly checkId: string
  readonly name: string
  readonly checkType: string
  readonly activated: boolean
  readonly muted: boolean
  readonly frequency: number
  readonly from: string
  readonly to: string
  readonly timezone?: string
  readonly tags: readonly string[]
  readonly series: readonly AnswerSeries[]
  readonly intervals?: readonly IntervalText[]
  readonly metadata: Readonly<Record<string, { readonly unit: string; readonly label: string; readonly aggregation?: string }>>
  readonly pagination: { readonly page: number; readonly limit: number }
}

export type IntervalText = { readonly from: string; readonly to: string; readonly state: string }

export function intervalText({ from, to, state }: StateInterval): IntervalText {
  return { from: isoText(from), to: isoText(to), state }
}

/** A row, with its time in each state if availability is by time. */
type ReportRow = AggregateRow & { readonly time?: StateTime }
export type ReportGroup = Omit<AggregateGroup, 'rows'> & { readonly rows: readonly ReportRow[] }

/** How rows with times are reported. */
type TimeReport = { readonly degraded: 'up' | 'down'; readonly intervals: readonly StateInterval[] | null }

export async function aggregateReport(
  plan: Plan & { readonly kind: 'aggregate' },
  groups: readonly ReportGroup[],
  time: TimeReport | null = null,
): Promise<Report> {
  const groupBy = plan.groupBy ? [plan.groupBy] : []
  const shape = { timezone: plan.timezone, groupBy, columns: plan.columns, ...(time && { degraded: time.degraded }) }
  return report(plan, await entries(plan, groups, ({ keys, rows }) => seriesEntry(shape, keys, rows)), time?.intervals ?? null)
}

/** The report of a query for single runs. */
export async function rawReport(plan: Plan & { readonly kind: 'raw' }, groups: readonly RawGroup[]): Promise<Report> {
  const entryOf = ({ key, rows }: RawGroup) => {
    const data = rows.map((row) => rawRow(plan, key, row))
    return plan.groupBy ? { [plan.groupBy.name]: key, data } : { data }
  }
  return report(plan, await entries(plan, groups, entryOf))
}

/** The columns of a report, even if it has no rows. */
export function reportColumns(plan: Plan, isByTime: boolean): readonly string[] {
  const { timezone, columns } = plan
  const groupBy = plan.groupBy ? [plan.groupBy] : []
  const row =
    plan.kind === 'raw' ? rawRow(plan, null, noRun) : aggregateRow({ timezone, groupBy, columns }, [], noResults(plan.query, isByTime))
  return [...new Set([...groupBy.map(({ name }) => name), ...Object.keys(row)])]
}

const noRun: RawRow = { startedAt: 0, runLocation: '', hasFailures: false, attempts: 0, pageUrl: null, pageIndex: null, values: [] }

export function noResults({ buckets }: Pick<AggregateQuery, 'buckets'>, isByTime: boolean): ReportRow {
  return { start: buckets ? 0 : null, counts: null, pageUrl: null, values: [], histogram: null, ...(isByTime && { time: noTime() }) }
}

/** The columns of an aggregated answer. */
export type RowShape = {
  readonly timezone: Zone | null
  readonly groupBy: readonly { readonly name: string; readonly by: string }[]
  readonly columns: readonly FigureColumn[]
  /** How degraded time counts, in rows that have times. */
  readonly degraded?: 'up' | 'down'
}

/** One entry of `series`: its keys, then its rows. */
function seriesEntry(shape: RowShape, keys: readonly GroupKey[], rows: readonly ReportRow[]): AnswerSeries {
  const data = rows.map((row) => aggregateRow(shape, keys, row))
  return { ...Object.fromEntries(shape.groupBy.map(({ name }, i) => [name, keys[i] ?? null])), data }
}

export function frequencyMinutes({ everyMs }: Pick<Check, 'everyMs'>): number {
  return Math.floor(everyMs / minuteMs)
}

export function availabilityOf({ success, total }: { readonly success: number; readonly total: number }): number | null {
  return total === 0 ? null : (success / total) * 100
}

function report(plan: Plan, series: readonly AnswerSeries[], intervals: readonly StateInterval[] | null = null): Report {
  const { check, window } = plan
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.checkType.type,
    activated: check.activated,
    muted: check.muted,
    frequency: frequencyMinutes(check),
    from: isoText(window.from),
    to: isoText(window.to),
    ...(plan.timezone && { timezone: plan.timezone.name }),
    tags: check.tags,
    series,
    ...(intervals && { intervals: intervals.map(intervalText) }),
    metadata: Object.fromEntries(plan.columns.map((column) => [column.name, metadata(check, column)])),
    pagination: { page: plan.page, limit: plan.limit },
  }
}

function metadata({ checkType }: Check, column: FigureColumn) {
  const { unit, label } = describeMetric(checkType, column)
  return column.kind === 'aggregated' ? { unit, label, aggregation: column.aggregation } : { unit, label }
}

type Rows = { readonly rows: readonly { readonly values: readonly unknown[] }[] }

/** Without groups there is always one entry, even without rows. */
async function entries<G extends Rows>(
  { groupBy }: Plan,
  groups: readonly G[],
  entryOf: (group: G) => AnswerSeries,
): Promise<readonly AnswerSeries[]> {
  if (!groupBy && groups.length === 0) return [{ data: [] }]
  const turns = createTurns()
  const series: AnswerSeries[] = []
  for (const group of groups) {
    series.push(entryOf(group))
    await turns(group.rows.length * (1 + (group.rows[0]?.values.length ?? 0) / 10))
  }
  return series
}

// Rows are filled cell by cell: there can be very many, and spreading small objects into them would cost more than the query.

type Cells = Record<string, Value>

export function aggregateRow({ timezone, groupBy, columns, degraded }: RowShape, keys: readonly GroupKey[], row: ReportRow): AnswerRow {
  const cells: Cells = row.start === null ? {} : { period: localText(row.start, timezone ?? utc) }
  groupBy.forEach(({ name, by }, i) => {
    if (by === 'page') cells.pageUrl = row.pageUrl
    cells[name] = keys[i] ?? null
  })
  for (const column of columns) addFigures(cells, column, row, degraded ?? 'up')
  return cells
}

function addFigures(cells: Cells, column: FigureColumn, row: ReportRow, degraded: 'up' | 'down'): void {
  if (column.kind === 'availability') {
    cells.total = row.counts?.total ?? 0
    cells.success = row.counts?.success ?? 0
    if (row.time) addSeconds(cells, row.time)
    cells.availability = row.time ? availabilityByTime(row.time, degraded) : row.counts && availabilityOf(row.counts)
  } else if (column.kind === 'retries') cells.retries = row.counts && row.counts.total > 0 ? row.counts.retries : null
  else cells[column.name] = row.values[column.figure] ?? null
  if (column.bounds) {
    cells[`${column.name}_low`] = row.values[column.bounds.low] ?? null
    cells[`${column.name}_high`] = row.values[column.bounds.high] ?? null
  }
}

function addSeconds(cells: Cells, { up, degraded, down, maintenance, unknown }: StateTime): void {
  cells.upSeconds = up / 1000
  cells.degradedSeconds = degraded / 1000
  cells.downSeconds = down / 1000
  cells.maintenanceSeconds = maintenance / 1000
  cells.unknownSeconds = unknown / 1000
}

function rawRow(plan: Plan, key: GroupKey, row: RawRow): AnswerRow {
  const { startedAt, runLocation, hasFailures, attempts } = row
  const cells: Cells = { startedAt: isoText(startedAt), runLocation, hasFailures, attempts }
  if (plan.groupBy?.by === 'page') {
    cells.pageUrl = row.pageUrl
    cells[plan.groupBy.name] = key
  }
  for (const column of plan.columns) cells[column.name] = rawCell(column, row)
  return cells
}

function rawCell({ kind, figure }: FigureColumn, { values, hasFailures, attempts }: RawRow): number | null {
  if (figure >= 0) return values[figure] ?? null
  if (kind === 'retries') return attempts - 1
  return hasFailures ? 0 : 100
}

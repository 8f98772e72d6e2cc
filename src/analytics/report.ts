import type { Check } from '../catalogue/catalogue.ts'
import type { AggregateGroup, AggregateRow, GroupKey, RawGroup, RawRow } from '../store/store.ts'
import { isoText, minuteMs } from '../time.ts'
import { describeMetric } from './metric-names.ts'
import type { Column, Plan } from './plan.ts'

type Value = string | number | boolean | null
export type Row = Readonly<Record<string, Value>>
export type Series = { readonly data: readonly Row[]; readonly [key: string]: GroupKey | readonly Row[] }

export type Report = {
  readonly checkId: string
  readonly name: string
  readonly checkType: string
  readonly activated: boolean
  readonly muted: boolean
  readonly frequency: number
  readonly from: string
  readonly to: string
  readonly tags: readonly string[]
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, { readonly unit: string; readonly label: string; readonly aggregation?: string }>>
  readonly pagination: { readonly page: number; readonly limit: number }
}

/** The report of an aggregate query. */
export function aggregateReport(plan: Plan & { readonly kind: 'aggregate' }, groups: readonly AggregateGroup[]): Report {
  const series = entries(plan, wholeRow(plan, groups)).map(({ key, rows }) => {
    const data = rows.map((row) => aggregateRow(plan, key, row))
    return plan.groupBy ? { [plan.groupBy.name]: key, data } : { data }
  })
  return report(plan, series)
}

/** The report of a raw query: one row per run. */
export function rawReport(plan: Plan & { readonly kind: 'raw' }, groups: readonly RawGroup[]): Report {
  const series = entries(plan, groups).map(({ key, rows }) => {
    const data = rows.map((row) => rawRow(plan, key, row))
    return plan.groupBy ? { [plan.groupBy.name]: key, data } : { data }
  })
  return report(plan, series)
}

/** A check's frequency in whole minutes. */
export function frequencyMinutes({ everyMs }: Pick<Check, 'everyMs'>): number {
  return Math.floor(everyMs / minuteMs)
}

export function availabilityOf({ success, total }: { readonly success: number; readonly total: number }): number | null {
  return total === 0 ? null : (success / total) * 100
}

function report(plan: Plan, series: readonly Series[]): Report {
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
    tags: check.tags,
    series,
    metadata: Object.fromEntries(plan.columns.map((column) => [column.name, metadata(check, column)])),
    pagination: { page: plan.page, limit: plan.limit },
  }
}

function metadata({ checkType }: Check, column: Column) {
  const { unit, label } = describeMetric(checkType, column)
  return column.kind === 'aggregated' ? { unit, label, aggregation: column.aggregation } : { unit, label }
}

type Group<R> = { readonly key: GroupKey; readonly rows: readonly R[] }

/** Without groups there is always one entry, even without rows. */
function entries<R>({ groupBy }: Plan, groups: readonly Group<R>[]): readonly Group<R>[] {
  return groupBy || groups.length > 0 ? groups : [{ key: null, rows: [] }]
}

/** A report over the whole window has one row on its first page, even without data. */
function wholeRow(plan: Plan & { readonly kind: 'aggregate' }, groups: readonly AggregateGroup[]): readonly AggregateGroup[] {
  if (plan.groupBy || plan.query.buckets) return groups
  if (plan.page > 1) return []
  if (groups.some(({ rows }) => rows.length > 0)) return groups
  const values = plan.query.figures.map(() => null)
  return [{ key: null, rows: [{ start: null, counts: { total: 0, success: 0, retries: 0 }, pageUrl: null, values }] }]
}

// Rows are filled cell by cell: there can be very many, and spreading small objects into them would cost more than the query.

type Cells = Record<string, Value>

function aggregateRow(plan: Plan, key: GroupKey, row: AggregateRow): Row {
  const cells: Cells = row.start === null ? {} : { period: isoText(row.start) }
  addGroup(cells, plan, key, row)
  for (const column of plan.columns) addFigures(cells, column, row)
  return cells
}

function addGroup(cells: Cells, { groupBy }: Plan, key: GroupKey, { pageUrl }: { readonly pageUrl: string | null }): void {
  if (!groupBy) return
  if (groupBy.by === 'page') cells.pageUrl = pageUrl
  cells[groupBy.name] = key
}

function addFigures(cells: Cells, column: Column, row: AggregateRow): void {
  if (column.kind === 'availability') {
    cells.total = row.counts?.total ?? 0
    cells.success = row.counts?.success ?? 0
    cells.availability = row.counts && availabilityOf(row.counts)
  } else if (column.kind === 'retries') cells.retries = row.counts && row.counts.total > 0 ? row.counts.retries : null
  else cells[column.name] = row.values[column.index] ?? null
}

function rawRow(plan: Plan, key: GroupKey, row: RawRow): Row {
  const { startedAt, runLocation, hasFailures, attempts } = row
  const cells: Cells = { startedAt: isoText(startedAt), runLocation, hasFailures, attempts }
  if (plan.groupBy?.by === 'page') addGroup(cells, plan, key, row)
  for (const column of plan.columns) cells[column.name] = rawCell(column, row)
  return cells
}

function rawCell({ kind, index }: Column, { values, hasFailures, attempts }: RawRow): number | null {
  if (index >= 0) return values[index] ?? null
  if (kind === 'retries') return attempts - 1
  return hasFailures ? 0 : 100
}

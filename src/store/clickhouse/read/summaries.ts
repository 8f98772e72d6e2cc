import { checkKey } from '../../../ids/check-ref.ts'
import { valuesAt } from '../../kernels/percentile.ts'
import { percentileFractions } from '../../kernels/summarize.ts'
import { checkAnswerSize, valuesPerRow } from '../../query/answer-size.ts'
import { compareGroupKeys } from '../../query/grid/groups.ts'
import { pageOf } from '../../query/page-of.ts'
import type { ReadAggregateQuery } from '../../query/question-reader.ts'
import {
  type AggregateAnswer,
  type AggregateGroup,
  type AggregateQuery,
  type AggregateRow,
  type Aggregation,
  type CheckSource,
  QueryTooLarge,
  type QuestionOptions,
} from '../../store.ts'
import type { Connection, StatementParams } from '../connection.ts'
import { type MetricColumns, valueColumn } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { amongChecks, inBatches } from './among-checks.ts'
import { byKind } from './by-kind.ts'
import { boundWindow, inWindow } from './select-results.ts'

type Percentile = keyof typeof percentileFractions
type SummariesOptions = { readonly connection: Pick<Connection, 'rows'>; readonly metrics: MetricColumns }

const simple: ReadonlySet<Aggregation> = new Set(['min', 'max', 'sum', 'avg'])
const isSum = (aggregation: Aggregation) => aggregation === 'sum' || aggregation === 'avg'
const isPercentile = (aggregation: Aggregation): aggregation is Percentile => aggregation in percentileFractions

/**
 * Whether the server can add up what a question asks, exactly: each check has groups of its own, and what is asked follows from counts,
 * extremes, sums of integers and single values of a rank.
 */
export function isSummarized(query: ReadAggregateQuery): boolean {
  const { sources, groupBy, figures, buckets, filter, histogram, order, rowPage, inColumns } = query
  if (inColumns || buckets || filter || histogram || order || rowPage.offset > 0 || rowPage.limit < 1) return false
  if (groupBy.some(({ by }) => by !== 'label' && by !== 'location') || !haveOwnGroups(sources)) return false
  if (sources.some(({ columns }) => columns.some((metric) => metric?.perPage))) return false
  const isMany = sources.length > 1
  return figures.every(({ aggregation, bound }) => bound === null && (simple.has(aggregation) || (isMany && isPercentile(aggregation))))
}

function haveOwnGroups(sources: readonly CheckSource[]): boolean {
  const isOne = sources.every(({ labels }) => labels.every((keys) => keys.length === 1))
  return isOne && new Set(sources.map(({ labels }) => JSON.stringify(labels))).size === sources.length
}

/** Answers questions about many checks in one statement, and computes from what it counts as the kernels do, to the bit. */
export function createSummaries({ connection, metrics }: SummariesOptions) {
  const isKnown = new Set(metrics.values)

  async function rowsOf(query: AggregateQuery, sources: readonly CheckSource[], options?: QuestionOptions): Promise<readonly Summary[]> {
    const byLocation = query.groupBy.some(({ by }) => by === 'location')
    const columns = columnsOf(query, sources, isKnown)
    const { sql: among, params } = amongChecks(sources.map(({ check }) => check))
    const keys = `account, checkId${byLocation ? ', runLocation' : ''}`
    const counts = query.counts ? ', sum(bitAnd(flags, 1)), sum(attempts)' : ''
    const selected = columns.flatMap(({ parts }) => parts.map(({ sql }) => `, ${sql}`)).join('')
    const sql = `SELECT ${keys}, count()${counts}${selected} FROM results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid} GROUP BY ${keys}`
    const names = [...keys.split(', '), 'results', ...(query.counts ? ['failed', 'attempts'] : [])]
    const all = [...names, ...columns.flatMap(({ parts }) => parts.map(({ name }) => name))]
    const bound = { ...params, ...boundWindow(query.window), ...Object.assign({}, ...columns.map((column) => column.params)) }
    return summariesIn(all, await connection.rows({ sql, params: bound }, options?.signal))
  }

  /** Null where a value is of a kind whose sums the server does not add as the kernels do, or where all checks at once are too much for it. */
  return async (query: AggregateQuery, options?: QuestionOptions): Promise<AggregateAnswer | null> => {
    const bySource = new Map(query.sources.map((source) => [checkKey(source.check), source]))
    const rows = await inBatches(
      query.sources.map(({ check }) => check),
      (some) =>
        rowsOf(
          query,
          some.flatMap((check) => bySource.get(checkKey(check)) ?? []),
          options,
        ),
    ).catch(nullIfTooLarge)
    if (!rows || rows.some((row) => isInexact(query, row))) return null
    const groups = rows.map((row): AggregateGroup => {
      const source = bySource.get(row.check)
      let label = 0
      const keys = query.groupBy.map(({ by }) => (by === 'label' ? (source?.labels[label++]?.[0] ?? null) : row.location))
      return { keys, rows: [rowOf(query, row)] }
    })
    const all = groups.length === 0 && query.groupBy.length === 0 ? [{ keys: [], rows: [emptyRow(query)] }] : groups
    const paged = pageOf(
      all.sort((a, b) => compareGroupKeys(a.keys, b.keys)),
      query.groupPage,
    )
    checkAnswerSize({ groups: paged.length, rows: paged.length, valuesPerRow: valuesPerRow(query, 0) })
    return { groups: paged, results: rows.reduce((sum, { number }) => sum + number('results'), 0), bounds: [] }
  }
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof QueryTooLarge) return null
  throw error
}

/** What the server found of a check, or of a check at a location. */
type Summary = { readonly check: string; readonly location: string; readonly number: (name: string) => number }

function summariesIn(names: readonly string[], rows: readonly (readonly unknown[])[]): readonly Summary[] {
  const indexes = new Map(names.map((name, i) => [name, i]))
  return rows.map((row) => {
    const cell = (name: string) => row[indexes.get(name) ?? -1]
    return {
      check: checkKey({ account: String(cell('account')), checkId: String(cell('checkId')) }),
      location: String(cell('runLocation') ?? ''),
      number: (name) => Number(cell(name) ?? Number.NaN),
    }
  })
}

type SummaryColumn = { readonly parts: readonly { readonly name: string; readonly sql: string }[]; readonly params: StatementParams }

/** What is selected for each column of the question that a figure is about. */
function columnsOf({ figures }: AggregateQuery, sources: readonly CheckSource[], isKnown: ReadonlySet<string>): readonly SummaryColumn[] {
  const checks = sources.map(({ check }) => check)
  return [...new Set(figures.map(({ column }) => column))].map((column) => {
    const metricOf = ({ columns }: CheckSource) => columns[column]?.metric ?? null
    const kinds = sources.map(metricOf).map((metric) => (metric !== null && isKnown.has(metric) ? metric : null))
    const { sql: named, params } = byKind(checks, { kinds, sqlOf: valueColumn, name: `kinds${column}` })
    const value = `value${column}`
    const aggregations = figures.filter((figure) => figure.column === column).map(({ aggregation }) => aggregation)
    const percentiles = [...new Set(aggregations.filter(isPercentile))]
    const sums = aggregations.some(isSum)
    return {
      params: { ...params, ...Object.fromEntries(percentiles.map((name) => [name, percentileFractions[name]])) },
      parts: [
        // The value is written once and named: a statement may be 256 KiB long.
        { name: `count${column}`, sql: `count(${named} AS ${value})` },
        { name: `min${column}`, sql: `min(${value})` },
        { name: `max${column}`, sql: `max(${value})` },
        { name: `inexact${column}`, sql: `sum(ifNull(${inexactSql(value, sums)}, 0))` },
        ...(sums ? [{ name: `sum${column}`, sql: `sum(toInt64(${thousandthsSql(value)}))` }] : []),
        ...percentiles.flatMap((percentile) => [
          { name: `${percentile}${column}`, sql: rankSql(value, percentile, 1) },
          { name: `${percentile}${column}next`, sql: rankSql(value, percentile, 2) },
        ]),
      ],
    }
  })
}

/** Rounded as `Math.round` does: halves up, and no addition that itself rounds. */
function thousandthsSql(value: string): string {
  const scaled = `(${value} * 1000)`
  return `(floor(${scaled}) + (${scaled} - floor(${scaled}) >= 0.5))`
}

/** Whether a value is no whole number of thousandths of 32 bits, where it is added; or −0, whose place among zeros is not told. */
function inexactSql(value: string, isAdded: boolean): string {
  const isNegativeZero = `(${value} = 0 AND 1 / ${value} < 0)`
  if (!isAdded) return isNegativeZero
  const thousandths = thousandthsSql(value)
  return `(${isNegativeZero} OR ${thousandths} / 1000 != ${value} OR abs(${thousandths}) > 2147483647)`
}

/** The value at the rank of a percentile, or the one after it. */
function rankSql(value: string, percentile: Percentile, nth: 1 | 2): string {
  const most = `greatest(count(${value}), 1)`
  const low = `toUInt64(floor({${percentile}:Float64} * (${most} - 1)))`
  return `arraySort(groupArray(${value}))[least(${low} + ${nth}, ${most})]`
}

const maxInteger = Number.MAX_SAFE_INTEGER

function isInexact({ figures }: AggregateQuery, { number }: Summary): boolean {
  return figures.some(
    ({ column, aggregation }) => number(`inexact${column}`) > 0 || (isSum(aggregation) && Math.abs(number(`sum${column}`)) > maxInteger),
  )
}

function rowOf({ figures, counts }: AggregateQuery, { number }: Summary): AggregateRow {
  const total = number('results')
  return {
    start: null,
    counts: counts ? { total, success: total - number('failed'), retries: number('attempts') - total } : null,
    pageUrl: null,
    values: figures.map(({ column, aggregation }) => (number(`count${column}`) === 0 ? null : figureOf(aggregation, column, number))),
    histogram: null,
  }
}

function figureOf(aggregation: Aggregation, column: number, number: Summary['number']): number {
  const [count, min, max] = [number(`count${column}`), number(`min${column}`), number(`max${column}`)]
  if (aggregation === 'min') return min
  if (aggregation === 'max') return max
  if (isPercentile(aggregation)) {
    const rank = percentileFractions[aggregation] * (count - 1)
    const neighbours = Float64Array.of(number(`${aggregation}${column}`), number(`${aggregation}${column}next`))
    return valuesAt(neighbours, [rank - Math.floor(rank)])[0] as number
  }
  const sum = number(`sum${column}`) / 1000
  return aggregation === 'sum' ? sum : Math.min(max, Math.max(min, sum / count))
}

function emptyRow({ figures, counts }: AggregateQuery): AggregateRow {
  const none = { total: 0, success: 0, retries: 0 }
  return { start: null, counts: counts ? none : null, pageUrl: null, values: figures.map(() => null), histogram: null }
}

import { compareText } from '../../../text/compare-text.ts'
import { percentileFractions, valuesAt } from '../../kernels/summarize.ts'
import type { AggregateQuery, Aggregation, CheckSource } from '../../store.ts'
import type { StatementParams } from '../connection.ts'
import { valueColumn } from '../schema/metric-columns.ts'
import { byKind } from './by-kind.ts'

type Percentile = keyof typeof percentileFractions

const simple: ReadonlySet<Aggregation> = new Set(['min', 'max', 'sum', 'avg'])
const isSum = (aggregation: Aggregation) => aggregation === 'sum' || aggregation === 'avg'
const isPercentile = (aggregation: Aggregation): aggregation is Percentile => aggregation in percentileFractions

/** Whether a figure follows from counts, extremes, integer sums and values at a rank. */
export const isExactFigure = ({ aggregation, bound }: AggregateQuery['figures'][number]) =>
  bound === null && (simple.has(aggregation) || isPercentile(aggregation))

/** The columns of a question that figures or the histogram use. */
export function usedColumns({ figures, histogram }: AggregateQuery): readonly number[] {
  return [...new Set([...figures.map(({ column }) => column), ...(histogram ? [histogram.column] : [])])]
}

/** The summary of one column: named parts of the server's answer. */
type SummaryColumn = { readonly parts: readonly { readonly name: string; readonly sql: string }[]; readonly params: StatementParams }

type ColumnsOptions = {
  readonly sources: readonly CheckSource[]
  /** Metrics that have a column. */
  readonly isKnown: ReadonlySet<string>
  /** Replaces the values of rows that do not count with NULL. */
  readonly counted: (value: string) => string
}

export function summaryColumns(query: AggregateQuery, { sources, isKnown, counted }: ColumnsOptions): readonly SummaryColumn[] {
  const { figures, histogram } = query
  const checks = sources.map(({ check }) => check)
  const kindsOf = (column: number) =>
    sources.map(({ columns }) => columns[column]?.metric ?? null).map((metric) => (metric !== null && isKnown.has(metric) ? metric : null))
  const used = usedColumns(query).map((column) => ({ column, kinds: kindsOf(column) }))
  // Sorted, so that questions of one shape are one statement, whatever the order of their columns.
  used.sort((a, b) => compareText(a.kinds.join(), b.kinds.join()))
  return used.map(({ column, kinds }, i) => {
    const { sql: named, params } = byKind(checks, { kinds, sqlOf: valueColumn, name: `kinds${i}` })
    const value = `value${i}`
    const aggregations = figures.filter((figure) => figure.column === column).map(({ aggregation }) => aggregation)
    const percentiles = [...new Set(aggregations.filter(isPercentile))].sort()
    const sums = aggregations.some(isSum)
    const bounds = histogram?.column === column ? histogram.bounds : null
    return {
      params: {
        ...params,
        ...(isSorted(percentiles) && Object.fromEntries(percentiles.map((name) => [name, percentileFractions[name]]))),
        ...(bounds && { bounds }),
      },
      parts: [
        // The value is written once and named, since a statement is limited to 256 KiB.
        { name: `count${column}`, sql: `count(${counted(named)} AS ${value})` },
        { name: `min${column}`, sql: `min(${value})` },
        { name: `max${column}`, sql: `max(${value})` },
        { name: `inexact${column}`, sql: `sum(ifNull(${inexactSql(value, sums)}, 0))` },
        ...(sums ? [{ name: `sum${column}`, sql: `sum(toInt64(${thousandthsSql(value)}))` }] : []),
        ...percentiles.flatMap((percentile) => {
          const found = isSorted(percentiles) ? sortedSql(value, percentile) : selectedSql(value, percentile)
          return Object.entries(found).map(([part, sql]) => ({ name: `${percentile}${column}${part}`, sql }))
        }),
        ...(bounds && bounds.length > 0 ? [{ name: 'histogram', sql: upToBoundsSql(value) }] : []),
      ],
    }
  })
}

/** Rounds like `Math.round`: halves up, without an addition that itself rounds. */
function thousandthsSql(value: string): string {
  const scaled = `(${value} * 1000)`
  return `(floor(${scaled}) + (${scaled} - floor(${scaled}) >= 0.5))`
}

/**
 * Whether a value that is summed is not a whole number of thousandths in 32 bits, or any value is −0, whose place among zeros is undefined.
 */
function inexactSql(value: string, isAdded: boolean): string {
  const isNegativeZero = `(${value} = 0 AND 1 / ${value} < 0)`
  if (!isAdded) return isNegativeZero
  const thousandths = thousandthsSql(value)
  return `(${isNegativeZero} OR ${thousandths} / 1000 != ${value} OR abs(${thousandths}) > 2147483647)`
}

/** Selecting this many percentiles costs about as much as sorting the values. */
const maxSelected = 2
const isSorted = (percentiles: readonly Percentile[]) => percentiles.length > maxSelected

/** The value at the rank of a percentile, and the next one. */
function sortedSql(value: string, percentile: Percentile) {
  const most = `greatest(count(${value}), 1)`
  const low = `toUInt64(floor({${percentile}:Float64} * (${most} - 1)))`
  const at = (nth: number) => `arraySort(groupArray(${value}))[least(${low} + ${nth}, ${most})]`
  return { low: at(1), next: at(2) }
}

/**
 * A value at or next to the rank of a percentile, how many values are smaller and larger, and the nearest of these. Needed because
 * `quantileExact` takes its rank from the number of values, and the kernels from one less.
 */
function selectedSql(value: string, percentile: Percentile) {
  const values = `groupArray(${value})`
  const near = `arrayReduce('quantileExact(${percentileFractions[percentile]})', ${values})`
  const are = (sign: '<' | '>') => `arrayMap(each -> each ${sign} ${near}, ${values})`
  return {
    near,
    smaller: `arrayReduce('sum', ${are('<')})`,
    larger: `arrayReduce('sum', ${are('>')})`,
    before: `arrayReduce('maxIf', ${values}, ${are('<')})`,
    after: `arrayReduce('minIf', ${values}, ${are('>')})`,
  }
}

/** For each bound, how many values do not exceed it. */
const upToBoundsSql = (value: string) => `sumForEach(arrayMap(bound -> toUInt8(ifNull(${value} <= bound, 0)), {bounds:Array(Float64)}))`

/** A number of the server's answer, by name. */
export type NumberOf = (name: string) => number

/** Whether the server's numbers cannot give exact figures. */
export function isInexact({ figures }: AggregateQuery, number: NumberOf): boolean {
  return figures.some(
    ({ column, aggregation }) =>
      number(`inexact${column}`) > 0 || (isSum(aggregation) && Math.abs(number(`sum${column}`)) > Number.MAX_SAFE_INTEGER),
  )
}

/** A figure as the kernels compute it, to the bit; null without values. */
export function figureOf({ column, aggregation }: AggregateQuery['figures'][number], number: NumberOf): number | null {
  const [count, min, max] = [number(`count${column}`), number(`min${column}`), number(`max${column}`)]
  if (count === 0) return null
  if (aggregation === 'min') return min
  if (aggregation === 'max') return max
  if (isPercentile(aggregation)) {
    const rank = percentileFractions[aggregation] * (count - 1)
    const low = Math.floor(rank)
    const neighbours = neighboursOf(low, count, (part) => number(`${aggregation}${column}${part}`))
    return valuesAt(Float64Array.from(neighbours), [rank - low])[0] as number
  }
  const sum = number(`sum${column}`) / 1000
  return aggregation === 'sum' ? sum : Math.min(max, Math.max(min, sum / count))
}

/** The value at a rank among `count` values, and the next one, if any. */
function neighboursOf(rank: number, count: number, number: NumberOf): readonly number[] {
  const near = number('near')
  if (Number.isNaN(near)) return [number('low'), number('next')]
  const [smaller, larger] = [number('smaller'), number('larger')]
  const at = (wanted: number) => (wanted < smaller ? number('before') : wanted < count - larger ? near : number('after'))
  return rank + 1 < count ? [at(rank), at(rank + 1)] : [at(rank)]
}

/** Counts between bounds, from the cumulative count at each bound and the total. */
export function histogramOf(upToBounds: readonly number[], count: number): readonly number[] {
  return [...upToBounds, count].map((upTo, i) => upTo - (upToBounds[i - 1] ?? 0))
}

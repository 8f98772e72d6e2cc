import { checkKey } from '../../../ids/check-ref.ts'
import { labelCombinations } from '../../query/aggregate.ts'
import type { GroupKeys } from '../../query/grid/groups.ts'
import type { AggregateQuery, CheckSource, Grouping, GroupKey } from '../../store.ts'
import type { StatementParams } from '../connection.ts'
import { valueColumn } from '../schema/metric-columns.ts'
import { type BoundSql, beforeEdges, bucketSql, timeFieldSql } from './bucket-sql.ts'
import { numberByCheck } from './by-kind.ts'

/** A value in a row of the server's answer, by name. */
export type Cell = (name: string) => unknown

/** How the server groups results, and which group and bucket of the question each row is. */
export type SummaryKeys = {
  readonly selected: readonly { readonly name: string; readonly sql: string }[]
  readonly params: StatementParams
  /** Whether a group may contain results of several checks. */
  readonly isPooled: boolean
  /** A condition that holds for each result in exactly one of its groups; null if each is in one group anyway. */
  readonly inFirstGroup: string | null
  readonly keysOf: (cell: Cell) => GroupKeys
  readonly startOf: (cell: Cell) => number | null
}

/** Null if the server cannot compute the keys. */
export function summaryKeys(query: AggregateQuery, sources: readonly CheckSource[], isKnown: ReadonlySet<string>): SummaryKeys | null {
  const { groupBy, buckets, window } = query
  const labels = labelKeys(sources)
  if (labels === null) return null
  const start = buckets && bucketSql(buckets, window)
  if (buckets && !start) return null
  const own = groupBy.flatMap((grouping, i) => (grouping.by === 'label' ? [] : [{ place: i, grouping }]))
  const expressions = own.map(({ place, grouping }) => ({ name: `key${place}`, bound: keySql(grouping, query, place, isKnown) }))
  if (expressions.some(({ bound }) => bound === null)) return null
  const parts = [...expressions, ...(start ? [{ name: 'bucket', bound: start }] : [])]
  return {
    selected: [...labels.selected, ...parts.map(({ name, bound }) => ({ name, sql: `${bound?.sql} AS ${name}` }))],
    params: Object.assign({}, labels.params, ...parts.map(({ bound }) => bound?.params)),
    isPooled: labels.isPooled,
    inFirstGroup: labels.inFirstGroup,
    keysOf(cell) {
      const combination = labels.combinationOf(cell)
      let label = 0
      return groupBy.map(
        (grouping, i): GroupKey => (grouping.by === 'label' ? (combination[label++] ?? null) : keyOf(grouping, cell(`key${i}`))),
      )
    },
    startOf: (cell) => (start ? startAt(Number(cell('bucket'))) : null),
  }
}

const startAt = (start: number) => (start === beforeEdges ? Number.NEGATIVE_INFINITY : start)

function keyOf({ by }: Grouping, value: unknown): GroupKey {
  if (by === 'location') return String(value)
  return value === null ? null : Number(value)
}

/** SQL for the key of a row; a field that is −0 becomes 0. */
function keySql(grouping: Grouping, { window }: AggregateQuery, place: number, isKnown: ReadonlySet<string>): BoundSql | null {
  switch (grouping.by) {
    case 'location':
      return { sql: 'runLocation', params: {} }
    case 'field':
      return { sql: isKnown.has(grouping.name) ? `${valueColumn(grouping.name)} + 0` : 'CAST(NULL AS Nullable(Float64))', params: {} }
    case 'hourOfDay':
    case 'dayOfWeek':
      return timeFieldSql(grouping, window, place)
    default:
      return null
  }
}

type LabelKeys = Pick<SummaryKeys, 'selected' | 'params' | 'isPooled' | 'inFirstGroup'> & {
  readonly combinationOf: (cell: Cell) => readonly GroupKey[]
}

/** Groups checks by their combinations of labels. */
function labelKeys(sources: readonly CheckSource[]): LabelKeys | null {
  const own = sources.map(labelCombinations)
  const all = new Map(own.flat().map((combination) => [JSON.stringify(combination), combination]))
  const [only] = all.values()
  if (own.some((combinations) => combinations.length === 0) || !only) return null
  const none = { selected: [], params: {}, inFirstGroup: null }
  const isSingle = own.every((combinations) => combinations.length === 1)
  if (isSingle && all.size === 1) return { ...none, isPooled: sources.length > 1, combinationOf: () => only }
  if (isSingle && all.size === sources.length) {
    const byCheck = new Map(sources.map(({ check }, i) => [checkKey(check), own[i]?.[0] ?? []]))
    // Grouping by one text is faster than by two.
    const account = accountOf(sources)
    const selected = [...(account === null ? ['account'] : []), 'checkId'].map((name) => ({ name, sql: name }))
    const combinationOf = (cell: Cell) =>
      byCheck.get(checkKey({ account: account ?? String(cell('account')), checkId: String(cell('checkId')) })) ?? []
    return { ...none, selected, isPooled: false, combinationOf }
  }
  const combinations = [...all.values()]
  const numbers = new Map([...all.keys()].map((text, number) => [text, number]))
  const numbersOf = own.map((some) => some.map((combination) => numbers.get(JSON.stringify(combination)) ?? 0))
  const { sql, params, inFirstGroup } = isSingle ? oneLabel(sources, numbersOf) : manyLabels(sources, numbersOf)
  const selected = [{ name: 'label', sql: `${sql} AS label` }]
  return { selected, params, isPooled: true, inFirstGroup, combinationOf: (cell) => combinations[Number(cell('label'))] ?? [] }
}

/** The account of all checks; null if there are several. */
function accountOf([first, ...others]: readonly CheckSource[]): string | null {
  const account = first?.check.account ?? null
  return others.every(({ check }) => check.account === account) ? account : null
}

type LabelSql = BoundSql & Pick<LabelKeys, 'inFirstGroup'>

function oneLabel(sources: readonly CheckSource[], numbersOf: readonly (readonly number[])[]): LabelSql {
  const bound = numberByCheck(
    sources.map(({ check }) => check),
    numbersOf.map(([number = 0]) => number),
    'labels',
  )
  return { ...bound, inFirstGroup: null }
}

/** A result counts in each group of its check. Each group number is doubled, and the lowest bit marks the first group. */
function manyLabels(sources: readonly CheckSource[], numbersOf: readonly (readonly number[])[]): LabelSql {
  const checks = sources.map(({ check }) => check)
  const lengths = numbersOf.map(({ length }) => length)
  let next = 1
  const offsets = lengths.map((length) => {
    next += length
    return next - length
  })
  const [from, count] = [numberByCheck(checks, offsets, 'labelFrom'), numberByCheck(checks, lengths, 'labelCount')]
  const flagged = numbersOf.flatMap((numbers) => numbers.map((number, i) => 2 * number + Number(i === 0)))
  return {
    sql: `intDiv(arrayJoin(arraySlice({labels:Array(UInt32)}, ${from.sql}, ${count.sql})) AS flagged, 2)`,
    params: { ...from.params, ...count.params, labels: flagged },
    inFirstGroup: 'modulo(flagged, 2) = 1',
  }
}

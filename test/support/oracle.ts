import { derivedId } from '../../src/store/derived-id.ts'
import type {
  AggregateGroup,
  AggregateQuery,
  Aggregation,
  CheckRef,
  Grouping,
  GroupKey,
  Paging,
  RawGroup,
  RawQuery,
  Result,
  StatusFilter,
} from '../../src/store/store.ts'

/** The contract's arithmetic in the plainest words: slow, obvious, and sharing nothing with the store. */
export function expectedAggregate(query: AggregateQuery, results: readonly Result[]): AggregateGroup[] {
  const rows = explode(query, results)
  const { buckets, groupBy } = query
  if (!buckets && !groupBy) return answered(query, [{ key: null, rows: [summary(query, rows, null)] }])
  const groups = byKey(rows).map(({ key, rows }) => ({ key, rows: bucketsOf(buckets, rows) }))
  const paged = answered(query, groups)
  return paged.map(({ key, rows }) => ({ key, rows: rows.map((bucket) => summary(query, bucket.rows, bucket.start)) }))
}

type Bucket = { readonly start: number | null; readonly rows: readonly Row[] }

function bucketsOf(buckets: AggregateQuery['buckets'], rows: readonly Row[]): Bucket[] {
  if (!buckets) return [{ start: null, rows }]
  const starts = [...new Set(rows.map((row) => bucketStart(row.result.startedAt, buckets)))].sort((a, b) => a - b)
  return starts.map((start) => ({ start, rows: rows.filter((row) => bucketStart(row.result.startedAt, buckets) === start) }))
}

/** The groups of the group page with the rows of the row page; none without rows. */
function answered<R>({ rowPage, groupPage }: AggregateQuery | RawQuery, groups: readonly { key: GroupKey; rows: readonly R[] }[]) {
  const page = <T>(all: readonly T[], paging: Paging | null) => (paging ? all.slice(paging.offset, paging.offset + paging.limit) : all)
  const paged = page(groups, groupPage).map(({ key, rows }) => ({ key, rows: page(rows, rowPage) }))
  return paged.filter(({ rows }) => rows.length > 0)
}

export function expectedRaw(query: RawQuery, results: readonly Result[]): RawGroup[] {
  const groups = answered(query, byKey(explode(query, results).reverse()))
  return groups.map(({ key, rows }) => ({
    key,
    rows: rows.map(({ result, page }) => ({
      startedAt: result.startedAt,
      runLocation: result.runLocation,
      hasFailures: result.hasFailures,
      attempts: result.attempts,
      pageUrl: page === null ? null : (result.pages[page]?.pageUrl ?? null),
      pageIndex: page,
      values: query.metrics.map(({ metric, perPage }) => {
        if (!perPage) return result.values[metric] ?? null
        if (page !== null) return result.pages[page]?.values[metric] ?? null
        const measured = result.pages.flatMap((each) => each.values[metric] ?? [])
        return measured.length === 0 ? null : measured.reduce((a, b) => a + b, 0) / measured.length
      }),
    })),
  }))
}

type Row = { readonly key: GroupKey; readonly result: Result; readonly page: number | null }

/** By time, location and id, text by its bytes; an id that is derived counts as none. */
export function inOrder(check: CheckRef, results: readonly Result[]): Result[] {
  const ownId = ({ id, runLocation, startedAt }: Result) => (id === derivedId(check, runLocation, startedAt) ? '' : id)
  return [...results].sort((a, b) => a.startedAt - b.startedAt || byBytes(a.runLocation, b.runLocation) || byBytes(ownId(a), ownId(b)))
}

/** The newest result of each location, by location. */
export function newestByLocation(check: CheckRef, results: readonly Result[]): Result[] {
  const newest = new Map(inOrder(check, results).map((result) => [result.runLocation, result]))
  return [...newest.values()].sort((a, b) => byBytes(a.runLocation, b.runLocation))
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function explode({ check, window, filter, groupBy }: AggregateQuery | RawQuery, results: readonly Result[]): Row[] {
  const inside = inOrder(check, results).filter(({ startedAt }) => startedAt >= window.from && startedAt <= window.to)
  return inside
    .filter((result) => passes(filter, result))
    .flatMap((result): Row[] =>
      groupBy?.by === 'page'
        ? result.pages.map((_, page) => ({ key: page, result, page }))
        : [{ key: keyOf(groupBy, result), result, page: null }],
    )
}

function passes(filter: StatusFilter | null, result: Result): boolean {
  if (!filter) return true
  return (result.hasFailures ? filter.failure : filter.success) || (result.state !== null && filter.states.includes(result.state))
}

function keyOf(groupBy: Grouping | null, result: Result): GroupKey {
  if (groupBy?.by === 'location') return result.runLocation
  return groupBy?.by === 'field' ? (result.values[groupBy.name] ?? null) : null
}

function byKey(rows: readonly Row[]): { key: GroupKey; rows: Row[] }[] {
  const keys = [...new Set(rows.map((row) => row.key))]
  const present = keys.filter((key) => key !== null)
  present.sort((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : byBytes(String(a), String(b))))
  const ordered = keys.includes(null) ? [...present, null] : present
  return ordered.map((key) => ({ key, rows: rows.filter((row) => row.key === key) }))
}

const bucketStart = (time: number, { originMs, widthMs }: { originMs: number; widthMs: number }) =>
  originMs + Math.floor((time - originMs) / widthMs) * widthMs

function summary(query: AggregateQuery, rows: readonly Row[], start: number | null) {
  const byPage = query.groupBy?.by === 'page'
  return {
    start,
    counts: query.counts
      ? {
          total: rows.length,
          success: rows.filter(({ result }) => !result.hasFailures).length,
          retries: rows.reduce((sum, { result }) => sum + result.attempts - 1, 0),
        }
      : null,
    pageUrl: byPage ? (rows.at(-1)?.result.pages[rows.at(-1)?.page ?? 0]?.pageUrl ?? null) : null,
    values: query.figures.map(({ metric, perPage, aggregation }) => {
      const values = rows.flatMap(({ result, page }) => {
        if (!perPage) return result.values[metric] ?? []
        return page === null ? result.pages.flatMap((each) => each.values[metric] ?? []) : (result.pages[page]?.values[metric] ?? [])
      })
      return expected(aggregation, values)
    }),
  }
}

const fractions: Partial<Record<Aggregation, number>> = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 }

export function expected(aggregation: Aggregation, values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const at = (rank: number) => sorted[rank] as number
  const fraction = fractions[aggregation]
  if (fraction !== undefined) {
    const rank = fraction * (sorted.length - 1)
    const low = Math.floor(rank)
    return low === rank ? at(low) : at(low) + (at(low + 1) - at(low)) * (rank - low)
  }
  const sum = exactSum(values)
  const mean = sum / values.length
  if (aggregation === 'sum') return sum
  if (aggregation === 'avg') return mean
  if (aggregation === 'min') return at(0)
  if (aggregation === 'max') return at(sorted.length - 1)
  return deviation(values.map((value) => value - at(0)))
}

/** Of distances from the smallest value, whose mean does not lose the digits in which large values differ. */
function deviation(distances: readonly number[]): number {
  const mean = exactSum(distances) / distances.length
  return Math.sqrt(exactSum(distances.map((distance) => (distance - mean) ** 2)) / distances.length)
}

/** An exact sum (Shewchuk): partial sums that do not overlap are added at the end. */
function exactSum(values: readonly number[]): number {
  const partials: number[] = []
  for (const value of values) {
    let x = value
    let count = 0
    for (const partial of partials) {
      const [big, small] = Math.abs(x) < Math.abs(partial) ? [partial, x] : [x, partial]
      const high = big + small
      const low = small - (high - big)
      if (low !== 0) partials[count++] = low
      x = high
    }
    partials.length = count
    partials.push(x)
  }
  return partials.reduce((a, b) => a + b, 0)
}

import { derivedId } from '../../src/store/derived-id.ts'
import type {
  AggregateGroup,
  AggregateQuery,
  AggregateRow,
  Aggregation,
  Bound,
  CheckRef,
  CheckSource,
  Grouping,
  GroupKey,
  Order,
  Paging,
  RawGroup,
  RawQuery,
  Result,
  ResultFilter,
  Window,
} from '../../src/store/store.ts'

/** The contract's arithmetic in its plainest form: slow, obvious, and without any code of the store. */
export function expectedAggregate(query: AggregateQuery, resultsOf: (check: CheckRef) => readonly Result[]): AggregateGroup[] {
  const { buckets, groupBy, fill } = query
  const rows = query.sources.flatMap((source) =>
    explode(query, source.check, resultsOf(source.check)).flatMap((row) =>
      keysOf(query, source, row).map((keys) => ({ ...row, keys, source })),
    ),
  )
  if (!buckets && groupBy.length === 0) return answered(query, [{ keys: [], rows: [summary(query, rows, null)] }])
  const summarized = (group: { readonly keys: readonly GroupKey[]; readonly rows: readonly Bucket[] }) => ({
    keys: group.keys,
    rows: group.rows.map((bucket) => summary(query, bucket.rows, bucket.start)),
  })
  const groups = buckets && groupBy.length === 0 ? [{ keys: [], rows }] : byKeys(rows)
  const cut = groups.map(({ keys, rows }) => ({ keys, rows: bucketsOf(buckets, fill, rows) }))
  return query.order ? answered(query, ordered(query, query.order, cut.map(summarized))) : answered(query, cut).map(summarized)
}

/** Sorts stably by a figure; rows without the figure come last. */
function ordered(query: AggregateQuery, { by, direction }: Order, groups: readonly AggregateGroup[]): readonly AggregateGroup[] {
  const orderedBy = (row: AggregateRow | undefined): number => {
    const { total = 0, success = 0, retries = 0 } = row?.counts ?? {}
    const value =
      typeof by === 'number'
        ? row?.values[by]
        : { total, success, retries: total === 0 ? null : retries, availability: total === 0 ? null : (100 * success) / total }[by]
    const last = direction === 'asc' ? Infinity : -Infinity
    return value ?? last
  }
  const sort = <T>(items: readonly T[], rowOf: (item: T) => AggregateRow | undefined) => {
    const compare = (a: number, b: number) => (a === b ? 0 : direction === 'asc' ? a - b : b - a)
    return items.toSorted((a, b) => compare(orderedBy(rowOf(a)), orderedBy(rowOf(b))))
  }
  if (query.buckets) return groups.map(({ keys, rows }) => ({ keys, rows: sort(rows, (row) => row) }))
  return sort(groups, ({ rows }) => rows[0])
}

type KeyedRow = Row & { readonly keys: readonly GroupKey[]; readonly source: CheckSource }
type Bucket = { readonly start: number | null; readonly rows: readonly KeyedRow[] }

function bucketsOf(buckets: AggregateQuery['buckets'], fill: Window | null, rows: readonly KeyedRow[]): Bucket[] {
  if (!buckets) return [{ start: null, rows }]
  if (!('originMs' in buckets)) throw new TypeError('calendars have an oracle of their own')
  const starts = new Set(rows.map((row) => bucketStart(row.result.startedAt, buckets)))
  if (fill) for (let start = bucketStart(fill.from, buckets); start <= fill.to; start += buckets.widthMs) starts.add(start)
  const ascending = [...starts].sort((a, b) => a - b)
  return ascending.map((start) => ({ start, rows: rows.filter((row) => bucketStart(row.result.startedAt, buckets) === start) }))
}

/** The groups of the group page with the rows of the row page. Groups without rows are dropped. */
function answered<R, G extends { readonly rows: readonly R[] }>(
  { rowPage, groupPage }: AggregateQuery | RawQuery,
  groups: readonly G[],
): G[] {
  const page = <T>(all: readonly T[], paging: Paging | null) => (paging ? all.slice(paging.offset, paging.offset + paging.limit) : all)
  const paged = page(groups, groupPage).map((group) => ({ ...group, rows: page(group.rows, rowPage) }))
  return paged.filter(({ rows }) => rows.length > 0)
}

export function expectedRaw(query: RawQuery, results: readonly Result[]): RawGroup[] {
  const rows = explode(query, query.check, results)
  const groups = answered(query, byKey(rows.map((row) => ({ ...row, key: query.groupBy ? rowKey(query.groupBy, row) : null })).reverse()))
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

type Row = { readonly result: Result; readonly page: number | null }

/** Sorts by time, location and id, with texts compared by bytes. A derived id counts as none. */
export function inOrder(check: CheckRef, results: readonly Result[]): Result[] {
  const ownId = ({ id, runLocation, startedAt }: Result) => (id === derivedId(check, runLocation, startedAt) ? '' : id)
  return [...results].sort((a, b) => a.startedAt - b.startedAt || byBytes(a.runLocation, b.runLocation) || byBytes(ownId(a), ownId(b)))
}

export function newestByLocation(check: CheckRef, results: readonly Result[]): Result[] {
  const newest = new Map(inOrder(check, results).map((result) => [result.runLocation, result]))
  return [...newest.values()].sort((a, b) => byBytes(a.runLocation, b.runLocation))
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

type RowQuery = Pick<AggregateQuery, 'window' | 'filter'> & { readonly groupBy: Grouping | null | readonly Grouping[] }

function explode({ window, filter, groupBy }: RowQuery, check: CheckRef, results: readonly Result[]): Row[] {
  const byPage = [groupBy].flat().some((grouping) => grouping?.by === 'page')
  const inside = inOrder(check, results).filter(({ startedAt }) => startedAt >= window.from && startedAt <= window.to)
  return inside
    .filter((result) => passes(filter, result))
    .flatMap((result): Row[] => (byPage ? result.pages.map((_, page) => ({ result, page })) : [{ result, page: null }]))
}

function passes(filter: ResultFilter | null, result: Result): boolean {
  if (!filter) return true
  const { locations, field } = filter
  if (locations && !locations.includes(result.runLocation)) return false
  if (field && !field.values.includes(result.values[field.name] ?? Number.NaN)) return false
  return (result.hasFailures ? filter.failure : filter.success) || (result.state !== null && filter.states.includes(result.state))
}

/** The keys of a row, one for each combination of labels of its source. */
function keysOf({ groupBy }: AggregateQuery, { labels }: CheckSource, row: Row): (readonly GroupKey[])[] {
  let label = 0
  const choices = groupBy.map((grouping) => (grouping.by === 'label' ? (labels[label++] ?? []) : [rowKey(grouping, row)]))
  return choices.reduce<(readonly GroupKey[])[]>((before, keys) => before.flatMap((some) => keys.map((key) => [...some, key])), [[]])
}

function rowKey(grouping: Exclude<Grouping, { by: 'label' }>, { result, page }: Row): GroupKey {
  switch (grouping.by) {
    case 'page':
      return page
    case 'location':
      return result.runLocation
    case 'field':
      return result.values[grouping.name] ?? null
    default: {
      const { starts, offsetsMs } = grouping.offsets
      const segment = starts.findLastIndex((start) => start <= result.startedAt)
      const local = new Date(result.startedAt + (offsetsMs[segment] as number))
      return grouping.by === 'hourOfDay' ? local.getUTCHours() : local.getUTCDay() || 7
    }
  }
}

function compareKey(a: GroupKey, b: GroupKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : byBytes(String(a), String(b))
}

function byKeys<R extends { readonly keys: readonly GroupKey[] }>(rows: readonly R[]): { keys: readonly GroupKey[]; rows: R[] }[] {
  const all = new Map(rows.map(({ keys }) => [JSON.stringify(keys), keys]))
  const ordered = [...all.values()].sort((a, b) => a.map((key, i) => compareKey(key, b[i] as GroupKey)).find((order) => order !== 0) ?? 0)
  return ordered.map((keys) => ({ keys, rows: rows.filter((row) => JSON.stringify(row.keys) === JSON.stringify(keys)) }))
}

function byKey<R extends { readonly key: GroupKey }>(rows: readonly R[]): { key: GroupKey; rows: R[] }[] {
  const keys = [...new Set(rows.map((row) => row.key))].sort(compareKey)
  return keys.map((key) => ({ key, rows: rows.filter((row) => row.key === key) }))
}

const bucketStart = (time: number, { originMs, widthMs }: { originMs: number; widthMs: number }) =>
  originMs + Math.floor((time - originMs) / widthMs) * widthMs

function summary(query: AggregateQuery, rows: readonly KeyedRow[], start: number | null) {
  const last = rows.at(-1)
  return {
    start,
    counts: query.counts
      ? {
          total: rows.length,
          success: rows.filter(({ result }) => !result.hasFailures).length,
          retries: rows.reduce((sum, { result }) => sum + result.attempts - 1, 0),
        }
      : null,
    pageUrl: last && last.page !== null ? (last.result.pages[last.page]?.pageUrl ?? null) : null,
    values: query.figures.map(({ column, aggregation, bound }) => {
      const values = rows.flatMap(({ result, page, source }) => {
        const metric = source.columns[column]
        if (!metric) return []
        if (!metric.perPage) return result.values[metric.metric] ?? []
        const pages = page === null ? result.pages : result.pages.slice(page, page + 1)
        return pages.flatMap((each) => each.values[metric.metric] ?? [])
      })
      return bound && fractions[aggregation] !== undefined
        ? expectedBound(fractions[aggregation], bound, values)
        : expected(aggregation, values)
    }),
    histogram: null,
  }
}

/** The order statistic that bounds a quantile, using the binomial distribution directly. */
function expectedBound(fraction: number, { side, confidence }: Bound, values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const tail = (1 - confidence) / 2
  const logs = [0]
  for (const k of sorted.keys()) logs.push((logs[k] as number) + Math.log(k + 1))
  const n = sorted.length
  const probability = (k: number) =>
    Math.exp((logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0) + k * Math.log(fraction) + (n - k) * Math.log1p(-fraction))
  let below = 0
  let low: number | null = null
  for (let k = 0; k < n; k++) {
    below += probability(k)
    if (below <= tail) low = sorted[k] as number
    if (below >= 1 - tail) return side === 'low' ? low : (sorted[k] as number)
  }
  return side === 'low' ? low : null
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

/** The standard deviation. Takes distances from the smallest value, whose mean keeps the digits in which large values differ. */
function deviation(distances: readonly number[]): number {
  const mean = exactSum(distances) / distances.length
  return Math.sqrt(exactSum(distances.map((distance) => (distance - mean) ** 2)) / distances.length)
}

/** An exact sum (Shewchuk): non-overlapping partial sums are added at the end. */
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

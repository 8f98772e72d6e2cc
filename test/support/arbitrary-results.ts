import fc from 'fast-check'
import { offsetSegments } from '../../src/calendar/offsets.ts'
import { derivedId } from '../../src/store/derived-id.ts'
import type {
  AggregateQuery,
  CheckRef,
  CheckSource,
  Grouping,
  MetricRef,
  RawQuery,
  Result,
  ResultFilter,
  Window,
} from '../../src/store/store.ts'
import { aggregations } from '../../src/store/store.ts'

export const check: CheckRef = { account: 'acme', checkId: 'homepage' }
/** A second check, for queries about several. */
export const otherCheck: CheckRef = { account: 'acme', checkId: 'shop' }
export const metricNames = ['responseTime', 'dns', 'ratio'] as const
export const pageMetricNames = ['LCP', 'CLS'] as const
const states = ['RECEIVED', 'LATE']
/** The last two sort differently by UTF-16 units than by bytes. */
const locations = ['eu-west-1', 'us-east-1', 'Ω', '\uff5e', '🌊']
const statusCodes = [200, 404, 503]
const pageUrls = ['https://example.test/', 'https://example.test/basket', 'https://example.test/~Ω']

/** Four days around a Monday. Results and windows are anywhere within them. */
export const span: Window = { from: Date.UTC(2026, 10, 7), to: Date.UTC(2026, 10, 11) }
const edges = [Date.UTC(2026, 10, 8), Date.UTC(2026, 10, 9) - 1, Date.UTC(2026, 10, 9), Date.UTC(2026, 10, 10)]

const instant = fc.oneof(fc.integer({ min: span.from, max: span.to }), fc.constantFrom(...edges))
const micros = fc.integer({ min: 0, max: 5_000_000 }).map((thousandths) => thousandths / 1000)
const few = fc.integer({ min: 0, max: 5 })
const any = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0)
/** Whole numbers and whole thousandths have their own column encodings. */
const families = [few, fc.oneof(micros, few), fc.oneof(micros, few, any)]
const valuesOf = (names: readonly string[], measured: fc.Arbitrary<number>): fc.Arbitrary<Record<string, number>> =>
  fc.dictionary(fc.constantFrom(...names), measured, { maxKeys: names.length, noNullPrototype: true })

const anyResult = (measured: fc.Arbitrary<number>): fc.Arbitrary<Result> =>
  fc
    .record({
      id: fc.option(fc.uuid(), { nil: null, freq: 2 }),
      startedAt: instant,
      runLocation: fc.constantFrom(...locations),
      hasFailures: fc.boolean(),
      hasErrors: fc.boolean(),
      isDegraded: fc.boolean(),
      overMaxResponseTime: fc.boolean(),
      attempts: fc.integer({ min: 1, max: 4 }),
      state: fc.option(fc.constantFrom(...states), { nil: null }),
      error: fc.option(fc.string({ maxLength: 20 }), { nil: null }),
      values: valuesOf(metricNames, measured),
      statusCode: fc.option(fc.constantFrom(...statusCodes), { nil: null }),
      pages: fc.array(fc.record({ pageUrl: fc.webUrl(), values: valuesOf(pageMetricNames, measured) }), { maxLength: 3 }),
    })
    .map(({ id, statusCode, values, ...result }) => ({
      ...result,
      id: id ?? derivedId(check, result.runLocation, result.startedAt),
      values: statusCode === null ? values : { ...values, statusCode },
    }))

export const fewResults = fc.constantFrom(...families).chain((measured) => fc.array(anyResult(measured), { maxLength: 30, size: 'max' }))

/** Hundreds to thousands of results, each derived from one number: fast to generate, and shrinkable by dropping or reducing numbers. */
const manyResults = fc
  .record({
    seeds: fc.array(fc.nat(), { minLength: 300, maxLength: 2000, size: 'max' }),
    spreadMs: fc.constantFrom(60_000, 86_400_000, span.to - span.from),
    family: fc.nat(families.length - 1),
  })
  .map(({ seeds, spreadMs, family }) => seeds.map((seed) => resultOf(seed, spreadMs, family)))

/** Results with unique ids: mostly a few with arbitrary content, sometimes many. */
export const anyResults: fc.Arbitrary<readonly Result[]> = fc
  .oneof({ weight: 6, arbitrary: fewResults }, { weight: 1, arbitrary: manyResults })
  .map((results) => [...new Map(results.toReversed().map((result) => [result.id, result])).values()].reverse())

function resultOf(seed: number, spreadMs: number, family: number): Result {
  const next = randomFrom(seed)
  const pick = <T>(items: readonly T[]) => items[next(items.length)] as T
  const value = () => [next(6), next(5_000_000) / 1000, next(2 ** 31) * Math.SQRT2][next(family + 1)] as number
  const values = (names: readonly string[]) => Object.fromEntries(names.filter(() => next(4) > 0).map((name) => [name, value()]))
  const startedAt = next(20) === 0 ? pick(edges) : span.from + next(spreadMs)
  const runLocation = pick(locations)
  return {
    id: next(3) === 0 ? `run-${seed}` : derivedId(check, runLocation, startedAt),
    startedAt,
    runLocation,
    hasFailures: next(4) === 0,
    hasErrors: next(8) === 0,
    isDegraded: next(8) === 0,
    overMaxResponseTime: next(8) === 0,
    attempts: 1 + next(3),
    state: pick([null, ...states]),
    error: next(6) === 0 ? 'refused' : null,
    values: { ...values(metricNames), ...(next(4) > 0 ? { statusCode: pick(statusCodes) } : {}) },
    pages: Array.from({ length: next(6) === 0 ? next(4) : 0 }, () => ({ pageUrl: pick(pageUrls), values: values(pageMetricNames) })),
  }
}

/** Whole numbers from 0 to a limit (exclusive), deterministic by seed (mulberry32). */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

const anyWindow = fc.tuple(instant, instant).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const anyFilter: fc.Arbitrary<ResultFilter | null> = fc.option(
  fc.record({
    success: fc.boolean(),
    failure: fc.boolean(),
    states: fc.subarray(states),
    locations: fc.option(fc.subarray(locations), { nil: null }),
    field: fc.option(fc.record({ name: fc.constant('statusCode'), values: fc.subarray(statusCodes) }), { nil: null }),
  }),
  { nil: null },
)
const paging = fc.record({ offset: fc.nat(12), limit: fc.integer({ min: 1, max: 100 }) })
const question = {
  window: fc.oneof(fc.constant(span), anyWindow),
  filter: anyFilter,
  rowPage: fc.oneof(fc.constant({ offset: 0, limit: 100 }), paging),
  groupPage: fc.oneof(fc.constant(null), fc.record({ offset: fc.nat(2), limit: fc.integer({ min: 1, max: 3 }) })),
}
const anyMetric: fc.Arbitrary<MetricRef> = fc.oneof(
  fc.constantFrom(...metricNames).map((metric) => ({ metric, perPage: false })),
  fc.constantFrom(...pageMetricNames).map((metric) => ({ metric, perPage: true })),
)

const offsets = offsetSegments({ name: 'Australia/Lord_Howe' }, span)
const byRow: readonly Exclude<Grouping, { by: 'label' }>[] = [
  { by: 'location' },
  { by: 'field', name: 'statusCode' },
  { by: 'hourOfDay', offsets },
  { by: 'dayOfWeek', offsets },
]
const anyGroupBy: fc.Arbitrary<readonly Grouping[]> = fc.oneof(
  fc.constant([]),
  fc.constant([{ by: 'page' } as const]),
  fc.subarray([...byRow, { by: 'label' } as const], { minLength: 1, maxLength: 2 }),
)
const anyLabels = fc.uniqueArray(fc.constantFrom('a', 'b'), { minLength: 1 })

/** A query about these checks. The last check may lack a column. */
export function anyAggregateQueryOf(checks: readonly CheckRef[]): fc.Arbitrary<AggregateQuery> {
  return fc
    .record({
      ...question,
      groupBy: anyGroupBy,
      counts: fc.boolean(),
      metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }),
      figures: fc.array(
        fc.record({
          column: fc.nat(3),
          aggregation: fc.constantFrom(...aggregations),
          bound: fc.option(fc.record({ side: fc.constantFrom('low', 'high'), confidence: fc.constantFrom(0.8, 0.95) }), {
            nil: null,
            freq: 2,
          }),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      labels: fc.array(anyLabels, { minLength: checks.length, maxLength: checks.length }),
      lacking: fc.option(fc.nat(3), { nil: -1 }),
      buckets: fc.option(
        fc.integer({ min: 1, max: 43_200 }).map((minutes) => ({ originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 })),
        { nil: null },
      ),
      isFilled: fc.boolean(),
    })
    .map(({ metrics, figures, labels, lacking, isFilled, ...query }): AggregateQuery => {
      const sources = checks.map((check, i): CheckSource => {
        const isLacking = (column: number) => i > 0 && column === lacking
        return {
          check,
          columns: metrics.map((metric, column) => (isLacking(column) ? null : metric)),
          labels: query.groupBy.filter(({ by }) => by === 'label').map(() => labels[i] ?? []),
        }
      })
      return {
        ...query,
        sources,
        figures: figures.map((figure) => ({ ...figure, column: figure.column % metrics.length })),
        fill: isFilled && query.buckets ? query.window : null,
        histogram: null,
      }
    })
}

export const anyAggregateQuery = anyAggregateQueryOf([check])

/** A query with ordered groups or rows. Buckets are wide, because the oracle computes all of them. */
export const anyOrderedQuery: fc.Arbitrary<AggregateQuery> = fc
  .tuple(
    anyAggregateQuery,
    fc.oneof(fc.constantFrom('total', 'success', 'availability', 'retries'), fc.nat(7)),
    fc.constantFrom('asc', 'desc'),
    fc.integer({ min: 180, max: 3000 }),
  )
  .map(([query, by, direction, minutes]) => ({
    ...query,
    counts: true,
    buckets: query.buckets && { originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 },
    order: { by: typeof by === 'number' ? by % query.figures.length : by, direction },
  }))

export const anyRawQuery: fc.Arbitrary<RawQuery> = fc.record({
  ...question,
  check: fc.constant(check),
  groupBy: fc.constantFrom(null, { by: 'page' } as const, ...byRow),
  metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }),
})

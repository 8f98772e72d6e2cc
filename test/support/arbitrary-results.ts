import fc from 'fast-check'
import { derivedId } from '../../src/store/derived-id.ts'
import type { AggregateQuery, CheckRef, RawQuery, Result, StatusFilter, Window } from '../../src/store/store.ts'
import { aggregations } from '../../src/store/store.ts'

export const check: CheckRef = { account: 'acme', checkId: 'homepage' }
export const metricNames = ['responseTime', 'dns', 'ratio'] as const
export const pageMetricNames = ['LCP', 'CLS'] as const
const states = ['RECEIVED', 'LATE']

/** Four days around a Monday; results and windows fall anywhere among them. */
export const span: Window = { from: Date.UTC(2026, 10, 7), to: Date.UTC(2026, 10, 11) }

const instant = fc.oneof(
  fc.integer({ min: span.from, max: span.to }),
  fc.constantFrom(Date.UTC(2026, 10, 8), Date.UTC(2026, 10, 9) - 1, Date.UTC(2026, 10, 9), Date.UTC(2026, 10, 10)),
)
const micros = fc.integer({ min: 0, max: 5_000_000 }).map((thousandths) => thousandths / 1000)
const few = fc.integer({ min: 0, max: 5 })
const any = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => value + 0)
/** Numbers are kept in other ways where all of them are whole, or whole thousandths. */
const families = [few, fc.oneof(micros, few), fc.oneof(micros, few, any)]
const valuesOf = (names: readonly string[], measured: fc.Arbitrary<number>): fc.Arbitrary<Record<string, number>> =>
  fc.dictionary(fc.constantFrom(...names), measured, { maxKeys: names.length, noNullPrototype: true })

const anyResult = (measured: fc.Arbitrary<number>): fc.Arbitrary<Result> =>
  fc
    .record({
      id: fc.option(fc.uuid(), { nil: null, freq: 2 }),
      startedAt: instant,
      runLocation: fc.constantFrom('eu-west-1', 'us-east-1', 'Ω'),
      hasFailures: fc.boolean(),
      hasErrors: fc.boolean(),
      isDegraded: fc.boolean(),
      overMaxResponseTime: fc.boolean(),
      attempts: fc.integer({ min: 1, max: 4 }),
      state: fc.option(fc.constantFrom(...states), { nil: null }),
      error: fc.option(fc.string({ maxLength: 20 }), { nil: null }),
      values: valuesOf(metricNames, measured),
      statusCode: fc.option(fc.constantFrom(200, 404, 503), { nil: null }),
      pages: fc.array(fc.record({ pageUrl: fc.webUrl(), values: valuesOf(pageMetricNames, measured) }), { maxLength: 3 }),
    })
    .map(({ id, statusCode, values, ...result }) => ({
      ...result,
      id: id ?? derivedId(check, result.runLocation, result.startedAt),
      values: statusCode === null ? values : { ...values, statusCode },
    }))

/** Results no two of which have the same id. */
export const anyResults = fc
  .constantFrom(...families)
  .chain((measured) => fc.uniqueArray(anyResult(measured), { selector: (result) => result.id, maxLength: 120 }))

const anyWindow = fc.tuple(instant, instant).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const anyFilter: fc.Arbitrary<StatusFilter | null> = fc.option(
  fc.record({ success: fc.boolean(), failure: fc.boolean(), states: fc.subarray(states) }),
  { nil: null },
)
const question = {
  check: fc.constant(check),
  window: fc.oneof(fc.constant(span), anyWindow),
  filter: anyFilter,
  groupBy: fc.constantFrom(null, { by: 'location' } as const, { by: 'field', name: 'statusCode' } as const, { by: 'page' } as const),
  paging: fc.record({ offset: fc.nat(12), limit: fc.integer({ min: 1, max: 100 }) }),
}
const anyMetric = fc.oneof(
  fc.constantFrom(...metricNames).map((metric) => ({ metric, perPage: false })),
  fc.constantFrom(...pageMetricNames).map((metric) => ({ metric, perPage: true })),
)

export const anyAggregateQuery: fc.Arbitrary<AggregateQuery> = fc.record({
  ...question,
  outcomes: fc.constant(true),
  figures: fc.array(
    fc.tuple(anyMetric, fc.constantFrom(...aggregations)).map(([metric, aggregation]) => ({ ...metric, aggregation })),
    { minLength: 1, maxLength: 8 },
  ),
  buckets: fc.option(
    fc.integer({ min: 1, max: 43_200 }).map((minutes) => ({ originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 })),
    { nil: null },
  ),
})

export const anyRawQuery: fc.Arbitrary<RawQuery> = fc.record({ ...question, metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }) })

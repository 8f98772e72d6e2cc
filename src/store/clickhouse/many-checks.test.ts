// @slow clickhouse
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../test/clickhouse/databases.ts'
import { isEmulated } from '../../../test/clickhouse/engines/modern-plan.mjs'
import { isGiven, isModern, serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { anyResults, span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { calendarBuckets } from '../../calendar/buckets.ts'
import { offsetSegments } from '../../calendar/offsets.ts'
import {
  type AggregateQuery,
  aggregations,
  type Buckets,
  type CheckRef,
  type FiledResult,
  type Grouping,
  type Order,
  type Store,
} from '../store.ts'

const checksOf = (count: number) => Array.from({ length: count }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
const metrics = ['dns', 'ratio', 'responseTime', 'statusCode']

type QuestionParts = Pick<AggregateQuery, 'counts' | 'filter' | 'groupBy' | 'buckets' | 'order' | 'rowPage'> & {
  readonly figures: readonly (typeof aggregations)[number][]
  readonly bounds: readonly number[] | null
  readonly isFilled: boolean
  /** The groups in which each check counts. */
  readonly labelsOf: (check: CheckRef, i: number) => readonly string[]
}
const plain: QuestionParts = {
  figures: ['max', 'min'],
  counts: true,
  filter: null,
  groupBy: [{ by: 'label' }],
  buckets: null,
  order: null,
  rowPage: { offset: 0, limit: 100 },
  bounds: null,
  isFilled: false,
  labelsOf: ({ checkId }) => [checkId],
}

/** A query for figures of two columns, whose metric differs by check and may be missing. */
function questionOf(checks: readonly CheckRef[], asked: Partial<QuestionParts> = {}): AggregateQuery {
  const { figures, bounds, isFilled, labelsOf, ...query } = { ...plain, ...asked }
  const labels = query.groupBy.filter(({ by }) => by === 'label').length
  return {
    ...query,
    sources: checks.map((check, i) => ({
      check,
      columns: [{ metric: metrics[i % metrics.length] as string, perPage: false }, i % 3 === 0 ? null : { metric: 'dns', perPage: false }],
      labels: Array.from({ length: labels }, () => labelsOf(check, i)),
    })),
    window: span,
    figures: figures.flatMap((aggregation) => [0, 1].map((column) => ({ column, aggregation, bound: null }))),
    fill: isFilled && query.buckets ? span : null,
    histogram: bounds && { column: 0, bounds },
    groupPage: null,
  }
}

const zone = { name: 'Australia/Lord_Howe' }
const offsets = offsetSegments(zone, span)
const groupings: readonly Grouping[] = [
  { by: 'label' },
  { by: 'location' },
  { by: 'field', name: 'statusCode' },
  { by: 'hourOfDay', offsets },
  { by: 'dayOfWeek', offsets },
]
const exact = aggregations.filter((aggregation) => aggregation !== 'stddev')
const anyBuckets: fc.Arbitrary<Buckets | null> = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 30, max: 3000 }).map((minutes) => ({ originMs: Date.UTC(1970, 0, 5), widthMs: minutes * 60_000 })),
  fc.constantFrom(90, 'day' as const, 'week' as const).map((interval) => calendarBuckets(interval, zone, span) ?? null),
)
const anyAsked: fc.Arbitrary<QuestionParts> = fc.record({
  figures: fc.uniqueArray(fc.constantFrom(...exact), { minLength: 1, maxLength: 6 }),
  counts: fc.boolean(),
  filter: fc.option(
    fc.record({
      success: fc.boolean(),
      failure: fc.boolean(),
      states: fc.subarray(['RECEIVED', 'LATE']),
      locations: fc.option(fc.subarray(['eu-west-1', 'Ω']), { nil: null }),
      field: fc.option(fc.record({ name: fc.constant('statusCode'), values: fc.subarray([200, 404]) }), { nil: null }),
    }),
    { nil: null },
  ),
  groupBy: fc.subarray([...groupings], { maxLength: 2 }),
  buckets: anyBuckets,
  order: fc.option(
    fc.record({ by: fc.constantFrom<Order['by'][]>('total', 'availability', 0), direction: fc.constantFrom('asc', 'desc') }),
    {
      nil: null,
    },
  ),
  rowPage: fc.constantFrom({ offset: 0, limit: 100 }, { offset: 1, limit: 2 }),
  bounds: fc.constantFrom(null, [], [0, 2.5, 1000]),
  isFilled: fc.boolean(),
  labelsOf: fc.constantFrom(
    ({ checkId }: CheckRef) => [checkId],
    (_: CheckRef, i: number) => [i % 2 === 0 ? 'even' : 'odd'],
    (_: CheckRef, i: number) => (i % 2 === 0 ? ['all', 'even'] : ['all']),
  ),
})

describe('a query of many checks', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  /**
   * A thousand queries in both tests by default, on the engine that decides: running one takes much less time than filling both stores.
   */
  const decides = isModern || isGiven || isEmulated
  const fillings = triesOf(decides ? 40 : 20)
  const questionsEach = fillings === 1 ? 1 : decides ? 125 : 50

  /** Summarized by the server, or read as columns. */
  test.each([0, undefined])('returns the figures of a data folder, bit by bit, up to a cost of %j in columns', async (maxCachedCost) => {
    const checks = checksOf(6)
    await fc.assert(
      fc.asyncProperty(anyResults, fc.array(anyAsked, { minLength: questionsEach, maxLength: questionsEach }), async (results, asked) => {
        const filed = results.map((result, i): FiledResult => ({ check: checks[i % checks.length] as CheckRef, result }))
        const answers = async (store: Store) => {
          await store.append(filed)
          return Promise.all(asked.map((one) => store.aggregate(questionOf(checks, one))))
        }
        const { store: folder } = await temporaryStore(() => span.to)
        const { store, dispose } = await databases.open({ clock: () => span.to, ...(maxCachedCost === 0 && { maxCachedCost }) })
        expect(await answers(store)).toEqual(await answers(folder))
        await dispose()
        await folder.close()
      }),
      { numRuns: fillings },
    )
  })

  test('needs few statements, however many there are', async () => {
    const statements: string[] = []
    const { store } = await databases.open({ clock: () => span.to, onStatement: (sql) => void statements.push(sql) })
    onTestFinished(() => store.close())
    const checks = checksOf(1000)
    const at = (startedAt: number) =>
      checks.map(
        (check): FiledResult => ({ check, result: { ...calm, id: null, startedAt, runLocation: 'eu', values: { dns: 1.5 }, pages: [] } }),
      )
    const sources = checks.map((check) => ({ check, duration: 'dns' }))
    const asked = async (ask: () => Promise<unknown>) => {
      statements.length = 0
      await ask()
      return statements.length
    }
    await store.append(at(span.to - 1000))
    await store.totals(sources)
    await store.append(at(span.to - 500))
    expect(await asked(() => Promise.all([store.totals(sources), store.latest(checks)]))).toBeLessThanOrEqual(4)
    expect((await store.totals(sources))[999]).toMatchObject([{ location: 'eu', passed: 2, durationMicros: 3000 }])
    expect(await asked(() => Promise.all([store.aggregate(questionOf(checks)), store.latest(checks)]))).toBeLessThanOrEqual(4)
    expect(await asked(() => store.aggregate(questionOf(checks, { figures: ['p95'] })))).toBeLessThanOrEqual(4)
    const whole: Partial<QuestionParts> = {
      filter: { success: true, failure: false, states: [], locations: ['eu'], field: null },
      buckets: { originMs: 0, widthMs: 3_600_000 },
      bounds: [1, 2],
      groupBy: [{ by: 'label' }, { by: 'location' }],
      labelsOf: (_, i) => ['all', `tag-${i % 7}`],
    }
    expect(await asked(() => store.aggregate(questionOf(checks, whole)))).toBeLessThanOrEqual(4)
    const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
    const states = {
      window: span,
      now: span.to,
      quorum: 1,
      byLocation: false,
      serviceHours: null,
      minOutageMs: 0,
      rows: [span],
      intervals: false,
    }
    const byTime = () => store.states({ ...states, sources: checks.map((check) => ({ check, rhythm, maintenance: [] })) })
    expect(await asked(byTime)).toBeLessThanOrEqual(12)
  })

  test('needs few statements for outages and failures', async () => {
    const statements: string[] = []
    const { store } = await databases.open({ clock: () => span.to, onStatement: (sql) => void statements.push(sql) })
    onTestFinished(() => store.close())
    const checks = checksOf(21)
    const failing = { ...calm, hasFailures: true, error: 'it failed' }
    const starts = Array.from({ length: 30 }, (_, i) => span.to - 3_600_000 + i * 60_000)
    await store.append(
      checks.flatMap((check) =>
        starts.map(
          (startedAt): FiledResult => ({ check, result: { ...failing, id: null, startedAt, runLocation: 'eu', values: {}, pages: [] } }),
        ),
      ),
    )
    const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
    const sources = checks.map((check) => ({ check, rhythm, maintenance: [] }))
    statements.length = 0
    const outages = await store.outages({ sources, window: span, now: span.to, quorum: 1, minMs: 0, after: null, limit: 50 })
    expect(new Set(outages.map(({ check }) => check.checkId)).size).toBe(21)
    expect(statements.length).toBeLessThanOrEqual(10)
    statements.length = 0
    expect(await store.failures({ sources: checks, window: span, locations: null })).toHaveLength(1)
    expect(statements.length).toBeLessThanOrEqual(3)
  })
})

// @slow
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { anyResults, span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { calm } from '../../../test/support/results.ts'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { type AggregateQuery, aggregations, type CheckRef, type FiledResult, type Grouping, type Store } from '../store.ts'

const checksOf = (count: number) => Array.from({ length: count }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))
const metrics = ['dns', 'ratio', 'responseTime', 'statusCode']

/** A question for figures of each check, and of each location of it. */
function questionOf(
  checks: readonly CheckRef[],
  { byLocation = false, figures = ['max', 'min'], counts = true }: Partial<Asked> = {},
): AggregateQuery {
  const own: readonly Grouping[] = byLocation ? [{ by: 'label' }, { by: 'location' }] : [{ by: 'label' }]
  return {
    sources: checks.map((check, i) => ({
      check,
      columns: [{ metric: metrics[i % metrics.length] as string, perPage: false }, i % 3 === 0 ? null : { metric: 'dns', perPage: false }],
      labels: [[check.checkId]],
    })),
    window: span,
    filter: null,
    groupBy: own,
    figures: figures.flatMap((aggregation) => [0, 1].map((column) => ({ column, aggregation, bound: null }))),
    counts,
    buckets: null,
    fill: null,
    histogram: null,
    rowPage: { offset: 0, limit: 1 },
    groupPage: null,
  }
}
type Asked = { readonly byLocation: boolean; readonly figures: readonly (typeof aggregations)[number][]; readonly counts: boolean }

const anyAsked = fc.record({
  byLocation: fc.boolean(),
  figures: fc.uniqueArray(fc.constantFrom(...aggregations), { minLength: 1, maxLength: 6 }),
  counts: fc.boolean(),
})

describe('many checks in one question', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  test('have the figures of a data folder, to the bit', async () => {
    const checks = checksOf(6)
    await fc.assert(
      fc.asyncProperty(anyResults, fc.array(anyAsked, { minLength: 4, maxLength: 8 }), async (results, asked) => {
        const filed = results.map((result, i): FiledResult => ({ check: checks[i % checks.length] as CheckRef, result }))
        const answers = async (store: Store) => {
          await store.append(filed)
          return Promise.all(asked.map((one) => store.aggregate(questionOf(checks, one))))
        }
        const { store: folder } = await temporaryStore(() => span.to)
        const { store, dispose } = await databases.open({ clock: () => span.to })
        expect(await answers(store)).toEqual(await answers(folder))
        await dispose()
        await folder.close()
      }),
      { numRuns: triesOf(30) },
    )
  })

  test('are asked in few statements, however many there are', async () => {
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
  })

  test('have outages and failures in few statements', async () => {
    const statements: string[] = []
    const { store } = await databases.open({ clock: () => span.to, onStatement: (sql) => void statements.push(sql) })
    onTestFinished(() => store.close())
    const checks = checksOf(5)
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
    expect(new Set(outages.map(({ check }) => check.checkId)).size).toBe(5)
    expect(statements.length).toBeLessThanOrEqual(15)
    statements.length = 0
    expect(await store.failures({ sources: checks, window: span, locations: null })).toHaveLength(1)
    expect(statements.length).toBeLessThanOrEqual(3)
  })
})

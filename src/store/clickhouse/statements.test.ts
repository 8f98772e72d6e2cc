// @slow clickhouse
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { anyAggregateQuery, anyRawQuery, anyResults, span } from '../../../test/support/arbitrary-results.ts'
import { needing } from '../../../test/support/needs.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { AggregateQuery, CheckRef, FiledResult, RawQuery, Result, ResultFilter, Store } from '../store.ts'

/** Texts that would break a statement if they were part of it. */
const hostile = ["zq' OR 1 = 1 --", 'zq\\', 'zq`{x:String}`', 'zq\n;DROP TABLE results']
const mark = 'zq'

/** Replaces all values of a query, so that only its shape is left. */
type Values = { readonly check: CheckRef; readonly text: string; readonly number: number }

const valuesOf = (i: number): Values => ({
  check: { account: hostile[i % hostile.length] as string, checkId: `${hostile[(i + 1) % hostile.length]}${i}` },
  text: hostile[(i + 2) % hostile.length] as string,
  number: 987_654_000 + i,
})

function withFilter(filter: ResultFilter | null, { text, number }: Values): ResultFilter | null {
  if (!filter) return null
  const locations = filter.locations && [text]
  return { ...filter, states: [text], locations, field: filter.field && { ...filter.field, values: [number] } }
}

const page = ({ number }: Values) => ({ offset: number, limit: number })
const window = ({ number }: Values) => ({ from: number, to: span.to + number })

const aggregateWith = (query: AggregateQuery, values: Values): AggregateQuery => ({
  ...query,
  sources: query.sources.map((source) => ({ ...source, check: values.check })),
  window: window(values),
  fill: null,
  filter: withFilter(query.filter, values),
  rowPage: page(values),
})
const rawWith = (query: RawQuery, values: Values): RawQuery => ({
  ...query,
  check: values.check,
  window: window(values),
  filter: withFilter(query.filter, values),
  rowPage: page(values),
})
const filedWith = (result: Result, { check, text }: Values): FiledResult => ({
  check,
  result: { ...result, id: `${text}${result.id}`, runLocation: text, state: text, error: text },
  evidence: Buffer.from(text),
})

/** The search for ids that are stored twice, which runs after the call is answered. */
const isSettling = (sql: string) => sql.includes('HAVING')

/** Runs queries of every other kind. */
async function askAll(store: Store, { check, text, number }: Values): Promise<void> {
  const position = { startedAt: number, runLocation: text, id: text }
  const sources = [{ check, rhythm: { periodMs: 60_000, locations: 1, parallel: true }, maintenance: [] }]
  const asked = { window: { from: number, to: number + 9 }, now: number, quorum: 1 }
  for (const location of [null, text])
    for (const before of [null, position])
      await store.results({ check, window: span, location, hasFailures: true, before, rowPage: { offset: number, limit: 1 } })
  for (const id of [text, `${text}00000000-0000-8000-8000-000000000000`]) await store.result({ check, id, startedAt: number })
  await store.latest([check])
  await store.totals([{ check, duration: 'responseTime' }])
  await store.failures({ sources: [check], window: asked.window, locations: [text] })
  const policy = { byLocation: false, serviceHours: null, minOutageMs: 1, rows: [asked.window], intervals: false }
  await store.states({ ...asked, ...policy, sources })
  await store.outages({ ...asked, sources, minMs: 0, after: null, limit: 1 })
}

describe('statements for ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  test('contain no values of queries or results, and are equal for equal shapes', async () => {
    const texts = new Set<string>()
    const { store, dispose } = await databases.open({
      clock: () => span.to,
      maxQuestionCost: Number.POSITIVE_INFINITY,
      onStatement: (sql) => texts.add(sql),
    })
    /** The statements that `work` sends. */
    const sent = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      texts.clear()
      await work()
      return [...texts].filter((text) => !isSettling(text)).sort()
    }
    let i = 0
    const sameTexts = async (work: (values: Values) => Promise<unknown>) => {
      const [first, second] = [valuesOf(i++), valuesOf(i++)]
      const own = await sent(() => work(first))
      expect(own.length).toBeGreaterThan(0)
      expect(own.filter((text) => text.includes(mark) || text.includes('987654'))).toEqual([])
      expect(await sent(() => work(second))).toEqual(own)
    }
    await sameTexts((values) => askAll(store, values))
    await fc.assert(
      fc.asyncProperty(anyAggregateQuery, anyRawQuery, anyResults, async (aggregate, raw, results) => {
        await sameTexts((values) => store.aggregate(aggregateWith(aggregate, values)))
        await sameTexts((values) => store.raw(rawWith(raw, values)))
        if (results.length > 0) await sameTexts((values) => store.append(results.slice(0, 9).map((result) => filedWith(result, values))))
      }),
      { numRuns: triesOf(20) },
    )
    await sameTexts((values) => askAll(store, values))
    await dispose()
  })
})

import { expect, test } from 'vitest'
import { span } from '../../../../test/support/arbitrary-results.ts'
import { type AggregateQuery, QueryTooLarge, StoreUnavailable } from '../../store.ts'
import { createSummaries } from './summaries.ts'

const names = Array.from({ length: 9 }, (_, i) => `metric${i}`)

/** A query for figures of many columns, whose metric depends on the check. */
const question: AggregateQuery = {
  sources: names.map((checkId, i) => ({
    check: { account: 'acme', checkId },
    columns: Array.from({ length: 60 }, (_, column) => ({ metric: names[(i + column) % names.length] as string, perPage: false })),
    labels: [[checkId]],
  })),
  window: span,
  filter: null,
  groupBy: [{ by: 'label' }],
  figures: Array.from({ length: 60 }, (_, column) =>
    (['avg', 'p50', 'p90', 'p95', 'p99'] as const).map((aggregation) => ({ column, aggregation, bound: null })),
  ).flat(),
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
  rowPage: { offset: 0, limit: 1 },
  groupPage: null,
}
const metrics = { values: names, pageValues: [] }

test('a statement for many columns does not exceed the limit of the server', async () => {
  const texts: string[] = []
  const connection = {
    rows: async ({ sql }: { readonly sql: string }) => {
      texts.push(sql)
      return []
    },
  }
  await createSummaries({ connection, metrics, settings: {} })(question)
  expect(texts).toHaveLength(1)
  expect(texts[0]?.length).toBeLessThan(200_000)
})

test('a query that is too large for the server is left to be computed from columns; other failures are passed on', async () => {
  const failing = (error: Error) => createSummaries({ connection: { rows: () => Promise.reject(error) }, metrics, settings: {} })(question)
  expect(await failing(new QueryTooLarge('it would need more memory'))).toBeNull()
  await expect(failing(new StoreUnavailable('It is away.', 5))).rejects.toMatchObject({ name: 'StoreUnavailable' })
})

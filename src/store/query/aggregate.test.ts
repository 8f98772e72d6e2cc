import { expect, test } from 'vitest'
import { calm } from '../../../test/support/results.ts'
import type { AggregateQuery } from '../store.ts'
import { aggregate } from './aggregate.ts'
import { createScratchBuffer } from './grid/partition.ts'
import { memoryPart } from './parts/memory-part.ts'

const source = { check: { account: 'acme', checkId: 'shop' }, columns: [], labels: [] }
const part = memoryPart(
  Array.from({ length: 60_000 }, (_, code) => ({ ...calm, id: null, startedAt: code, runLocation: 'eu', values: { code }, pages: [] })),
)
const query: AggregateQuery = {
  sources: [source],
  window: { from: 0, to: 60_000 },
  filter: null,
  groupBy: [{ by: 'field', name: 'code' }],
  figures: [],
  counts: true,
  buckets: null,
  fill: null,
  histogram: null,
  rowPage: { offset: 0, limit: 1 },
  groupPage: null,
}
const ask = (more: Partial<AggregateQuery>) =>
  aggregate({ ...query, ...more }, [{ source, parts: [part] }], { values: createScratchBuffer(), partitioned: createScratchBuffer() })

test('too many groups are rejected with a message, unless they are paged', () => {
  expect(() => ask({})).toThrow('60000 rows in 60000 groups, and the limit is 50000')
  const order = { by: 'total', direction: 'desc' } as const
  const { groups } = ask({ order, groupPage: { offset: 59_990, limit: 100 } })
  expect(groups.map(({ keys: [key] }) => key)).toEqual(Array.from({ length: 10 }, (_, i) => 59_990 + i))
})

test('rows with many values have a lower limit', () => {
  const bounds = Array.from({ length: 100 }, (_, i) => i)
  const histogram = { column: 0, bounds }
  expect(() => ask({ histogram, groupPage: { offset: 0, limit: 20_000 } })).toThrow('the limit is 9615 rows')
})

test('empty buckets are limited when they are ordered', () => {
  const buckets = { originMs: 0, widthMs: 1 }
  const order = { by: 'total', direction: 'desc' } as const
  expect(() => ask({ groupBy: [], buckets, fill: { from: 0, to: 1e12 }, order })).toThrow('more than 4000000 rows')
})

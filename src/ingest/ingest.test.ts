import { expect, test } from 'vitest'
import { refusingChecks } from '../../test/support/refusing-store.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import type { Store } from '../store/store.ts'
import { storeBatch } from './ingest.ts'
import type { ReadRows } from './read-rows.ts'

const now = Date.UTC(2026, 10, 14)
const rejected = [{ at: 1, code: 'MALFORMED_ROW', message: 'This row is not a JSON object.' }] as unknown as ReadRows['rejected']
const rows = (...ids: readonly string[]): ReadRows => ({
  filed: ids.map((id) => ({
    check: { account: 'acme', checkId: id.split('-')[0] ?? '' },
    result: { id, ...pingOutcome('RECEIVED', now) },
  })),
  rejected: ids.length > 1 ? rejected : [],
})

async function outcomesOf(refused: readonly string[], ...bodies: readonly ReadRows[]) {
  const { store } = await temporaryStore(() => now)
  const refusing: Store = { ...store, append: refusingChecks((results) => store.append(results), new Set(refused)) }
  return storeBatch(bodies, refusing)
}

test('bodies that are stored together have their own counts and rejected rows', async () => {
  expect(await outcomesOf([], rows('shop-1', 'shop-2'), rows(), rows('shop-2'), rows('shop-3', 'shop-1'))).toEqual([
    { accepted: 2, duplicates: 0, rejected },
    { accepted: 0, duplicates: 0, rejected: [] },
    { accepted: 0, duplicates: 1, rejected: [] },
    { accepted: 1, duplicates: 1, rejected },
  ])
})

test('where results of a check are refused, only bodies with some of it say so', async () => {
  expect(await outcomesOf(['dead'], rows('shop-1', 'dead-1'), rows('shop-2'), rows('dead-2'))).toMatchObject([
    { refusedChecks: ['dead'], rejected, retryAfterSeconds: 5 },
    { accepted: 1, duplicates: 0, rejected: [] },
    { refusedChecks: ['dead'], rejected: [] },
  ])
})

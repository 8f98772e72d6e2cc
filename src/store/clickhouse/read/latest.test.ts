import { expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import type { Connection, Statement } from '../connection.ts'
import { createLatest } from './latest.ts'

test('a cached check has its newest result even if the cache is emptied for others', async () => {
  const body = JSON.stringify({ ...calm, id: 'run', startedAt: 1, runLocation: 'eu', values: {}, pages: [] })
  const rows = async ({ params = {} }: Statement) =>
    (params.checkIds as readonly string[]).filter((checkId) => checkId === 'shop').map((checkId) => ['acme', checkId, 0, body, '1'])
  const latest = createLatest({
    connection: { rows } as unknown as Connection,
    seen: () => {},
    clock: () => 1,
    monotonic: () => 0,
    maxEntries: 2,
  })
  const checkOf = (checkId: string) => ({ account: 'acme', checkId })
  await latest.of(['shop', 'bank', 'blog'].map(checkOf))
  const [answer] = await latest.of(['shop', 'new'].map(checkOf))
  expect(answer?.byLocation).toMatchObject([{ id: 'run' }])
})

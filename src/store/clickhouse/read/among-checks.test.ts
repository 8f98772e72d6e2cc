// @slow clickhouse
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases, testMetrics } from '../../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../../test/clickhouse/engines/server.ts'
import { span } from '../../../../test/support/arbitrary-results.ts'
import { needing } from '../../../../test/support/needs.ts'
import { calm } from '../../../../test/support/results.ts'
import { type CheckRef, QueryTooLarge } from '../../store.ts'
import { connectTo } from '../server.ts'
import { inHalves } from './among-checks.ts'
import { createCountTotals } from './count-totals.ts'

const checks = Array.from({ length: 8 }, (_, i): CheckRef => ({ account: 'acme', checkId: `check-${i}` }))

test('a statement that would read too much is split by checks, down to a single one', async () => {
  const asked: string[] = []
  const ask = async (some: readonly CheckRef[], settings: object) => {
    asked.push(some.map(({ checkId }) => checkId.slice(-1)).join(''))
    if ('max_rows_to_read' in settings && some.length > 2) throw new QueryTooLarge('it would read too much')
    return some
  }
  expect(await inHalves(checks.slice(0, 5), ask)).toEqual(checks.slice(0, 5))
  expect(asked).toEqual(['01234', '012', '01', '2', '34'])
  const broken = inHalves(checks, async () => {
    throw new Error('it is broken')
  })
  await expect(broken).rejects.toThrow('it is broken')
})

describe('with a server', { ...needing(await serverMissing()), timeout: 120_000 }, () => {
  const databases = testDatabases()

  test('spans of checks are found even if their rows exceed the limit of a statement', async () => {
    const { store, database, dispose } = await databases.open({ clock: () => span.to })
    const starts = Array.from({ length: 5000 }, (_, i) => span.from + i)
    const results = checks.flatMap((check, i) =>
      starts.map((startedAt) => ({
        check,
        result: { ...calm, id: null, startedAt: startedAt + i, runLocation: 'eu', values: {}, pages: [] },
      })),
    )
    await store.append(results)
    const statements: string[] = []
    const connection = await connectTo(databases.serverOf(database), { log: () => {}, onStatement: (sql) => void statements.push(sql) })
    onTestFinished(async () => {
      await connection.close()
      await dispose()
    })
    const spans = await createCountTotals({ connection, metrics: testMetrics, rowsPerStatement: 20_000 }).spans(checks)
    expect([...spans.values()].map(({ first, results }) => [first - span.from, results]).sort()).toEqual(checks.map((_, i) => [i, 5000]))
    expect(statements.length).toBeGreaterThan(1)
    expect(await store.totals(checks.map((check) => ({ check, duration: null })))).toMatchObject(checks.map(() => [{ passed: 5000 }]))
  })
})

// @slow clickhouse
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { registeredColumns } from '../../src/store/clickhouse/schema/metric-columns.ts'
import { openTestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { testDatabases } from './databases.ts'
import { serverMissing } from './engines/server.ts'

const now = Date.parse('2026-11-14T10:20:30.456Z')
/** Checks of all types. */
const checks = Array.from({ length: 1000 }, (_, i) => testCheck(checkTypes[i % checkTypes.length] as CheckType, { id: `check-${i}` }))

describe('the statuses of 1,000 checks', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  const databases = testDatabases()

  test('are read with at most four statements', async () => {
    const statements: string[] = []
    const metrics = registeredColumns()
    const { store, dispose } = await databases.open({ clock: () => now, metrics, onStatement: (sql) => void statements.push(sql) })
    onTestFinished(dispose)
    const api = await openTestApp({ catalogue: testCatalogue({ checks }), now, instead: () => store })
    onTestFinished(api.close)
    for (const ms of [120_000, 60_000]) {
      await store.append(checks.map((check) => testResult(check, now - ms)))
      statements.length = 0
      const { status, body } = await api.get('/v1/check-statuses')
      expect([status, body.length]).toEqual([200, checks.length])
      const measured = checks.filter(({ checkType }) => checkType.duration !== null).length
      expect(body.filter((one: { readonly longestRun: unknown }) => one.longestRun !== null)).toHaveLength(measured)
      expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(4)
    }
  })
})

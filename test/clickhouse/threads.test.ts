// @slow clickhouse
import { describe } from 'vitest'
import { importBuilt } from '../support/built.ts'
import { describeFairness } from '../support/fairness-conformance.ts'
import { needing } from '../support/needs.ts'
import { testDatabases, testMetrics } from './databases.ts'
import { serverMissing } from './engines/server.ts'

describe('threads', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()
  describeFairness('ClickHouse', async () => {
    const { createClickHouseStore } = await importBuilt<typeof import('../../src/store/clickhouse/clickhouse-store.ts')>(
      'store/clickhouse/clickhouse-store.ts',
    )
    const store = await createClickHouseStore({ server: databases.serverOf(databases.take()), metrics: testMetrics, workers: 2 })
    return { store, dispose: () => store.close() }
  })
})

// @slow
import { describe } from 'vitest'
import { testDatabases, testMetrics } from '../clickhouse/databases.ts'
import { serverMissing } from '../clickhouse/engines/server.ts'
import { importBuilt } from '../support/built.ts'
import { describeFairness } from '../support/fairness-conformance.ts'
import { needing } from '../support/needs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const workers = 2

describeFairness('a data folder', async () => {
  const { createEmbeddedStore } =
    await importBuilt<typeof import('../../src/store/embedded/embedded-store.ts')>('store/embedded/embedded-store.ts')
  const store = await createEmbeddedStore({ directory: temporaryFolder(), workers })
  return { store, dispose: () => store.close() }
})

describe('threads over ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()
  describeFairness('ClickHouse', async () => {
    const { createClickHouseStore } = await importBuilt<typeof import('../../src/store/clickhouse/clickhouse-store.ts')>(
      'store/clickhouse/clickhouse-store.ts',
    )
    const store = await createClickHouseStore({ server: databases.serverOf(databases.take()), metrics: testMetrics, workers })
    return { store, dispose: () => store.close() }
  })
})

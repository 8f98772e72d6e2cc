// @slow clickhouse
import { describe } from 'vitest'
import { testDatabases, testMetrics } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { describeCosts } from '../../../test/support/costs-conformance.ts'
import { describeDocuments } from '../../../test/support/documents-conformance.ts'
import { needing } from '../../../test/support/needs.ts'
import { describeRuns } from '../../../test/support/runs-conformance.ts'
import { describeStates } from '../../../test/support/states-conformance.ts'
import { describeStore, type OpenForTest } from '../../../test/support/store-conformance.ts'
import { createClickHouseStore } from './clickhouse-store.ts'

describe('a store in ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()
  const open: OpenForTest = (now) => databases.open({ clock: () => now })
  describeStore('ClickHouse', open)
  describeRuns('ClickHouse', open)
  describeStates('ClickHouse', open)
  describeDocuments('ClickHouse', async (clock) => {
    const { store, database, dispose } = await databases.open({ clock })
    const others: (typeof store)[] = []
    return {
      documents: store.documents,
      async another() {
        const other = await createClickHouseStore({ server: databases.serverOf(database), metrics: testMetrics, clock, log: () => {} })
        others.push(other)
        return other.documents
      },
      async dispose() {
        for (const other of others) await other.close()
        await dispose()
      },
    }
  })
  describeCosts('ClickHouse', (maxQuestionCost) => databases.open({ maxQuestionCost }), { countsDays: true })
})

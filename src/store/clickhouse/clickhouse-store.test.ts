// @slow
import { describe } from 'vitest'
import { testDatabases } from '../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../test/clickhouse/engines/server.ts'
import { describeCosts } from '../../../test/support/costs-conformance.ts'
import { needing } from '../../../test/support/needs.ts'
import { describeRuns } from '../../../test/support/runs-conformance.ts'
import { describeStates } from '../../../test/support/states-conformance.ts'
import { describeStore, type OpenForTest } from '../../../test/support/store-conformance.ts'

describe('a store in ClickHouse', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()
  const open: OpenForTest = (now) => databases.open({ clock: () => now })
  describeStore('ClickHouse', open)
  describeRuns('ClickHouse', open)
  describeStates('ClickHouse', open)
  describeCosts('ClickHouse', (maxQuestionCost) => databases.open({ maxQuestionCost }), { countsDays: true })
})

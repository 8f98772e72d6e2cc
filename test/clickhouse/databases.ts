import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { type ClickHouseOptions, createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { metricNames, pageMetricNames } from '../support/arbitrary-results.ts'
import { dropDatabases } from './drop-databases.ts'
import { emptyTables } from './empty-tables.ts'
import { isGiven, sharedServer } from './engines/server.ts'
import { serverAt } from './server-at.ts'

export const testMetrics = { values: [...metricNames, 'statusCode'], pageValues: pageMetricNames }

/** One database per test. They are emptied and reused, which is faster than creating new ones. */
export function testDatabases() {
  let url = ''
  beforeAll(async () => {
    url = await sharedServer()
  }, 300_000)
  const prefix = `test_${randomUUID().slice(0, 8)}`
  afterAll(async () => {
    if (isGiven) await dropDatabases(url, prefix)
  })
  const idle: string[] = []
  const serverOf = (database: string) => serverAt(url, database)
  let created = 0
  const take = () => idle.pop() ?? `${prefix}_${++created}`

  async function empty(database: string): Promise<void> {
    await emptyTables(serverOf(database))
    idle.push(database)
  }

  return {
    take,
    serverOf,
    empty,
    async open(options: Omit<ClickHouseOptions, 'server'> = {}, database = take()) {
      const store = await createClickHouseStore({ server: serverOf(database), metrics: testMetrics, log: () => {}, ...options })
      return {
        store,
        database,
        dispose: async () => {
          await store.close()
          await empty(database)
        },
      }
    },
  }
}

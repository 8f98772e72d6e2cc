// @slow clickhouse
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../../test/clickhouse/databases.ts'
import { isGiven, isModern, serverMissing } from '../../../../test/clickhouse/engines/server.ts'
import { testCheck } from '../../../../test/support/catalogue.ts'
import { anyRunType } from '../../../../test/support/example-config.ts'
import { needing } from '../../../../test/support/needs.ts'
import { testResult } from '../../../../test/support/results.ts'
import { hourMs } from '../../../time.ts'
import { registeredColumns } from './metric-columns.ts'

const now = Date.now()
const resultAt = (startedAt: number) => testResult(testCheck(anyRunType(), { id: 'homepage' }), startedAt)

/** Debian's version has no TTL. */
describe.runIf(isModern || isGiven)('the log of commits', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  test('drops its entries after two hours, and the results stay', async () => {
    let clock = now - 4 * hourMs
    const { store, database, dispose } = await databases.open({ clock: () => clock, metrics: registeredColumns() })
    await store.append([resultAt(clock)])
    clock = now
    await store.append([resultAt(clock)])
    const { url } = databases.serverOf(database)
    const client = createClient({ url, database, request_timeout: 300_000, log: { level: ClickHouseLogLevel.OFF } })
    const count = async (table: string) => {
      const answer = await client.query({ query: `SELECT count() FROM ${table}`, format: 'JSONCompact' })
      return Number((await answer.json<[string]>()).data[0]?.[0])
    }
    const forget = async () => {
      await client.command({ query: 'OPTIMIZE TABLE commits FINAL' })
      return count('commits')
    }
    await expect.poll(forget, { timeout: 300_000, interval: 1000 }).toBe(1)
    expect(await count('results')).toBe(2)
    await client.close()
    await dispose()
  })
})

// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { connectCoordination } from '../../src/store/clickhouse/coordination.ts'
import { needing } from '../support/needs.ts'
import { testMetrics } from './databases.ts'
import { serverMissing, sharedServer } from './engines/server.ts'

const patient = { timeout: 60_000, interval: 200 }

async function openCoordination() {
  const database = `test_${randomUUID().replaceAll('-', '')}`
  const server = { url: await sharedServer(), database, cluster: null, username: 'default', password: '', ca: null }
  const store = await createClickHouseStore({ server, metrics: testMetrics, clock: Date.now, log: () => {} })
  await store.close()
  return connectCoordination(server)
}

describe('the rows of alerts in ClickHouse', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  test('are deleted once they have expired or are void, and so are claims of earlier terms', async () => {
    const { rows, claims, close } = await openCoordination()
    const row = (key: string, version: number, expiresAt: number | null) => ({ kind: 'incidents', key, version, expiresAt, body: '{}' })
    await rows.write([row('kept', 1, null), row('expired', 2, 1000), row('void', 3, null), row('later', 4, 3000)])
    const keys = async () => (await rows.after(0, 10)).map(({ key }) => key)
    expect(await keys()).toEqual(['kept', 'expired', 'void', 'later'])
    await rows.expire(2000, [{ after: 2, before: 4 }])
    await expect.poll(keys, patient).toEqual(['kept', 'later'])
    for (const term of [1, 2, 3]) await claims.write({ term, owner: 'a', beat: 1, ended: true })
    await claims.deleteBefore(3)
    await expect.poll(async () => (await claims.read()).map(({ term }) => term), patient).toEqual([3])
    await close()
  })

  test('are read in pages that fit into memory, however long the rows are', async () => {
    const { rows, close } = await openCoordination()
    const body = 'x'.repeat(2 ** 20)
    const keys = Array.from({ length: 20 }, (_, i) => `incident-${i}`)
    for (const [i, key] of keys.entries()) await rows.write([{ kind: 'incidents', key, version: i + 1, expiresAt: null, body }])
    const pages: number[] = []
    const found: string[] = []
    for (let version = 0; ; ) {
      const page = await rows.after(version, 1000)
      if (page.length === 0) break
      pages.push(page.length)
      found.push(...page.map(({ key }) => key))
      version = page.at(-1)?.version ?? version
    }
    expect(found).toEqual(keys)
    expect(Math.max(...pages)).toBeLessThan(10)
    await close()
  })
})

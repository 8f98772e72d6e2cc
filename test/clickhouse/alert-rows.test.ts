// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClickHouseStore } from '../../src/store/clickhouse/clickhouse-store.ts'
import { connectCoordination } from '../../src/store/clickhouse/coordination.ts'
import { needing } from '../support/needs.ts'
import { testMetrics } from './databases.ts'
import { serverMissing, sharedServer } from './engines/server.ts'

const patient = { timeout: 60_000, interval: 200 }

describe('the rows of alerts in ClickHouse', { ...needing(await serverMissing()), timeout: 300_000 }, () => {
  test('are deleted once they have expired or do not count, and so are claims of earlier terms', async () => {
    const database = `test_${randomUUID().replaceAll('-', '')}`
    const server = { url: await sharedServer(), database, cluster: null, username: 'default', password: '', ca: null }
    const store = await createClickHouseStore({ server, metrics: testMetrics, clock: Date.now, log: () => {} })
    await store.close()
    const { rows, claims, close } = await connectCoordination(server)
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
})

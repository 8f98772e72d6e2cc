import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../../time.ts'
import { openConnection } from './connection.ts'
import { createRetention } from './retention.ts'

/** A server without results, and the limits of the statements that read results. */
async function emptyServer(clock = Date.now) {
  const limits: unknown[] = []
  const server = createServer(async (request, response) => {
    const sql = await text(request)
    const { searchParams } = new URL(request.url ?? '', 'http://server')
    if (sql.includes('FROM results')) limits.push([searchParams.get('max_rows_to_read'), searchParams.get('max_execution_time')])
    response.end(JSON.stringify({ meta: [], data: [], rows: 0 }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connect = () => openConnection({ url, database: 'tidemark', username: 'default', password: '', ca: null, log: () => {} })
  const [connection, consistent] = [await connect(), await connect()]
  const place = { database: 'tidemark', cluster: null }
  const retention = createRetention({ connection, consistent, place, clock, log: () => {} })
  onTestFinished(async () => {
    await retention.close()
    await connection.close()
    server.close()
  })
  return { retention, limits }
}

test('reads for the retention of a large table have no limits', async () => {
  const { retention, limits } = await emptyServer()
  await retention.expiring(30)
  await retention.applyRetention(30)
  expect(limits).toEqual([
    ['0', '0'],
    ['0', '0'],
  ])
})

test('a retention drops nothing while the clock is ahead by days, until it is corrected', async () => {
  const right = Date.UTC(2026, 10, 14)
  let now = right
  const { retention, limits } = await emptyServer(() => now)
  now = right + 1000 * dayMs
  await retention.applyRetention(30)
  await retention.applyEvidenceRetention(30)
  expect(limits).toEqual([])
  now = right
  await retention.applyRetention(30)
  expect(limits).toHaveLength(1)
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../../../time.ts'
import { registeredColumns } from '../schema/metric-columns.ts'
import { connectTo } from '../server.ts'
import { arrivalAt } from '../write/arrival.ts'
import { createStoredRows } from '../write/stored-rows.ts'
import { createCommits } from './commits.ts'
import { createSelect } from './select-results.ts'

/** The URL length that many servers and proxies accept. */
const maxUrlBytes = 16 * 1024
const metrics = registeredColumns()
const from = Date.UTC(2026, 10, 14)
const window = { from, to: from + hourMs }
const nameOf = {
  short: (i: number) => i.toString(36),
  ordinary: (i: number) => `check-${i}`,
  long: (i: number) => `${"it's a\\ö".repeat(12)}${i}`,
}

/** A cluster without results, and the lengths of the URLs that it gets. */
async function emptyCluster() {
  const lengths: number[] = []
  const server = createServer({ maxHeaderSize: 2 ** 20 }, (request, response) => {
    lengths.push(request.url?.length ?? 0)
    request.resume().on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const place = { url, database: 'a_database_with_a_long_name', cluster: 'cluster', username: 'default', password: '', ca: null }
  const connection = await connectTo(place, { log: () => {} })
  onTestFinished(async () => {
    await connection.close()
    server.close()
  })
  return { connection, lengths }
}

test.each(Object.entries(nameOf))('statements on many checks with %s ids have URLs that proxies accept', async (_, idOf) => {
  const { connection, lengths } = await emptyCluster()
  const checks = Array.from({ length: 1000 }, (_, i) => ({ account: 'acme', checkId: idOf(i) }))

  const select = createSelect({ connection, metrics, settings: {} })
  await Promise.all(checks.map((check) => select({ check, window, columns: ['time', 'flags'] })))
  const ofSelect = lengths.splice(0)

  const readStored = createStoredRows({ connection, metrics })
  await readStored(checks.map((check, i) => ({ check, startedAt: from + i, runLocation: 'eu', id: `${idOf(i)}-of-a-slot` })))
  const ofStored = lengths.splice(0)

  const commits = createCommits({ connection, metrics })
  await commits.results(checks.map((check, i) => ({ key: idOf(i), check, arrival: arrivalAt(from + i), window, results: 1 })))

  for (const asked of [ofSelect, ofStored, lengths]) {
    expect(asked.length).toBeGreaterThan(0)
    expect(Math.max(...asked)).toBeLessThan(maxUrlBytes)
    expect(Math.max(...asked)).toBeGreaterThan(maxUrlBytes / 2)
  }
})

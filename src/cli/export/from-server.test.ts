import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { httpServer } from '../../../test/support/servers.ts'
import { checkTypes } from '../../checks/registry.ts'

const [checkType] = checkTypes
const shop = { id: 'shop', name: 'Shop', checkType: checkType?.type, tags: [], created_at: '2026-01-01T00:00:00.000Z' }

/** A server with one check, whose export breaks after the first line. */
async function breaking(): Promise<number> {
  const line = { checkId: 'shop', startedAt: '2026-10-01T00:00:00.000Z', runLocation: 'eu', hasFailures: false, attempts: 1 }
  return httpServer(async ({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url.startsWith('/v1/checks?')) return response.end(JSON.stringify([shop]))
    if (url.startsWith('/v1/checks/')) return response.end(JSON.stringify(shop))
    if (!url.includes('/export')) return response.end('{"series": [], "outages": [], "pagination": {"next": null}}')
    response.write(`${JSON.stringify(line)}\n`)
    await sleep(100)
    return response.destroy()
  })
}

test.each([
  [['export', '--check', 'shop']],
  [['export', '--all']],
  [['export', '--check', 'shop', '--format', 'openmetrics']],
  [['sla', '--month', '2026-10']],
])('%j fails with a message if the connection breaks', async (args) => {
  const port = await breaking()
  const { exitCode, stderr } = await command({}, [...args, '--url', `http://127.0.0.1:${port}`, '--key', 'k', '--account', 'acme'])
  expect([exitCode, stderr]).toEqual([
    1,
    `The connection to http://127.0.0.1:${port}/ broke (UND_ERR_SOCKET): the results are incomplete.\n`,
  ])
})

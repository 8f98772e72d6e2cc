import { expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { httpServer } from '../../../test/support/servers.ts'

const idOf = (i: number) => `${String(i).padStart(8, '0')}-6f0e-4f7e-9a51-8f1b6f6f2f10`

/** A server with 250 open alerts. Its cursors are the offset of the next page. */
async function alert(...args: readonly string[]) {
  const acknowledged: string[] = []
  const port = await httpServer(({ url = '', method }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server')
    response.setHeader('content-type', 'application/json')
    if (method === 'POST') {
      acknowledged.push(pathname)
      return response.end(JSON.stringify({ title: 'Shop is failing', acknowledged: { by: 'ann', at: 'noon' }, closedAt: null }))
    }
    const [limit, offset] = [Number(searchParams.get('limit') ?? 20), Number(searchParams.get('cursor') ?? 0)]
    const alerts = Array.from({ length: 250 }, (_, i) => ({
      ...{ id: idOf(i), severity: 'critical', title: 'Shop is failing', openedAt: '2026-11-17T12:00:00.000Z' },
      ...{ closedAt: null, acknowledged: null, channels: [], messages: [] },
    })).slice(offset, offset + limit)
    return response.end(JSON.stringify({ alerts, pagination: { limit, next: offset + limit < 250 ? String(offset + limit) : null } }))
  })
  const ended = await command({ TIDEMARK_URL: `http://127.0.0.1:${port}`, TIDEMARK_KEY: 'k', TIDEMARK_ACCOUNT: 'acme' }, ['alert', ...args])
  return { ...ended, acknowledged }
}

test('an alert is acknowledged by a prefix of its id, however many are open', async () => {
  expect(await alert('ack', '00000249')).toMatchObject({ exitCode: 0, acknowledged: [`/v1/alerts/${idOf(249)}/acknowledge`] })
  const ambiguous = await alert('ack', '0000009')
  expect(ambiguous).toMatchObject({ exitCode: 1, acknowledged: [], stderr: expect.stringContaining('Several ids start with 0000009') })
})

test('a list that does not show all alerts says so', async () => {
  const { stdout, stderr } = await alert('list')
  expect([stdout.trim().split('\n').length, stderr]).toEqual([21, expect.stringContaining('There are more alerts than shown')])
  expect((await alert('list', '--limit', '250')).stderr).toBe('')
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { service, testCatalogue } from '../../../test/support/catalogue.ts'
import type { Limits } from '../../catalogue/catalogue.ts'
import { addressBlock } from './connection-limits.ts'

async function listening(limits: Partial<Limits>, more: Pick<Parameters<typeof openTestApp>[0], 'log' | 'now'> = {}) {
  const settings = { ...service, limits: { ...service.limits, ...limits } }
  const { app, close } = await openTestApp({ catalogue: testCatalogue({ service: () => settings }), ...more })
  onTestFinished(close)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const connected = (localAddress = '127.0.0.1') => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress, allowHalfOpen: true }).on('error', () => undefined)
    sockets.push(socket)
    return socket
  }
  /** Sends a request on a new connection from this address, which stays open. */
  const ask = async (localAddress?: string) => {
    const socket = connected(localAddress)
    socket.write('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n')
    const [answer] = await once(socket, 'data')
    return { answer: String(answer), socket }
  }
  return { ask, connected, server: app.server }
}

test.each([
  ['in all', { connections: 2 }],
  ['from your address', { connectionsPerAddress: 2 }],
])('connections beyond the limit %s are rejected with a message until another one is closed', async (which, limits) => {
  const { ask } = await listening(limits)
  const [first, second] = [await ask(), await ask()]
  for (const { answer } of [first, second]) expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  const { answer } = await ask()
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/)
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    code: 'TOO_MANY_CONNECTIONS',
    message: expect.stringContaining(`2 connections are open ${which}`),
  })
  first.socket.destroy()
  await expect.poll(async () => (await ask()).answer, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 200 /)
})

test('rejected connections that clients leave open are limited in number', async () => {
  const { ask, connected, server } = await listening({ connections: 1 })
  await ask()
  let accepted = 0
  server.on('connection', () => accepted++)
  for (let n = 0; n < 400; n++) connected()
  await expect.poll(() => accepted, { timeout: 10_000 }).toBe(400)
  expect(await promisify(server.getConnections.bind(server))()).toBeLessThan(300)
})

test('a rejected connection is logged once a minute, even after the clock was set back', async () => {
  const lines: string[] = []
  const time = { now: 3_600_000 }
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const { ask } = await listening({ connections: 1 }, { log, now: () => time.now })
  for (let n = 0; n < 3; n++) await ask()
  expect(lines).toHaveLength(1)
  time.now -= 1_800_000
  await ask()
  expect(lines).toHaveLength(2)
})

test('a client may have as many connections as remain for all others, so that a few cannot exhaust them', async () => {
  const { ask } = await listening({ connections: 16, connectionsPerAddress: 8 })
  const takenBy = async (address: string) => {
    for (let taken = 0; ; taken++) {
      const { answer } = await ask(address)
      if (answer.startsWith('HTTP/1.1 200 ')) continue
      expect(answer).toContain(`${taken} connections are open from your address`)
      return taken
    }
  }
  expect([await takenBy('127.0.0.1'), await takenBy('127.0.0.2'), await takenBy('127.0.0.3')]).toEqual([8, 4, 2])
  expect((await ask('127.0.0.4')).answer).toMatch(/^HTTP\/1\.1 200 /)
})

test('one client may use all connections if the limits say so', async () => {
  const { ask } = await listening({ connections: 6, connectionsPerAddress: 6 })
  for (let n = 0; n < 6; n++) expect((await ask()).answer).toMatch(/^HTTP\/1\.1 200 /)
  expect((await ask()).answer).toContain('6 connections are open in all')
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::6', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%s counts as one client with all of %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})

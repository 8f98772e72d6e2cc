// @slow
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { openTestApp } from '../support/app.ts'
import { account, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'

const key = 'tdm_testagnt_00000000000000000000000000000000_000000'
const otherKey = 'tdm_testagn2_00000000000000000000000000000000_000000'
const checks = Array.from({ length: 40 }, (_, i) =>
  testCheck(anyRunType(), { id: `check-${i}`, locations: ['eu'], agentLocations: ['eu'] }),
)

/** The API on its own port; `scans` counts how often all checks are scanned. */
async function listening() {
  const keys = [testKey(key, account, ['agent:eu']), testKey(otherKey, account, ['agent:eu'])]
  const catalogue = testCatalogue({ keys, checks })
  let scans = 0
  const counting: Catalogue = {
    ...catalogue,
    checks(owner) {
      scans += 1
      return catalogue.checks(owner)
    },
    allChecks() {
      scans += 1
      return catalogue.allChecks()
    },
  }
  const { app, close } = await openTestApp({ catalogue: counting, now: Date.UTC(2026, 10, 14, 12) })
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, close, port: (app.server.address() as AddressInfo).port, scans: () => scans }
}

const path = (instance: string, wait = 30) => `/v1/agents/checks?protocol=1&location=eu&session=1&instance=${instance}&wait=${wait}`
/** Matches any version, so that the poll waits. */
const waits = { 'if-none-match': '*' }

async function ask(port: number, instance: string, options: { readonly wait?: number; readonly as?: string } = {}) {
  const { wait = 0, as = key } = options
  const response = await fetch(`http://127.0.0.1:${port}${path(instance, wait)}`, { headers: { authorization: `Bearer ${as}`, ...waits } })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
}

/** Pipelined polls of one connection, as text to send. */
const requests = (instances: readonly string[]) =>
  instances
    .map((name) => `GET ${path(name)} HTTP/1.1\r\nhost: tidemark\r\nauthorization: Bearer ${key}\r\nif-none-match: *\r\n\r\n`)
    .join('')

async function connected(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const named = (count: number) => Array.from({ length: count }, (_, i) => `invented-${i}`)

test('however many polls wait, the checks are scanned once per change of the config file', async () => {
  const { port, scans } = await listening()
  const sockets = await Promise.all(named(60).map((name) => connected(port, requests([name]))))
  await expect.poll(async () => (await ask(port, 'last')).status).toBe(304)
  for (const socket of sockets) socket.destroy()
  expect(scans()).toBeLessThan(5)
})

test('a location has at most 100 agents: another is rejected until one of them has gone', async () => {
  const { port } = await listening()
  const answers = await Promise.all(named(100).map((name) => ask(port, name)))
  expect(answers.filter(({ status }) => status !== 304)).toEqual([])
  const refused = await ask(port, 'another', { as: otherKey })
  expect(refused).toMatchObject({ status: 429, retryAfter: '15' })
  expect(JSON.parse(refused.text)).toMatchObject({ code: 'TOO_MANY_AGENTS' })
  expect(await ask(port, 'invented-7')).toMatchObject({ status: 304 })
  await ask(port, 'invented-0&stopping=true')
  expect(await ask(port, 'another')).toMatchObject({ status: 304 })
})

test.each([
  ['separate connections', 1],
  ['one pipelined connection', 200],
])('at most 200 polls of a key wait, and those on %s are released when these close', async (_, perConnection) => {
  const { port } = await listening()
  const sockets: Socket[] = []
  for (let sent = 0; sent < 200; sent += perConnection)
    sockets.push(await connected(port, requests(Array.from({ length: perConnection }, () => 'a'))))
  await expect.poll(() => ask(port, 'a', { wait: 1 }), { timeout: 30_000 }).toMatchObject({ status: 429, retryAfter: '15' })
  expect(JSON.parse((await ask(port, 'a', { wait: 1 })).text)).toMatchObject({ code: 'TOO_MANY_POLLS' })
  expect(await ask(port, 'a', { wait: 1, as: otherKey })).toMatchObject({ status: 304 })
  expect(await ask(port, 'a')).toMatchObject({ status: 304 })
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => ask(port, 'a', { wait: 1 }), { timeout: 20_000 }).toMatchObject({ status: 304 })
})

test('a server that shuts down answers waiting polls at once', { timeout: 25_000 }, async () => {
  const { port, app } = await listening()
  const answers = named(50).map((name) => ask(port, name, { wait: 30 }))
  await expect.poll(() => connections(app)).toBe(50)
  await ask(port, 'last')
  await app.close()
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([304]))
})

function connections({ server }: Awaited<ReturnType<typeof listening>>['app']): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
}

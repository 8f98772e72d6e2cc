import { Resolver } from 'node:dns/promises'
import { expect, test } from 'vitest'
import { dnsServer } from '../../../../test/support/dns-server.ts'
import { call } from '../../../../test/support/http-checks.ts'
import { httpServer, tcpServer } from '../../../../test/support/servers.ts'
import { addressPolicy } from './addresses.ts'

/** Resolves with a name server that returns these responses in turn, none of them cacheable. */
async function answering(...answers: readonly (readonly string[])[]) {
  let asked = 0
  const port = await dnsServer(({ question: { name } }) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    return { answers: addresses.map((data) => ({ name, type: 'A' as const, ttl: 0, data })) }
  })
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${port}`])
  return (hostname: string) => resolver.resolve4(hostname)
}

async function countingServer() {
  const seen: string[] = []
  const port = await httpServer((request, answer) => {
    seen.push(request.url ?? '')
    answer.end()
  })
  return { port, seen }
}

test('a name that resolves to a metadata service on the second lookup is denied', async () => {
  const { port, seen } = await countingServer()
  const lookup = await answering(['127.0.0.1'], ['169.254.169.254'])
  expect((await call(`http://rebind.test:${port}/`, { lookup })).failure).toBeNull()
  expect((await call(`http://rebind.test:${port}/`, { lookup })).failure).toBe('the address 169.254.169.254 is not allowed for checks')
  expect(seen).toEqual(['/'])
})

test('within a run, a name keeps the address that was allowed', async () => {
  const { port, seen } = await countingServer()
  const other = await httpServer((_, answer) => answer.writeHead(302, { location: `http://rebind.test:${port}/` }).end())
  const lookup = await answering(['127.0.0.1'], ['169.254.169.254'])
  expect((await call(`http://rebind.test:${other}/`, { lookup })).failure).toBeNull()
  expect(seen).toEqual(['/'])
})

test('denied addresses of a name with several are skipped', async () => {
  const { port, seen } = await countingServer()
  const lookup = await answering(['169.254.169.254', '127.0.0.1'])
  expect((await call(`http://rebind.test:${port}/`, { lookup })).failure).toBeNull()
  expect(seen).toEqual(['/'])
})

test('every redirect is checked by the policy', async () => {
  const { port, seen } = await countingServer()
  const lookup = await answering(['127.0.0.2'])
  const admit = addressPolicy({ allow: [], deny: ['127.0.0.1'] })
  const redirect = await httpServer(
    (_, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end(),
    '127.0.0.2',
  )
  expect((await call(`http://rebind.test:${redirect}/`, { lookup, admit })).failure).toBe('the address 127.0.0.1 is not allowed for checks')
  expect(seen).toEqual([])
})

test.each(['0.0.0.0', '[::]'])('%s is denied before a connection is made', async (host) => {
  let connections = 0
  const port = await tcpServer(() => {
    connections += 1
  })
  const { failure } = await call(`http://${host}:${port}/`)
  expect(failure).toMatch(/^the address (0\.0\.0\.0|::) is not allowed for checks$/)
  expect(connections).toBe(0)
})

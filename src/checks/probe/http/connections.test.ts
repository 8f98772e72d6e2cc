import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { expect, test } from 'vitest'
import { call } from '../../../../test/support/http-checks.ts'
import { certificate, listening } from '../../../../test/support/servers.ts'

const redirecting: RequestListener = (request, answer) => {
  const step = Number(request.url?.slice(1))
  if (step === 3) answer.end('there')
  else answer.writeHead(307, { location: `/${step + 1}` }).end('elsewhere')
}

/** A server on a free port, and the connections that it has accepted. */
async function counting(server: ReturnType<typeof createServer>, event: 'connection' | 'secureConnection' = 'connection') {
  const counted = { port: 0, connections: 0 }
  server.on(event, () => {
    counted.connections += 1
  })
  counted.port = await listening(server)
  return counted
}

function countingLookup() {
  const asked: string[] = []
  const lookup = async (hostname: string) => {
    asked.push(hostname)
    return ['127.0.0.1']
  }
  return { asked, lookup }
}

test('redirects within one origin use one connection and one DNS lookup', async () => {
  const target = await counting(createServer(redirecting))
  const { asked, lookup } = countingLookup()
  const { failure, fields } = await call(`http://shop.test:${target.port}/0`, { lookup })
  expect({ failure, status: fields?.statusCode }).toEqual({ failure: null, status: 200 })
  expect(target.connections).toBe(1)
  expect(asked).toEqual(['shop.test'])
})

test('redirects over TLS use one handshake', async () => {
  const target = await counting(createTlsServer(certificate, redirecting), 'secureConnection')
  const { failure } = await call(`https://127.0.0.1:${target.port}/0`)
  expect(failure).toBeNull()
  expect(target.connections).toBe(1)
})

test('a redirect to another port opens a connection, and shares the lookup', async () => {
  const other = await counting(createServer((_, answer) => answer.end()))
  const target = await counting(createServer((_, answer) => answer.writeHead(302, { location: `http://shop.test:${other.port}/` }).end()))
  const { asked, lookup } = countingLookup()
  expect((await call(`http://shop.test:${target.port}/`, { lookup })).failure).toBeNull()
  expect([target.connections, other.connections]).toEqual([1, 1])
  expect(asked).toEqual(['shop.test'])
})

test('each run opens its own connection and does its own lookup', async () => {
  const target = await counting(createServer((_, answer) => answer.end()))
  const { asked, lookup } = countingLookup()
  for (let runs = 0; runs < 2; runs++) await call(`http://shop.test:${target.port}/`, { lookup })
  expect(target.connections).toBe(2)
  expect(asked).toHaveLength(2)
})

test('a request is sent on a new connection if the server closes the open one', async () => {
  const seen = new WeakSet<object>()
  const closing: RequestListener = (request, answer) => {
    if (seen.has(request.socket)) request.socket.destroy()
    else redirecting(request, answer)
    seen.add(request.socket)
  }
  const target = await counting(createServer(closing))
  expect((await call(`http://127.0.0.1:${target.port}/0`)).failure).toBeNull()
  expect(target.connections).toBe(4)
})

test('a request that is not idempotent never reuses a connection', async () => {
  const target = await counting(createServer(redirecting))
  expect((await call(`http://127.0.0.1:${target.port}/0`, {}, 'POST')).failure).toBeNull()
  expect(target.connections).toBe(4)
})

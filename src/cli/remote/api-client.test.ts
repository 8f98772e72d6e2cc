import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { CommandFailure } from '../context.ts'
import { ask } from './api-client.ts'

async function remote(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await expect.poll(() => server.listening).toBe(true)
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), key: 'k', account: 'acme' }
}

const slos = (listener: RequestListener) => remote(listener).then((server) => ask(server, (client) => client.GET('/v1/slos')))

test('a request that is refused temporarily is retried', async () => {
  let requests = 0
  const { data } = await slos((_, response) => {
    requests++
    if (requests === 1) response.writeHead(429, { 'retry-after': '0' }).end('{}')
    else response.end('[]')
  })
  expect([data, requests]).toEqual([[], 2])
})

test('an error response fails the command with its status and message', async () => {
  const body = { statusCode: 403, error: 'Forbidden', code: 'WRONG_ACCOUNT', message: 'Not yours.' }
  const asked = slos((_, response) => response.writeHead(403).end(JSON.stringify(body)))
  await expect(asked).rejects.toEqual(new CommandFailure('The server returned 403: Not yours.'))
})

test('a truncated response fails the command with a message', async () => {
  const asked = slos((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('[')
    setImmediate(() => response.destroy())
  })
  await expect(asked).rejects.toThrow(CommandFailure)
  await expect(asked).rejects.toThrow('No Tidemark server responds at http://127.0.0.1:')
})

// @slow
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { drainBody } from './drain-body.ts'

const mebibyte = Buffer.alloc(2 ** 20)

test('no more than 128 MiB are read', async () => {
  const incoming = Object.assign(new EventEmitter(), { resume() {} })
  const drained = drainBody(incoming as IncomingMessage)
  incoming.emit('data', { length: 128 * 2 ** 20 })
  expect(incoming.listenerCount('data')).toBe(1)
  incoming.emit('data', { length: 1 })
  expect(incoming.eventNames()).toEqual([])
  await drained
})

test('a client that sends too much can finish sending and read the error', async () => {
  const server = createServer(async (incoming, answer) => {
    incoming.once('data', async () => {
      await drainBody(incoming)
      answer.writeHead(413, { connection: 'close' }).end()
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  for (let round = 0; round < 20; round++) {
    const outgoing = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', method: 'POST' })
    Readable.from(Array(20).fill(mebibyte)).pipe(outgoing)
    const [answer] = await once(outgoing, 'response')
    expect(answer.resume().statusCode).toBe(413)
  }
})

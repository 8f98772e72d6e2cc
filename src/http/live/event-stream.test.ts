import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { fastify } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type EventStream, openEventStream } from './event-stream.ts'

/** A stream to a client that reads nothing until it is resumed. */
async function openStream(stallMs: number) {
  const callbacks = { onStall: vi.fn(), onDrain: vi.fn(), onClose: vi.fn() }
  const app = fastify()
  const opened = new Promise<EventStream>((resolve) => {
    app.get('/', (_, reply) => resolve(openEventStream(reply, { stallMs, ...callbacks })))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port }).pause()
  client.on('error', () => {})
  onTestFinished(async () => {
    client.destroy()
    await app.close()
  })
  await once(client, 'connect')
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  return { ...callbacks, client, stream: await opened }
}

/** Larger than all buffers of a connection. */
const flood = `: ${'x'.repeat(32 * 2 ** 20)}\n\n`

test('a client that does not read is disconnected after a timeout', async () => {
  const { stream, onStall, onClose } = await openStream(200)
  expect(stream.write(flood)).toBe(false)
  await expect.poll(() => onClose.mock.calls.length).toBe(1)
  expect(onStall).toHaveBeenCalledTimes(1)
  expect(stream.write('more')).toBe(false)
})

test('a client that resumes reading continues', async () => {
  const { stream, client, onStall, onDrain } = await openStream(60_000)
  expect(stream.write(flood)).toBe(false)
  client.resume()
  await expect.poll(() => onDrain.mock.calls.length).toBe(1)
  expect(stream.write(': more\n\n')).toBe(true)
  expect(onStall).not.toHaveBeenCalled()
})

test('a disconnect is noticed even if the client had closed its sending side before the stream was opened', async () => {
  const onClose = vi.fn()
  const app = fastify()
  Object.assign(app.server, { httpAllowHalfOpen: true })
  onTestFinished(() => app.close())
  app.get('/', async (request, reply) => {
    if (!request.raw.socket.readableEnded) await once(request.raw.socket, 'end')
    openEventStream(reply, { stallMs: 60_000, onStall: () => {}, onDrain: () => {}, onClose }).write(': first\n\n')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port, allowHalfOpen: true })
  client.on('error', () => {}).end('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(client, 'data')
  client.destroy()
  await expect.poll(() => onClose.mock.calls.length).toBe(1)
})

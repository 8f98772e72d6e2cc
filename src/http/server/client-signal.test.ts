// @slow
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { clientSignal } from './client-signal.ts'

async function listening(answer: (signal: AbortSignal) => Promise<string>) {
  const app = fastify()
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.get('/', async (_, reply) => answer(clientSignal(reply)))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: () => app.close() }
}

test('a request is aborted when its client disconnects', async () => {
  let aborted: Promise<unknown> = Promise.resolve()
  const { url, close } = await listening(async (signal) => {
    aborted = once(signal, 'abort')
    call.destroy()
    await aborted
    return ''
  })
  const call = request(url).on('error', () => {})
  await new Promise((resolve) => call.on('close', resolve).end())
  await aborted
  await close()
})

test('a client that closes only its sending side gets its response, after interim responses', async () => {
  let received = ''
  const { url, close } = await listening(async (signal) => {
    await expect.poll(() => received, { timeout: 10_000 }).toContain('102 Processing')
    return signal.aborted ? 'aborted' : 'fine'
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.end('GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n')
  await once(socket, 'close')
  expect(received).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nfine$/)
  await close()
}, 15_000)

test('a request that has its response is not aborted', async () => {
  const signals: AbortSignal[] = []
  const { url, close } = await listening(async (signal) => {
    signals.push(signal)
    return 'fine'
  })
  expect(await (await fetch(url)).text()).toBe('fine')
  await close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

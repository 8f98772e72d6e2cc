import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { credentials } from '../../../test/support/catalogue.ts'
import { errorBody, toApiError } from './error-replies.ts'

test('a body that is too large is drained before the error is sent, so that the client can read it', async () => {
  const { app, close } = await openTestApp({})
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const half = Buffer.alloc(2 ** 20, 0x20)
  const headers = { ...credentials, host: 'x', 'content-type': 'application/json', 'content-length': 2 * half.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage]>
  socket.write(`POST /v1/analytics/checks HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(half)
  const [incoming] = await arrived
  await expect.poll(() => incoming.socket.bytesRead).toBeGreaterThanOrEqual(half.length)
  await app.inject('/health/live')
  expect(received).toBe('')
  socket.write(half)
  await expect.poll(() => received).toMatch(/^HTTP\/1.1 413 .*BODY_TOO_LARGE/s)
})

test('an error other than 404 never contains these digits, which clients take as a sign of a removed check', () => {
  const log = pino({ level: 'silent' })
  for (let i = 0; i < 5000; i++) {
    const { message, ...rest } = errorBody(toApiError(new Error('a bug'), { log, isClientGone: true }))
    expect([rest.statusCode, message.includes('404')]).toEqual([500, false])
  }
})

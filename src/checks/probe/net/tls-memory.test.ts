// @slow alone
import { once } from 'node:events'
import { connect } from 'node:net'
import tls from 'node:tls'
import { expect, test } from 'vitest'
import { certificate, listening } from '../../../../test/support/servers.ts'
import { startTls } from './tls.ts'

const mebibyte = 2 ** 20

test('the memory of long certificate chains is freed after the run', { timeout: 300_000 }, async () => {
  const cert = certificate.cert.toString().repeat(200)
  const port = await listening(tls.createServer({ key: certificate.key, cert }))
  const handshake = async () => {
    const plain = connect(port, '127.0.0.1')
    await once(plain, 'connect')
    const { socket, daysRemaining } = await startTls(plain, '127.0.0.1', AbortSignal.timeout(60_000))
    expect(daysRemaining).toBeGreaterThan(0)
    socket.destroy()
    await once(socket, 'close')
  }
  for (let i = 0; i < 10; i++) await handshake()
  const before = process.memoryUsage.rss()
  for (let i = 0; i < 80; i++) await handshake()
  expect((process.memoryUsage.rss() - before) / mebibyte).toBeLessThan(75)
})

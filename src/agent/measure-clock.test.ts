import { expect, onTestFinished, test } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { measureClock } from './measure-clock.ts'
import { Unreachable } from './server-connection.ts'
import { createServerTime } from './server-time.ts'

/** An agent whose clock is 300 ms behind that of a server, which may be unreachable. */
function measuring() {
  const clock = virtualClock(Date.UTC(2026, 10, 14, 10) + 345)
  const serverTime = createServerTime(clock)
  const server = { isAway: false, asked: 0 }
  const send = async () => {
    server.asked += 1
    if (server.isAway) throw new Unreachable('away')
    const at = clock.monotonic()
    serverTime.observe({ sentAt: at, receivedAt: at, date: new Date(clock.now() + 300).toUTCString() })
    return { status: 200, body: '', headers: new Headers() }
  }
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void measureClock({ connection: { send }, serverTime, clock, signal: stop.signal })
  return { clock, serverTime, server }
}

test('a few exchanges measure the offset, and no others are made for a minute', async () => {
  const { clock, serverTime, server } = measuring()
  await clock.advance(10_000)
  expect(serverTime.isOff()).toBe(true)
  expect(Math.abs((serverTime.offsetMs() ?? 0) - 300)).toBeLessThan(60)
  const { asked } = server
  await clock.advance(40_000)
  expect(server.asked).toBe(asked)
})

test('an unreachable server is retried every five seconds, so that the offset is known soon after it is back', async () => {
  const { clock, serverTime, server } = measuring()
  server.isAway = true
  await clock.advance(30_000)
  expect(server.asked).toBeGreaterThan(4)
  expect(serverTime.offsetMs()).toBeNull()
  server.isAway = false
  await clock.advance(15_000)
  expect(Math.abs((serverTime.offsetMs() ?? 0) - 300)).toBeLessThan(60)
})

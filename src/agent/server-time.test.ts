import { expect, test } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { createServerTime } from './server-time.ts'

const start = Date.UTC(2026, 10, 14, 10)

/** An agent whose clock differs from the server's by this much, with round trips of 40 ms. */
function apart(offsetMs: number) {
  const clock = virtualClock(start + 345)
  const serverTime = createServerTime(clock)
  const exchange = async () => {
    const sentAt = clock.monotonic()
    await clock.advance(20)
    const date = new Date(clock.now() + offsetMs).toUTCString()
    await clock.advance(20)
    serverTime.observe({ sentAt, receivedAt: clock.monotonic(), date })
  }
  const probe = async (times: number) => {
    for (let i = 0; i < times; i++) {
      await clock.advance(serverTime.nextProbeMs())
      await exchange()
    }
  }
  return { clock, serverTime, exchange, probe }
}

test.each([0, 60, -60, 150, -150, 1234, -90_000, 3_600_000])(
  'a few exchanges measure an offset of %i ms to within 50 ms',
  async (offsetMs) => {
    const { serverTime, probe } = apart(offsetMs)
    await probe(7)
    expect(serverTime.accuracyMs()).toBeLessThan(60)
    expect(Math.abs((serverTime.offsetMs() ?? Number.NaN) - offsetMs)).toBeLessThan(50)
  },
)

test.each([
  [30, false],
  [-30, false],
  [400, true],
  [-400, true],
])('where the offset is %i ms, results have the time of the server: %s', async (offsetMs, isOff) => {
  const { clock, serverTime, probe } = apart(offsetMs)
  await probe(7)
  expect(serverTime.isOff()).toBe(isOff)
  const expected = clock.now() + (isOff ? offsetMs : 0)
  expect(Math.abs(serverTime.clock.now() - expected)).toBeLessThan(50)
})

test('one exchange is enough to call a clock far off, but not to call a good one off', async () => {
  const far = apart(-3_600_000)
  await far.exchange()
  expect(far.serverTime.isOff()).toBe(true)
  const good = apart(0)
  await good.exchange()
  expect(good.serverTime.isOff()).toBe(false)
})

test('an offset is settled once it is known to within 100 ms, or to exceed that', async () => {
  const far = apart(-3_600_000)
  expect(far.serverTime.settledOffsetMs()).toBeNull()
  await far.exchange()
  expect(far.serverTime.settledOffsetMs()).toBe(far.serverTime.offsetMs())
  const good = apart(0)
  await good.exchange()
  expect(good.serverTime.settledOffsetMs()).toBeNull()
  await good.probe(7)
  expect(Math.abs(good.serverTime.settledOffsetMs() ?? Number.NaN)).toBeLessThan(50)
})

test('setting the wall clock does not change times that follow the server', async () => {
  const { clock, serverTime, probe } = apart(5000)
  await probe(7)
  const before = serverTime.clock.now() - clock.monotonic()
  clock.jump(60_000)
  expect(Math.abs(serverTime.clock.now() - clock.monotonic() - before)).toBeLessThan(2)
  expect(Math.abs((serverTime.offsetMs() ?? 0) + 55_000)).toBeLessThan(50)
})

test('follows a server whose clock is set, and learns nothing from a response without a date', async () => {
  const { clock, serverTime, probe } = apart(0)
  await probe(7)
  serverTime.observe({ sentAt: clock.monotonic(), receivedAt: clock.monotonic(), date: new Date(clock.now() + 50_000).toUTCString() })
  expect(serverTime.offsetMs()).toBeGreaterThan(49_000)
  const known = serverTime.offsetMs()
  serverTime.observe({ sentAt: clock.monotonic(), receivedAt: clock.monotonic(), date: null })
  expect(serverTime.offsetMs()).toBe(known)
})

test('the longer ago the last exchange, the larger the possible drift in either direction', async () => {
  const { clock, serverTime, exchange, probe } = apart(0)
  await probe(7)
  await clock.advance(10 * 60_000)
  await exchange()
  expect(serverTime.accuracyMs()).toBeGreaterThan(60)
})

test('a server that updates its Date a few milliseconds late does not make the measurement worse', async () => {
  const clock = virtualClock(Date.UTC(2026, 10, 14, 10))
  const serverTime = createServerTime(clock)
  const observe = (shown: number) => {
    const at = clock.monotonic()
    serverTime.observe({ sentAt: at, receivedAt: at, date: new Date(shown).toUTCString() })
  }
  observe(clock.now())
  await clock.advance(2015)
  observe(clock.now() - 1000)
  expect(Math.abs(serverTime.offsetMs() ?? Number.NaN)).toBeLessThanOrEqual(10)
  expect(serverTime.isOff()).toBe(false)
})

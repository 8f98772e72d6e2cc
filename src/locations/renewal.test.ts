import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRenewal } from './renewal.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Counts how often its value is computed. */
function counting() {
  let computed = 0
  const renewal = createRenewal(() => ({ number: ++computed }), 250)
  return { renewal, computed: () => computed }
}

test('changes in one turn are computed once, and later ones once per interval', async () => {
  const { renewal, computed } = counting()
  for (let i = 0; i < 100; i++) renewal.invalidate()
  expect(await renewal.current()).toEqual({ number: 1 })
  for (let i = 0; i < 100; i++) renewal.invalidate()
  const next = renewal.current()
  await vi.advanceTimersByTimeAsync(249)
  expect(computed()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await next).toEqual({ number: 2 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(computed()).toBe(2)
})

test('a change after the interval is computed at once, as often as that happens', async () => {
  const { renewal, computed } = counting()
  for (let changes = 1; changes <= 3; changes++) {
    renewal.invalidate()
    await turn()
    expect(computed()).toBe(changes)
    await vi.advanceTimersByTimeAsync(250)
  }
})

test('the value is not computed again before something has changed', async () => {
  const { renewal, computed } = counting()
  await turn()
  expect(computed()).toBe(0)
  expect(await renewal.current()).toBe(await renewal.current())
  expect(computed()).toBe(1)
})

test('a change wakes all waiters, and a wait with an outdated value returns at once', async () => {
  const { renewal } = counting()
  const { signal } = new AbortController()
  const first = await renewal.current()
  const waiting = Array.from({ length: 30 }, () => renewal.changed(first, signal))
  renewal.invalidate()
  await vi.advanceTimersByTimeAsync(250)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]))
  expect(await renewal.changed(first, signal)).toBe(true)
})

test('a wait returns false after an abort or a close', async () => {
  const { renewal } = counting()
  const first = await renewal.current()
  expect(await renewal.changed(first, AbortSignal.abort())).toBe(false)
  const end = new AbortController()
  const aborted = renewal.changed(first, end.signal)
  end.abort()
  expect(await aborted).toBe(false)
  const closed = renewal.changed(first, new AbortController().signal)
  renewal.close()
  expect(await closed).toBe(false)
  expect(await renewal.current()).toBe(first)
})

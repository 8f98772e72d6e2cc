import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { pause, systemClock } from './clock.ts'

describe('the system clock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const monthMs = 30 * 86_400_000

  test.each([1, 1000, 2 ** 31 - 1, 2 ** 31, monthMs, 3 * monthMs])('calls back once, after %d ms', (delayMs) => {
    const callback = vi.fn()
    systemClock.after(delayMs, callback)
    vi.advanceTimersByTime(delayMs - 1)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(monthMs)
    expect(callback).toHaveBeenCalledOnce()
  })

  test('returns wall-clock time, whose steps do not affect monotonic time', () => {
    const before = systemClock.monotonic()
    vi.setSystemTime(Date.UTC(2026, 10, 14))
    expect(systemClock.now()).toBe(Date.UTC(2026, 10, 14))
    expect(systemClock.monotonic()).toBe(before)
    vi.advanceTimersByTime(1500)
    expect(systemClock.now()).toBe(Date.UTC(2026, 10, 14) + 1500)
    expect(systemClock.monotonic()).toBe(before + 1500)
  })

  test('calls back at once for a negative delay', () => {
    const callback = vi.fn()
    systemClock.after(-5000, callback)
    vi.advanceTimersByTime(0)
    expect(callback).toHaveBeenCalledOnce()
  })

  test.each([1000, 3 * monthMs])('does not call back after %d ms once it is cancelled', (delayMs) => {
    const callback = vi.fn()
    const cancel = systemClock.after(delayMs, callback)
    vi.advanceTimersByTime(delayMs - 1)
    cancel()
    vi.advanceTimersByTime(monthMs)
    expect(callback).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a pause', () => {
  test('ends after its time', async () => {
    const clock = virtualClock(0)
    let over = false
    void pause(clock, 1000, new AbortController().signal).then(() => {
      over = true
    })
    await clock.advance(999)
    expect(over).toBe(false)
    await clock.advance(1)
    expect(over).toBe(true)
  })

  test('ends as soon as its signal is aborted, and leaves no timer', async () => {
    const clock = virtualClock(0)
    const stop = new AbortController()
    const paused = pause(clock, 1000, stop.signal)
    stop.abort()
    await paused
    expect(clock.pending()).toBe(0)
  })

  test('does not begin if its signal is already aborted', async () => {
    const clock = virtualClock(0)
    await pause(clock, 1000, AbortSignal.abort())
    expect(clock.pending()).toBe(0)
  })
})

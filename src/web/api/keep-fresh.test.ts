import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepFresh } from './keep-fresh.ts'

const minute = 60_000
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const show = (visibilityState: 'visible' | 'hidden') => {
  page.visibilityState = visibilityState
  page.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  page.visibilityState = 'visible'
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A page that is kept fresh by streams that the test writes to; `open` may fail. */
function keep(open?: (signal: AbortSignal) => Promise<Response>) {
  const channel = new TransformStream<Uint8Array, Uint8Array>()
  const writer = channel.writable.getWriter()
  const opened = vi.fn(open ?? (async () => new Response(channel.readable)))
  const refresh = vi.fn()
  const stop = keepFresh({ open: opened, refresh })
  const send = async (event: string) => {
    await writer.write(new TextEncoder().encode(`event: ${event}\ndata: {}\n\n`))
    await vi.advanceTimersByTimeAsync(0)
  }
  return { refresh, opened, stop, send }
}

test('without a stream the page is refreshed every minute, and the stream is tried again', async () => {
  const { refresh, opened, stop } = keep(() => Promise.reject(new Error('away')))
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect([refresh.mock.calls.length, opened.mock.calls.length]).toEqual([3, 4])
  stop()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(refresh).toHaveBeenCalledTimes(3)
})

test('with a stream the page is refreshed after news, at most every few seconds, and not every minute', async () => {
  const { refresh, opened, send, stop } = keep()
  await send('open')
  await vi.advanceTimersByTimeAsync(4 * minute)
  expect(refresh).not.toHaveBeenCalled()
  for (let i = 0; i < 50; i++) await send('result')
  await vi.advanceTimersByTimeAsync(5000)
  expect(refresh).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(refresh).toHaveBeenCalledTimes(3)
  expect(opened).toHaveBeenCalledTimes(1)
  stop()
})

test('a hidden page has no stream and no refresh, and has both at once when it is shown again', async () => {
  const signals: AbortSignal[] = []
  const { refresh, stop } = keep((signal) => {
    signals.push(signal)
    return new Promise<Response>(() => {})
  })
  show('hidden')
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect([signals.map(({ aborted }) => aborted), refresh.mock.calls.length]).toEqual([[true], 0])
  show('visible')
  expect([signals.map(({ aborted }) => aborted), refresh.mock.calls.length]).toEqual([[true, false], 1])
  stop()
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

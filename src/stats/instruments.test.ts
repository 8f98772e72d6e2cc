import { expect, test } from 'vitest'
import { createCounter, createGauge, createHistogram, watchEventLoop } from './instruments.ts'
import { createServerStats } from './server-stats.ts'

test('a histogram counts each observation in the first bucket that contains it', () => {
  const histogram = createHistogram([1, 2])
  for (const seconds of [0.5, 1, 1.5, 2, 7]) histogram.observe(seconds)
  expect(histogram.read()).toEqual({ bounds: [1, 2], buckets: [2, 2, 1], sum: 12 })
})

test('work is timed whether it succeeds or fails, and its outcome is passed on', async () => {
  const histogram = createHistogram()
  expect(await histogram.time(async () => 'done')).toBe('done')
  await expect(
    histogram.time(async () => {
      throw new Error('broken')
    }),
  ).rejects.toThrow('broken')
  expect(histogram.read().buckets.reduce((sum, count) => sum + count)).toBe(2)
})

test('counters add up, and gauges are set', () => {
  const [counter, gauge] = [createCounter(), createGauge()]
  counter.add(2)
  counter.add(3)
  gauge.set(2)
  gauge.set(1)
  expect([counter.read(), gauge.read()]).toEqual([5, 1])
})

test('the delay of the event loop is observed until it is stopped', async () => {
  const { eventLoopDelay } = createServerStats()
  const observed = () => eventLoopDelay.read().buckets.reduce((sum, count) => sum + count)
  const stop = watchEventLoop(eventLoopDelay)
  await expect.poll(observed).toBeGreaterThan(1)
  stop()
})

import { expect, test } from 'vitest'
import { createCounter, createGauge, createHistogram } from '../stats/instruments.ts'
import type { ServerStats } from '../stats/server-stats.ts'
import { processUsage, serverMetrics } from './server-metrics.ts'

/** Every instrument reads a different value, so that a mix-up fails the test. */
function differentStats(): ServerStats {
  let last = 0
  const times = () => {
    const made = createHistogram([1])
    made.observe(++last)
    return made
  }
  const count = () => {
    const made = createCounter()
    made.add(++last)
    return made
  }
  const level = () => {
    const made = createGauge()
    made.set(++last)
    return made
  }
  return {
    store: {
      append: times(),
      commit: times(),
      appended: count(),
      duplicates: count(),
      appendQueue: level(),
      questions: {
        aggregate: times(),
        states: times(),
        outages: times(),
        raw: times(),
        results: times(),
        result: times(),
        failures: times(),
      },
      questionQueue: level(),
      lostThreads: { reader: count(), writer: count() },
    },
    runner: { delay: times(), missedLate: count(), missedOverlap: count(), notMade: count(), inProgress: level(), outbox: level() },
    eventLoopDelay: times(),
    lostThreads: {
      probe: count(),
      judge: count(),
      parser: count(),
      decoder: count(),
      uploads: count(),
      alerts: count(),
      replay: count(),
    },
  }
}

const usage = {
  startedAt: 1_794_650_280_123,
  cpuMicros: 1_500_000,
  memory: { rss: 101, heapUsed: 102, heapTotal: 103, external: 104 },
}

test('families of the server match the golden file', async () => {
  await expect(serverMetrics(differentStats(), usage, 'openmetrics')).toMatchFileSnapshot('../../test/golden/metrics/server.txt')
})

test('the text format has the same samples', () => {
  const samples = (format: 'openmetrics' | 'text') => serverMetrics(differentStats(), usage, format).replaceAll(/^#.*\n/gm, '')
  expect(samples('text')).toBe(samples('openmetrics'))
})

test('CPU time is user and system time since the process started', () => {
  const { user, system } = process.cpuUsage()
  const { startedAt, cpuMicros, memory } = processUsage()
  expect(cpuMicros).toBeGreaterThanOrEqual(user + system)
  expect(startedAt).toBe(performance.timeOrigin)
  expect(memory.rss).toBeGreaterThan(memory.heapUsed)
})

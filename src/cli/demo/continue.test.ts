import { describe, expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { runTypes } from '../../../test/support/example-config.ts'
import { calm } from '../../../test/support/results.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { defineCheckType } from '../../checks/define.ts'
import { count, milliseconds, perPage, score } from '../../checks/metric.ts'
import { Type } from '../../schema/typebox.ts'
import type { NewResult } from '../../store/store.ts'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import { continueScenario } from './continue.ts'
import { inventResults } from './invent.ts'
import { failingTag, slowTag } from './scenario.ts'

const end = Date.parse('2026-11-14T10:00:00Z')
const locations = ['near', 'far']

const checkOf = (checkType: Check['checkType'], more: Partial<Check> = {}) =>
  testCheck(checkType, { tags: checkType.demo.tags, locations, runParallel: true, everyMs: 5 * minuteMs, ...more })

/** A run from this machine: all measured times are a few milliseconds. */
function liveResult({ checkType }: Check, runLocation: string, index: number): NewResult {
  const ms = 2 + (index % 5) / 10
  const measured = (perPage: boolean) =>
    Object.fromEntries(
      Object.entries(checkType.metrics)
        .filter(([, metric]) => (metric.perPage === true) === perPage)
        .map(([name, { unit }]) => [name, unit === 'milliseconds' ? ms : 0]),
    )
  const hasPages = Object.values(checkType.metrics).some(({ perPage }) => perPage)
  const pages = hasPages ? [{ pageUrl: 'http://127.0.0.1:8788/', values: measured(true) }] : []
  return { ...calm, id: `${runLocation} ${index}`, startedAt: end + index * 5 * minuteMs, runLocation, values: measured(false), pages }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

describe.each(runTypes)('live results of a $type check', (checkType) => {
  const check = checkOf(checkType)
  const lastHours = { from: end - 2 * hourMs, to: end }
  const continued = continueScenario(end)
  const live = Array.from({ length: 24 }, (_, index) =>
    locations.map((location) => continued(check, liveResult(check, location, index))),
  ).flat()

  test.each(locations)('continue typical times of the generated ones at a location: %s', (location) => {
    const invented = [...inventResults(check, location, lastHours, end)].filter(({ hasFailures }) => !hasFailures)
    const own = live.filter(({ runLocation }) => runLocation === location)
    const duration = checkType.duration ?? ''
    const ratio = median(own.map(({ values }) => values[duration] ?? 0)) / median(invented.map(({ values }) => values[duration] ?? 0))
    expect(ratio).toBeGreaterThan(0.6)
    expect(ratio).toBeLessThan(1.6)
  })

  test('vary like the runs, and their phases add up', () => {
    const durations = live.map(({ values }) => values[checkType.duration ?? ''] ?? 0)
    expect(new Set(durations).size).toBeGreaterThan(4)
    if (checkType.phases.length === 0) return
    for (const { values } of live) {
      const sum = checkType.phases.reduce((total, name) => total + (values[name] ?? 0), 0)
      expect(sum).toBeCloseTo(values[checkType.duration ?? ''] ?? 0, 6)
    }
  })

  test('continue the pages of the generated ones', () => {
    const [invented] = [...inventResults(check, 'near', lastHours, end)]
    for (const { pages } of live) {
      expect(pages.map(({ pageUrl }) => pageUrl)).toEqual(invented?.pages.slice(0, pages.length).map(({ pageUrl }) => pageUrl))
    }
  })
})

const [checkType] = runTypes.filter(({ phases, fields }) => phases.length > 0 && fields.includes('statusCode'))
if (checkType === undefined) throw new Error('No type has phases and a status code.')

test('a failed live run stays failed, and a slow one is degraded by the limits of its check', () => {
  const check = checkOf(checkType, { degradedResponseTimeMs: 20 })
  const continued = continueScenario(end)
  const passed = continued(check, liveResult(check, 'near', 0))
  expect(passed).toMatchObject({ hasFailures: false, isDegraded: true })
  const failed = { ...liveResult(check, 'near', 1), hasFailures: true, error: 'status 503, expected 200' }
  expect(continued(check, failed)).toMatchObject({ hasFailures: true, error: 'status 503, expected 200', isDegraded: false })
})

test('at the end of the scenario one check fails and one is slow, and neither was a day before', () => {
  const results = (tag: string, hoursAgo: number) => {
    const check = checkOf(checkType, { id: tag, tags: ['shop', tag] })
    return [...inventResults(check, 'near', { from: end - hoursAgo * hourMs - hourMs, to: end - hoursAgo * hourMs }, end)]
  }
  const failures = (tag: string, hoursAgo: number) => results(tag, hoursAgo).filter(({ hasFailures }) => hasFailures).length
  expect(failures(failingTag, 0)).toBe(results(failingTag, 0).length)
  expect(failures(failingTag, 24)).toBeLessThan(3)
  const typical = (hoursAgo: number) => median(results(slowTag, hoursAgo).map(({ values }) => values[checkType.duration ?? ''] ?? 0))
  expect(typical(0)).toBeGreaterThan(2.5 * typical(dayMs / hourMs))
})

describe('the timings of a live run', () => {
  const metrics = {
    ...{ total: milliseconds('Total'), dns: milliseconds('Lookup'), wait: milliseconds('Waiting') },
    ...{ hops: count('Hops'), LCP: perPage(milliseconds('Paint')), CLS: perPage(score('Shift')) },
  }
  const page = { pageUrl: 'https://shop.example/', LCP: 500, CLS: 0.1 }
  const demoRun = { metrics: { total: 50, dns: 10, wait: 40, hops: 3 }, pages: [page], failure: null, broken: false }
  const type = defineCheckType({
    ...{ type: 'TEST', path: 'test-checks', label: 'Test check', metrics, duration: 'total', phases: ['dns', 'wait'], groupBy: [] },
    settings: Type.Object({}),
    target: () => ({}),
    demo: { name: 'Test', tags: [], settings: () => ({}), files: {}, run: () => demoRun },
  })
  /** At eight in the morning, the daily cycle has no effect. */
  const eight = Date.parse('2026-11-14T08:00:00Z')
  const own = testCheck(type, { tags: [], locations })
  const run = (values: NewResult['values'], more: Partial<NewResult> = {}): NewResult => ({
    ...{ ...calm, id: 'run', startedAt: eight, runLocation: 'near', values, pages: [] },
    ...more,
  })

  test('are typical of its type and longer for distant locations; other figures are kept', () => {
    const continued = continueScenario(eight)
    const live = { total: 5, dns: 2, wait: 3, hops: 9, other: 7 }
    expect(continued(own, run(live)).values).toEqual({ total: 50, dns: 10, wait: 40, hops: 9, other: 7 })
    expect(continued(own, run(live, { runLocation: 'far' })).values).toEqual({ total: 70, dns: 14, wait: 56, hops: 9, other: 7 })
    expect(continued(own, run(live, { runLocation: 'elsewhere' })).values).toMatchObject({ total: 50 })
    expect(continued(own, run({ total: 5, dns: 2 })).values).toEqual({ total: 50, dns: 10 })
  })

  test('vary as measured around their median, up to two and a half times', () => {
    const continued = continueScenario(eight)
    const waits = [4, 8, 4, 40, 2, 0].map((wait) => continued(own, run({ wait })).values.wait)
    expect(waits).toEqual([40, 40, 40, 100, 20, 0])
    expect(continueScenario(eight)(own, run({ wait: 0 })).values.wait).toBe(40)
    const another = testCheck(type, { id: 'another', tags: [], locations })
    expect(continued(another, run({ wait: 80 })).values.wait).toBe(40)
  })

  test('are relative to the last 25 runs', () => {
    const continued = continueScenario(eight)
    const last = (wait: number, times: number) => Array.from({ length: times }, () => continued(own, run({ wait })).values.wait).at(-1)
    expect(last(10, 13)).toBe(40)
    expect(last(20, 12)).toBe(80)
    expect(last(20, 1)).toBe(40)
  })

  test('of its pages are those of generated ones', () => {
    const pages = [
      { pageUrl: 'http://127.0.0.1/', values: { LCP: 5, CLS: 0.7 } },
      { pageUrl: 'http://127.0.0.1/more', values: { LCP: 5 } },
    ]
    expect(continueScenario(eight)(own, run({}, { pages })).pages).toEqual([
      { pageUrl: 'https://shop.example/', values: { LCP: 500, CLS: 0.7 } },
      { pageUrl: 'http://127.0.0.1/more', values: { LCP: 5 } },
    ])
  })

  test('decide again whether it was too slow, but not whether it failed', () => {
    const limited = { ...own, degradedResponseTimeMs: 45, maxResponseTimeMs: 60 }
    const live = { dns: 2, wait: 3, total: 5 }
    const outcome = (check: Check, result: NewResult) => {
      const { hasFailures, hasErrors, isDegraded, overMaxResponseTime, error } = continueScenario(eight)(check, result)
      return { hasFailures, hasErrors, isDegraded, overMaxResponseTime, error }
    }
    const well = { hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false, error: null }
    expect(outcome(own, run(live))).toEqual(well)
    expect(outcome(limited, run(live))).toEqual({ ...well, isDegraded: true })
    expect(outcome(limited, run(live, { runLocation: 'far' }))).toMatchObject({ hasFailures: true, overMaxResponseTime: true })
    const slow = { hasFailures: true, overMaxResponseTime: true, error: 'it took 9 s' }
    expect(outcome(own, run(live, slow))).toEqual(well)
    expect(outcome(own, run(live, { isDegraded: true }))).toEqual({ ...well, isDegraded: true })
    expect(outcome({ ...own, degradedResponseTimeMs: 1000 }, run(live, { isDegraded: true }))).toEqual(well)
    const broken = { hasFailures: true, hasErrors: true, error: 'refused' }
    expect(outcome(limited, run(live, broken))).toMatchObject(broken)
  })
})

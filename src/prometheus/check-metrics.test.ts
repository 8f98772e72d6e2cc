import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { testResult } from '../../test/support/results.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { checkMetrics, type ScrapedCheck } from './check-metrics.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop', tags: [], everyMs: 90_000 })
const totals = [{ location: 'eu-west-1', passed: 1, degraded: 2, failed: 3, retries: 4, buckets: [], durationMicros: 0 }]
const { result } = testResult(shop, now - 1000)
const latest = { revision: '1', byLocation: [result] }
const scraped: ScrapedCheck = { check: shop, totals, latest, inMaintenance: false }

/** The samples of these checks, without durations. */
const samples = (...checks: readonly ScrapedCheck[]) =>
  [...checkMetrics(checks, 'text', now)]
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !/^#|duration/.test(line))
    .map((line) => line.replace('tidemark_check_', ''))

const ofShop = (muted: number, inMaintenance: number) => [`muted{check="shop"} ${muted}`, `in_maintenance{check="shop"} ${inMaintenance}`]

test('a check has its settings, counters and last result, also without tags', () => {
  expect(samples(scraped)).toEqual([
    `info{check="shop",name="Shop",type="${shop.checkType.type}",tags=""} 1`,
    'active{check="shop"} 1',
    ...ofShop(0, 0),
    'period_seconds{check="shop"} 90',
    'results_total{check="shop",location="eu-west-1",outcome="passed"} 1',
    'results_total{check="shop",location="eu-west-1",outcome="degraded"} 2',
    'results_total{check="shop",location="eu-west-1",outcome="failed"} 3',
    'retries_total{check="shop",location="eu-west-1"} 4',
    `last_result_timestamp_seconds{check="shop",location="eu-west-1"} ${now / 1000 - 1}`,
    'up{check="shop",location="eu-west-1"} 1',
    'degraded{check="shop",location="eu-west-1"} 0',
  ])
})

test.each([
  [false, false, 0, 0],
  [true, false, 1, 0],
  [false, true, 0, 1],
])('for a check with muted %s and maintenance %s, the gauges are %i and %i', (muted, inMaintenance, ...gauges) => {
  expect(samples({ ...scraped, check: { ...shop, muted }, inMaintenance })).toEqual(expect.arrayContaining(ofShop(...gauges)))
})

test('tags are sorted and separated by commas, and each has a sample', () => {
  const check: Check = { ...shop, tags: ['web', 'eu'] }
  const [info, ...others] = samples({ ...scraped, check })
  expect(info).toContain('tags=",eu,web,"')
  expect(others.slice(0, 2)).toEqual(['tag{check="shop",tag="web"} 1', 'tag{check="shop",tag="eu"} 1'])
})

test('a check that was changed since the last scrape has no outdated samples, even if its results are the same', () => {
  samples(scraped)
  const changed = samples({ ...scraped, check: { ...shop, id: 'store' } })
  expect(changed.filter((line) => line.includes('"shop"'))).toEqual([])
  expect(changed).toHaveLength(samples(scraped).length)
})

test.each(['damaged', 'counting'] as const)('if counters are %s, a sample has the reason, and the last result is kept', (missing) => {
  const lines = samples({ ...scraped, totals: missing })
  expect(lines.filter((line) => /^(results|retries|uncounted)/.test(line))).toEqual([`uncounted{check="shop",reason="${missing}"} 1`])
  expect(lines).toContain('up{check="shop",location="eu-west-1"} 1')
})

test('a check without results has no samples of results', () => {
  const lines = samples({ ...scraped, totals: [], latest: undefined })
  expect(lines.filter((line) => line.includes('location='))).toEqual([])
})

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { alertRule } from '../../../test/support/alert-world.ts'
import { openAppStore } from '../../../test/support/app-store.ts'
import { account, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { zoneOf } from '../../../test/support/zone.ts'
import { asConfigured, loadSlo } from '../../analytics/slo/load-slo.ts'
import { type MaintenancePolicy, noPolicies, type Objective, type Policies, type Slo } from '../../catalogue/policies/policies.ts'
import { checkTypes } from '../../checks/registry.ts'
import type { FiledResult } from '../../store/store.ts'
import { planAlerts } from '../decide/plan.ts'
import { burnFacts, burnMeasurement, leastPeriod } from '../loop/burn-rates.ts'
import { replayedChecks } from './replay-stored.ts'
import { createReplayedBurn, pagesMatterTo } from './replayed-burn.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 16)
const pair = { factor: 2, longMs: hour, shortMs: 10 * minute }

const paged = checkTypes.find(({ metrics }) => Object.values(metrics).some(({ perPage, unit }) => perPage && unit === 'milliseconds'))
const pageMetric = Object.entries(paged?.metrics ?? {}).find(([, { perPage, unit }]) => perPage && unit === 'milliseconds')?.[0] ?? ''
const checks = [
  testCheck(anyRunType(), { id: 'shop', locations: ['eu', 'us'], runParallel: true, everyMs: minute }),
  testCheck(anyRunType(), { id: 'bank', locations: ['eu', 'us'], runParallel: false, everyMs: 2 * minute }),
  testCheck(checkTypes.find(({ pingSettings }) => pingSettings) ?? anyRunType(), { id: 'job', locations: [] }),
  testCheck(paged ?? anyRunType(), { id: 'pages', locations: ['eu'], everyMs: 5 * minute }),
]
const plain = checks.slice(0, 3).map(({ id }) => id)

const slo = (id: string, objective: Objective, selected: readonly string[]): Slo => ({
  id,
  name: id,
  checks: selected,
  tags: [],
  objective,
  window: { kind: 'rolling', duration: '30d', durationMs: 30 * 24 * hour },
})
const slos = [
  slo('runs', { kind: 'availability', by: 'runs', target: 99 }, plain),
  slo('time', { kind: 'availability', by: 'time', target: 99.9 }, plain),
  slo('latency', { kind: 'latency', by: 'runs', target: 95, metric: 'duration', thresholdMs: 40 }, ['shop', 'bank']),
  slo('pages', { kind: 'latency', by: 'runs', target: 90, metric: pageMetric, thresholdMs: 50 }, ['pages']),
]
const maintenance: readonly MaintenancePolicy[] = [
  { name: 'once', checks: ['shop'], tags: [], from: start + 95 * minute + 7000, to: start + 110 * minute + 20_000 },
  { name: 'daily', checks: [], tags: [], every: 'day', atMinutes: 150, forMs: 12 * minute, zone: zoneOf('UTC') },
]
const policies: Policies = { ...noPolicies, slos, maintenance, alerts: [alertRule({ when: { kind: 'sloBurn', slos: [], pairs: [pair] } })] }
const plan = planAlerts({ account: { id: account, name: account }, policies, checks, repeatEveryMs: () => null })

type Outcome = 'up' | 'degraded' | 'down'
const run = fc.record({
  check: fc.constantFrom(...checks),
  second: fc.integer({ min: 1, max: 4 * 3600 }),
  runLocation: fc.constantFrom('eu', 'us'),
  outcome: fc.constantFrom<Outcome>('up', 'up', 'degraded', 'down'),
})

test('burn rates equal those in the status of the SLO at each minute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 50, maxLength: 200 }), async (runs) => {
      const results = runs.map(({ check, second, runLocation, outcome }) =>
        testResult(check, start + 1000 * second, { runLocation, hasFailures: outcome === 'down', isDegraded: outcome === 'degraded' }),
      )
      await compare(results)
    }),
    { numRuns: triesOf(15) },
  )
}, 120_000)

async function compare(results: readonly ReturnType<typeof testResult>[]): Promise<void> {
  const catalogue = testCatalogue({ checks, policies })
  const store = await openAppStore({ clock: () => start + 5 * hour })
  onTestFinished(() => store.close())
  await store.append(results)
  const waiting: FiledResult[] = results.toSorted((a, b) => a.result.startedAt - b.result.startedAt)
  const burn = createReplayedBurn(plan, { from: start, to: start + 5 * hour }, start)
  for (let at = start + minute; at <= start + 5 * hour; at += minute) {
    while (waiting[0] && waiting[0].result.startedAt < at) burn.add(waiting.shift() as FiledResult)
    expect(burn.nextAt()).toBe(at)
    burn.measure()
    if ((at - start) % (20 * minute) > 0) continue
    for (const each of slos) {
      const expected = burnFacts(await measured(each, pair.longMs, at), await measured(each, pair.shortMs, at))
      expect([each.id, burn.of(each, pair)]).toEqual([
        each.id,
        expected && { long: expect.closeTo(expected.long, 6), short: expect.closeTo(expected.short, 6), badRuns: expected.badRuns },
      ])
    }
  }

  /** Runs that start at the very instant are not known yet. */
  async function measured(of: Slo, windowMs: number, at: number) {
    const to = of.objective.by === 'time' ? at : at - 1
    const overrides = { ...asConfigured, from: at - windowMs, to }
    const question = { account, slo: of, overrides, options: { caller: { account, key: 'test' } } }
    const { attained, budget, objective } = await loadSlo({ store, catalogue, clock: { now: () => at } }, question)
    const own = checks.filter(({ id }) => of.checks.includes(id))
    return burnMeasurement({ attained, ...budget }, { target: objective.target, leastPeriodMs: leastPeriod(own) })
  }
}

test('before its windows are complete, no burn rate is known', () => {
  const [shop] = checks
  if (!shop) throw new Error('there are no checks')
  const burn = createReplayedBurn(plan, { from: start, to: start + hour }, start + 30 * minute)
  for (let i = 1; i < 60; i++) {
    burn.add(testResult(shop, start + i * minute - 1, { hasFailures: true }))
    expect(burn.measure()).toBe(i === 30)
  }
})

test('results are read from before the window only of checks in an SLO that a rule uses', () => {
  const [used] = slos.filter(({ id }) => id === 'latency')
  const window = { from: start, to: start + hour }
  const only = { ...policies, slos: used ? [used] : [], alerts: [...policies.alerts, alertRule({ id: 'down' })] }
  const replayed = replayedChecks(
    planAlerts({ account: { id: account, name: account }, policies: only, checks, repeatEveryMs: () => null }),
    window,
  )
  const lead = 24 * hour
  expect(Object.fromEntries(replayed.map(({ check, from }) => [check.id, start - from]))).toEqual({
    ...{ shop: lead + pair.longMs, bank: lead + pair.longMs },
    ...{ job: lead, pages: lead },
  })
})

test('results of pages are read only if an objective needs them', () => {
  expect(checks.filter(pagesMatterTo(plan)).map(({ id }) => id)).toEqual(paged ? ['pages'] : [])
})

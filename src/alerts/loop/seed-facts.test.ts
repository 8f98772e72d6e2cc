import { expect, onTestFinished, test } from 'vitest'
import { alertCheck, alertRule } from '../../../test/support/alert-world.ts'
import { openAppStore } from '../../../test/support/app-store.ts'
import { type TestResult, testResult } from '../../../test/support/results.ts'
import { noPolicies } from '../../catalogue/policies/policies.ts'
import { checkTypes } from '../../checks/registry.ts'
import { planAlerts, trackedChecks } from '../decide/plan.ts'
import { createTracker } from '../facts/tracker.ts'
import { seedFacts } from './seed-facts.ts'

const minute = 60_000
const now = Date.UTC(2026, 10, 16, 12)
const [shop, bank, empty] = [alertCheck('shop'), alertCheck('bank', { locations: ['eu', 'us'] }), alertCheck('empty')]
const checks = [shop, bank, empty]

/** A tracker for these checks after a start, with these results in the store. `onRead` is called with each check that is read. */
async function seeded(results: readonly TestResult[], onRead: (id: string) => void = () => {}, { signal } = new AbortController()) {
  const whole = await openAppStore({ checkTypes, clock: () => now })
  onTestFinished(() => whole.close())
  await whole.append(results)
  const store: typeof whole = {
    ...whole,
    results(query) {
      onRead(query.check.checkId)
      return whole.results(query)
    },
  }
  const plan = planAlerts({
    account: { id: 'acme', name: 'Acme' },
    policies: { ...noPolicies, alerts: [alertRule()] },
    checks,
    repeatEveryMs: () => null,
  })
  const tracker = createTracker()
  tracker.define(trackedChecks(plan), now)
  await seedFacts(checks, { store, tracker, quorumsOf: () => [1], now: () => now, signal })
  tracker.changed(now)
  return tracker
}

test('a check that is up is known by its newest results, and one without results is unknown', async () => {
  const tracker = await seeded([testResult(shop, now - 3 * minute, { hasFailures: true }), testResult(shop, now - minute)])
  expect(tracker.check('shop')).toMatchObject({ known: 1, downLocations: [], newestAt: now - minute })
  expect(tracker.check('empty')?.newestAt ?? null).toBeNull()
})

test('a failing check has the start of its outage and the number of failed runs', async () => {
  const minutes = Array.from({ length: 30 }, (_, i) => i + 1)
  const tracker = await seeded([
    testResult(bank, now - 31 * minute),
    ...minutes.map((ago) => testResult(bank, now - ago * minute, { hasFailures: true })),
    testResult(bank, now - 30_000, { runLocation: 'us' }),
  ])
  const facts = tracker.check('bank')
  expect(facts).toMatchObject({ known: 2, downLocations: ['eu'], newestAt: now - 30_000 })
  expect(facts?.states.get(1)).toMatchObject({ state: 'down', since: now - 30 * minute, isCertain: true, notDownSince: null })
})

test('a check that is degraded is not down', async () => {
  const tracker = await seeded([testResult(shop, now - minute, { isDegraded: true })])
  expect(tracker.check('shop')).toMatchObject({ downLocations: [], affectedLocations: ['eu'], newestDegraded: { startedAt: now - minute } })
})

test('after an abort, no more checks are read', async () => {
  const controller = new AbortController()
  const read: string[] = []
  const failing = [shop, bank].map((check) => testResult(check, now - minute, { hasFailures: true }))
  const seeding = seeded(failing, (id) => read.push(id) && controller.abort(new Error('it is closed')), controller)
  await expect(seeding).rejects.toThrow('it is closed')
  expect(read).toEqual(['shop'])
})

import { expect, onTestFinished, test } from 'vitest'
import { alertCheck, alertRule } from '../../../test/support/alert-world.ts'
import { noPolicies, type Slo } from '../../catalogue/policies/policies.ts'
import { readBurn } from '../decide/condition.ts'
import { type AlertPlan, planAlerts } from '../decide/plan.ts'
import { type BurnMeasurement, watchBurnRates } from './burn-rates.ts'

const pair = { factor: 10, longMs: 3_600_000, shortMs: 300_000 }
const slowPair = { factor: 5, longMs: 21_600_000, shortMs: 1_800_000 }
const slo: Slo = {
  id: 'shop',
  name: 'Shop',
  checks: ['shop'],
  tags: [],
  objective: { kind: 'availability', by: 'runs', target: 99 },
  window: { kind: 'rolling', duration: '30d', durationMs: 30 * 86_400_000 },
}

function planOf(slos: readonly Slo[]): AlertPlan {
  const rule = alertRule({ when: { kind: 'sloBurn', slos: [], pairs: [pair, slowPair] } })
  const policies = { ...noPolicies, slos, alerts: [rule] }
  return planAlerts({ account: { id: 'acme', name: 'Acme' }, policies, checks: [alertCheck('shop')], repeatEveryMs: () => null })
}

/** Burn rates of an account. */
function watched(measured: (windowMs: number) => BurnMeasurement | null) {
  let slos = [slo]
  const failures: string[] = []
  const rates = watchBurnRates({
    measure: async (_, __, windowMs) => measured(windowMs),
    plans: () => [planOf(slos)],
    onMeasured: () => {},
    onFailure: (_, id) => void failures.push(id),
  })
  onTestFinished(rates.close)
  return {
    failures,
    measure: rates.tick,
    of: (one = slo) => rates.of('acme', one, pair),
    reading: () => readBurn({ slo, pairs: [pair, slowPair], burn: (one, windows) => rates.of('acme', one, windows), now: 0 }).status,
    configure(...next: readonly Slo[]) {
      slos = [...next]
    },
  }
}

const burning = { long: 20, short: 20, badRuns: 7 }

test('a burn rate is known once it is measured', async () => {
  const { measure, of } = watched(() => ({ rate: 20, badRuns: 7 }))
  expect(of()).toBe('unmeasured')
  await measure()
  expect(of()).toEqual(burning)
})

test('a budget that burns slowly does not count as clear while only its fast windows are measured', async () => {
  const read: string[] = []
  const { measure, reading } = watched((windowMs) => {
    read.push(reading())
    return { rate: [pair.longMs, pair.shortMs].includes(windowMs) ? 0 : 20, badRuns: 7 }
  })
  await measure()
  expect(read).toEqual(['neutral', 'neutral', 'neutral', 'neutral'])
  expect(reading()).toBe('holds')
})

test('a window in which nothing counts is measured', async () => {
  const { measure, of } = watched((windowMs) => (windowMs === pair.longMs ? { rate: 20, badRuns: 7 } : null))
  await measure()
  expect(of()).toBeNull()
})

test('a burn rate that can no longer be measured is unknown', async () => {
  let works = true
  const { measure, of, failures } = watched(() => {
    if (works) return { rate: 20, badRuns: 7 }
    throw new Error('the store is away')
  })
  await measure()
  works = false
  await measure()
  expect(of()).toBe('unmeasured')
  expect(failures).toEqual(['shop', 'shop', 'shop', 'shop'])
})

test('an SLO with another objective is measured again', async () => {
  const { measure, of } = watched(() => ({ rate: 20, badRuns: 7 }))
  await measure()
  expect(of({ ...slo, objective: { ...slo.objective, target: 90 } })).toBe('unmeasured')
  expect(of({ ...slo, checks: ['other'] })).toBe('unmeasured')
  expect(of({ ...slo })).toEqual(burning)
})

test('an SLO that was removed and added again is measured again', async () => {
  const { measure, of, configure } = watched(() => ({ rate: 20, badRuns: 7 }))
  await measure()
  configure()
  await measure()
  expect(of()).toBe('unmeasured')
})

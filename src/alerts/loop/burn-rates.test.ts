import { expect, onTestFinished, test } from 'vitest'
import { alertCheck, alertRule } from '../../../test/support/alert-world.ts'
import { noPolicies, type Slo } from '../../catalogue/policies/policies.ts'
import { type AlertPlan, planAlerts } from '../decide/plan.ts'
import { type BurnMeasurement, watchBurnRates } from './burn-rates.ts'

const pair = { factor: 10, longMs: 3_600_000, shortMs: 300_000 }
const slo: Slo = {
  id: 'shop',
  name: 'Shop',
  checks: ['shop'],
  tags: [],
  objective: { kind: 'availability', by: 'runs', target: 99 },
  window: { kind: 'rolling', duration: '30d', durationMs: 30 * 86_400_000 },
}

function planOf(slos: readonly Slo[]): AlertPlan {
  const rule = alertRule({ when: { kind: 'sloBurn', slos: [], pairs: [pair] } })
  const policies = { ...noPolicies, slos, alerts: [rule] }
  return planAlerts({ account: { id: 'acme', name: 'Acme' }, policies, checks: [alertCheck('shop')], repeatEveryMs: () => null })
}

/** Burn rates of an account. */
function watched(measured: () => BurnMeasurement | null) {
  let slos = [slo]
  const failures: string[] = []
  const rates = watchBurnRates({
    measure: async () => measured(),
    plans: () => [planOf(slos)],
    onMeasured: () => {},
    onFailure: (_, id) => void failures.push(id),
  })
  onTestFinished(rates.close)
  return {
    failures,
    measure: rates.tick,
    of: (one = slo) => rates.of('acme', one, pair),
    configure(...next: readonly Slo[]) {
      slos = [...next]
    },
  }
}

const burning = { long: 20, short: 20, badRuns: 7 }

test('a burn rate is known once it is measured', async () => {
  const { measure, of } = watched(() => ({ rate: 20, badRuns: 7 }))
  expect(of()).toBeNull()
  await measure()
  expect(of()).toEqual(burning)
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
  expect(of()).toBeNull()
  expect(failures).toEqual(['shop', 'shop'])
})

test('an SLO with another objective is measured again', async () => {
  const { measure, of } = watched(() => ({ rate: 20, badRuns: 7 }))
  await measure()
  expect(of({ ...slo, objective: { ...slo.objective, target: 90 } })).toBeNull()
  expect(of({ ...slo, checks: ['other'] })).toBeNull()
  expect(of({ ...slo })).toEqual(burning)
})

test('an SLO that was removed and added again is measured again', async () => {
  const { measure, of, configure } = watched(() => ({ rate: 20, badRuns: 7 }))
  await measure()
  configure()
  await measure()
  expect(of()).toBeNull()
})

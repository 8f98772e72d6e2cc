import { expect, test } from 'vitest'
import { alertCheck } from '../../../test/support/alert-world.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { noPolicies } from '../../catalogue/policies/policies.ts'
import { planAlerts } from './plan.ts'

const planOf = (checks: readonly Check[]) =>
  planAlerts({ account: { id: 'acme', name: 'Acme' }, policies: noPolicies, checks, repeatEveryMs: () => null })

test('ancestors are listed nearest first, without duplicates', () => {
  const { ancestors, dependents } = planOf([
    alertCheck('shop', { dependsOn: ['proxy', 'database'] }),
    alertCheck('proxy', { dependsOn: ['router'] }),
    alertCheck('database', { dependsOn: ['router', 'disk'] }),
    alertCheck('router'),
    alertCheck('disk'),
  ])
  expect(ancestors.get('shop')).toEqual(['proxy', 'database', 'router', 'disk'])
  expect(ancestors.has('router')).toBe(false)
  expect(dependents.get('router')).toEqual(['shop', 'proxy', 'database'])
})

test('the plan of a chain of thousands of checks is bounded, also if each depends on a hundred others', () => {
  const chain = (each: number) =>
    Array.from({ length: 20_000 }, (_, i) =>
      alertCheck(`c${i}`, { dependsOn: Array.from({ length: Math.min(i, each) }, (_, back) => `c${i - 1 - back}`) }),
    )
  for (const each of [1, 100]) {
    const { ancestors } = planOf(chain(each))
    expect(ancestors.get('c19999')?.[0]).toBe('c19998')
    expect(Math.max(...Array.from(ancestors.values(), ({ length }) => length))).toBeLessThanOrEqual(200)
  }
})

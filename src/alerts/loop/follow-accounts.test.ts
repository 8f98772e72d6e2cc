import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { alertCheck, alertRule } from '../../../test/support/alert-world.ts'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { noPolicies, type Policies } from '../../catalogue/policies/policies.ts'
import { planAlerts } from '../decide/plan.ts'
import { createTracker } from '../facts/tracker.ts'
import type { AccountAlerts } from './account-alerts.ts'
import { followAccounts } from './follow-accounts.ts'

const policies: Policies = { ...noPolicies, alerts: [alertRule()] }

/** Follows two accounts; `redefined` lists those with a new plan. */
function followed() {
  const checks = new Map<string, readonly Check[]>(['acme', 'other'].map((account) => [account, [alertCheck('shop', { account })]]))
  const ofAccounts = new Map<string, Policies>()
  const redefined: string[] = []
  const catalogue = {
    checks: (account: string) => checks.get(account) ?? [],
    policies: (account: string) => ofAccounts.get(account) ?? policies,
    accountsWithChecks: () => [...checks.keys()],
    account: (id: string) => ({ id, name: id, publicBadges: false }),
  } as Partial<Catalogue> as Catalogue
  const planOf = (account: string) =>
    planAlerts({
      account: { id: account, name: account },
      policies: catalogue.policies(account),
      checks: catalogue.checks(account),
      repeatEveryMs: () => null,
    })
  const open = (account: string): AccountAlerts => {
    let plan = planOf(account)
    const alerts: Partial<AccountAlerts> = {
      plan: () => plan,
      redefine(next) {
        redefined.push(account)
        plan = next
      },
      startWatching: () => {},
      tracker: createTracker(),
      add: () => {},
      review: async () => {},
      close: async () => {},
    }
    return alerts as AccountAlerts
  }
  const following = followAccounts({
    catalogue,
    store: { latest: async () => [], results: async () => [], outages: async () => [], onAppended: () => () => {} },
    now: () => 0,
    log: pino({ level: 'silent' }),
    stored: { incidents: [] },
    planOf,
    open,
    onSeeded: () => {},
    onRedefined: () => {},
  })
  onTestFinished(following.close)
  following.follow()
  return { checks, ofAccounts, redefined, follow: following.follow }
}

test('an account is decided again only if its checks or policies have changed', () => {
  const { checks, ofAccounts, redefined, follow } = followed()
  follow()
  checks.set('acme', [...(checks.get('acme') ?? [])])
  follow()
  expect(redefined).toEqual([])
  checks.set('acme', [...(checks.get('acme') ?? []), alertCheck('new')])
  follow()
  expect(redefined.splice(0)).toEqual(['acme'])
  checks.set('acme', [alertCheck('shop'), alertCheck('new')])
  follow()
  expect(redefined.splice(0)).toEqual(['acme'])
  ofAccounts.set('other', { ...policies })
  follow()
  expect(redefined.splice(0)).toEqual(['other'])
  checks.delete('other')
  follow()
  follow()
  expect(redefined).toEqual(['other'])
})

import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import type { Policies } from '../../catalogue/policies/policies.ts'
import type { ChannelType } from '../channels/channel.ts'
import { type AlertPlan, planAlerts, repeatsOf } from '../decide/plan.ts'

type Configured = { readonly catalogue: Catalogue; readonly channelTypes: readonly ChannelType[] }

export function configuredPlan({ catalogue, channelTypes }: Configured, account: string): AlertPlan {
  const { id, name } = catalogue.account(account) ?? { id: account, name: account }
  return planAlerts({
    account: { id, name },
    policies: catalogue.policies(account),
    checks: catalogue.checks(account),
    repeatEveryMs: repeatsOf(channelTypes),
  })
}

type KnownPlan = { readonly policies: Policies; readonly checks: readonly Check[]; readonly plan: AlertPlan }

/** The plans of accounts with rules; rebuilt when the config file or managed resources have changed. */
export function configuredPlans(options: Configured) {
  const plans = new Map<string, KnownPlan>()
  return {
    of(account: string): AlertPlan | null {
      const [policies, checks] = [options.catalogue.policies(account), options.catalogue.checks(account)]
      if (policies.alerts.length === 0) return null
      const known = plans.get(account)
      if (known?.policies === policies && known.checks === checks) return known.plan
      const plan = configuredPlan(options, account)
      plans.set(account, { policies, checks, plan })
      return plan
    },
  }
}

import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { ChannelType } from '../channels/channel.ts'
import { type AlertPlan, planAlerts } from '../decide/plan.ts'

type Configured = { readonly catalogue: Catalogue; readonly channelTypes: readonly ChannelType[] }

/** What the config file says of an account now. */
export function configuredPlan({ catalogue, channelTypes }: Configured, account: string): AlertPlan {
  const repeatEveryMs = (type: string) => channelTypes.find((each) => each.type === type)?.repeatEveryMs ?? null
  const { id, name } = catalogue.account(account) ?? { id: account, name: account }
  return planAlerts({ account: { id, name }, policies: catalogue.policies(account), checks: catalogue.checks(account), repeatEveryMs })
}

/** The plans of accounts with rules, made again where the config file has changed. */
export function configuredPlans(options: Configured) {
  const plans = new WeakMap<object, AlertPlan>()
  return {
    of(account: string): AlertPlan | null {
      const policies = options.catalogue.policies(account)
      if (policies.alerts.length === 0) return null
      const plan = plans.get(policies) ?? configuredPlan(options, account)
      plans.set(policies, plan)
      return plan
    },
  }
}

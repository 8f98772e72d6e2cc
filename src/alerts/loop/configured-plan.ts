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

import type { Env } from '../../config.ts'
import type { Account } from '../catalogue.ts'
import { defaultCertificateDays, defaultSeverity, defaultWaitMs, ruleDefaults, stepDefaults } from '../policies/alert-defaults.ts'
import { managedChannelId } from '../policies/channels.ts'
import type { AlertRule, AlertTrigger, Channel, Policies } from '../policies/policies.ts'
import type { ChannelDefinition } from '../wire/alert-channel.ts'
import { channelKind, parseChannel } from './parse-channel.ts'
import type { CatalogueLayer } from './policy-layer.ts'
import type { ManagedResource } from './resources.ts'

export const channelOf = ({ definition }: Pick<ManagedResource, 'definition'>) => definition as ChannelDefinition

/** Adds the channels managed over the API, with alert rules for the checks subscribed to them. */
export const channelLayer: CatalogueLayer = (below, resources, env) => {
  const known = new Map<string, Known>()
  return {
    policies(accountId) {
      const policies = below.policies(accountId)
      const own = resources.list(channelKind, accountId)
      const account = below.account(accountId)
      if (own.length === 0 || !account) return policies
      const last = known.get(accountId)
      if (last && last.policies === policies && last.own === own && last.account === account) return last.made
      const made = withChannels(policies, own, { account, env })
      known.set(accountId, { policies, own, account, made })
      return made
    },
  }
}

type Known = { readonly policies: Policies; readonly own: readonly ManagedResource[]; readonly account: Account; readonly made: Policies }

/** Leaves out channels with faults, such as a variable that is no longer allowed. */
function withChannels(
  policies: Policies,
  own: readonly ManagedResource[],
  context: { readonly account: Account; readonly env: Env },
): Policies {
  const found = own.flatMap((resource) => {
    const parsed = parseChannel(resource.id, channelOf(resource), { ...context, ofFile: policies.channels })
    return 'channel' in parsed ? [{ resource, channel: parsed.channel }] : []
  })
  return {
    ...policies,
    channels: [...policies.channels, ...found.map(({ channel }) => channel)],
    alerts: [...policies.alerts, ...found.flatMap(({ resource, channel }) => rulesOf(resource, channel))],
  }
}

/** The rules of a channel, for all checks that are subscribed to it. */
export function rulesOf(resource: ManagedResource, { id: channel }: Pick<Channel, 'id'>): readonly AlertRule[] {
  const { sendFailure, sendDegraded, sendRecovery, sslExpiry, sslExpiryThreshold } = channelOf(resource)
  const rule = (when: AlertTrigger, suffix = ''): AlertRule => ({
    id: `${managedChannelId(resource.id)}${suffix}`,
    checks: [],
    tags: [],
    ...ruleDefaults,
    when,
    steps: [{ ...stepDefaults, to: [channel] }],
    remind: null,
    group: { by: 'none', waitMs: defaultWaitMs('none') },
    severity: defaultSeverity(when),
    subscription: Number(resource.id),
    ...(!sendRecovery && { omitsRecovery: true }),
  })
  const days = [sslExpiryThreshold, ...defaultCertificateDays.filter((day) => day < sslExpiryThreshold)]
  return [
    ...(sendFailure ? [rule({ kind: 'failing' })] : []),
    ...(sendDegraded ? [rule({ kind: 'degraded' }, ':degraded')] : []),
    ...(sslExpiry ? [rule({ kind: 'certificate', days }, ':certificate')] : []),
  ]
}

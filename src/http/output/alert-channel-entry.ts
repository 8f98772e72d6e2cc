import { channelTypes } from '../../alerts/channels/registry.ts'
import type { ChannelHealth } from '../../alerts/outbox/alert-records.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { channelOf } from '../../catalogue/managed/channel-layer.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { subscriptionsOf } from '../../catalogue/policies/alert-fields.ts'
import { channelNumber, managedChannelId, shownSettings } from '../../catalogue/policies/channels.ts'
import type { AlertRule, Channel, Policies } from '../../catalogue/policies/policies.ts'
import { channelEntry } from '../../catalogue/wire/alert-channel.ts'
import { channelTitle, shownConfig } from '../../catalogue/wire/shown-channel.ts'
import { exactRedactor } from '../../checks/probe/redact.ts'
import { isoText } from '../../time.ts'

/** Types that existing clients know. Any other type is shown to them as a webhook. */
const knownTypes: readonly string[] = ['EMAIL', 'SLACK', 'WEBHOOK', 'PAGERDUTY']

/** A channel in the format of existing clients. */
export function clientChannel(channel: Channel) {
  if (channel.managed) return { type: channel.managed.type, config: channel.managed.config }
  const ownType = channel.type.toUpperCase()
  const isKnown = knownTypes.includes(ownType)
  return {
    type: isKnown ? ownType : 'WEBHOOK',
    config: {
      name: channel.id,
      ...addressOf(channel),
      ...(isKnown ? {} : { webhookType: `WEBHOOK_${ownType}` }),
      ...shownSettings(channel),
    },
  }
}

/** A channel of the config file. */
export function fileChannelEntry(channel: Channel, account: string, { alerts }: Policies) {
  const rules = alerts.filter(({ steps }) => steps.some(({ to }) => to.includes(channel.id)))
  const has = (...kinds: readonly AlertRule['when']['kind'][]) => rules.some(({ when }) => kinds.includes(when.kind))
  const days = rules.flatMap(({ when }) => (when.kind === 'certificate' ? when.days : []))
  return {
    id: channelNumber(account, channel.id),
    channelId: channel.id,
    name: channel.id,
    channelType: channel.type,
    ...clientChannel(channel),
    subscriptions: [],
    sendRecovery: rules.length > 0,
    sendFailure: has('failing', 'sloBurn', 'silent'),
    sendDegraded: has('degraded'),
    sslExpiry: has('certificate'),
    sslExpiryThreshold: Math.min(30, Math.max(1, ...(days.length === 0 ? [30] : days))),
    autoSubscribe: rules.some(({ checks, tags }) => checks.length === 0 && tags.length === 0),
    created_at: null,
    updated_at: null,
  }
}

/** `keyId` is null for callers that may not write. */
type Reader = { readonly keyId: string | null; readonly checks: readonly Check[] }

/** A managed channel. Its secrets are shown only to the key that sent them. */
export function managedChannelEntry(resource: ManagedResource, { keyId, checks }: Reader) {
  const definition = channelOf(resource)
  const { type, config, secretsOf, ...flags } = definition
  const id = Number(resource.id)
  return {
    id,
    channelId: managedChannelId(resource.id),
    name: channelTitle(definition),
    channelType: String(channelEntry(definition).type),
    type,
    config: secretsOf === keyId ? config : shownConfig(definition),
    subscriptions: subscribersOf(checks).get(id) ?? [],
    ...flags,
    created_at: isoText(resource.createdAt),
    updated_at: isoText(resource.updatedAt),
  }
}

export function healthEntry(health: ChannelHealth | undefined, secrets: readonly string[]) {
  if (!health) return null
  const { state, since, lastAt, answer } = health
  return { state, since: isoText(since), lastAt: isoText(lastAt), answer: exactRedactor(secrets)(answer) }
}

type Subscriber = { readonly checkId: string; readonly groupId: null; readonly activated: boolean }

/** A channel may be subscribed to all checks of an account, so the list is cut. */
const mostSubscribers = 1000
const subscribers = new WeakMap<readonly Check[], ReadonlyMap<number, readonly Subscriber[]>>()

/** The first subscribers of each channel by its number. One pass finds those of all channels. */
function subscribersOf(checks: readonly Check[]): ReadonlyMap<number, readonly Subscriber[]> {
  const known = subscribers.get(checks)
  if (known) return known
  const found = new Map<number, Subscriber[]>()
  for (const check of checks)
    for (const { alertChannelId, activated } of subscriptionsOf(check)) {
      const list = found.get(alertChannelId) ?? []
      found.set(alertChannelId, list)
      if (list.length < mostSubscribers) list.push({ checkId: check.id, groupId: null, activated })
    }
  subscribers.set(checks, found)
  return found
}

function addressOf({ type, settings, secrets }: Channel): { readonly address?: string } {
  const channelType = channelTypes.find((one) => one.type === type)
  return channelType ? { address: exactRedactor(secrets)(channelType.address(settings)) } : {}
}

import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { PolicyEntry } from '../policies/fields.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { readWebhookConfig, webhookSettings } from './webhook-config.ts'

/** A channel managed over the API. It keeps the names of the API, because clients compare responses with their requests. */
export type ChannelDefinition = {
  readonly type: string
  readonly config: WrittenDefinition
  readonly sendRecovery: boolean
  readonly sendFailure: boolean
  readonly sendDegraded: boolean
  readonly sslExpiry: boolean
  readonly sslExpiryThreshold: number
  readonly autoSubscribe: boolean
  /** The id of the key that sent all secrets of the channel, and may read them; absent if no key did. */
  readonly secretsOf?: string
}

type ChannelCodec = {
  readonly read: (config: WireReader) => WrittenDefinition
  /** The equivalent entry of `channels:` in the config file, without an id. */
  readonly entry: (config: WrittenDefinition) => PolicyEntry
  /** Maps JSON pointers into the entry to JSON pointers into the body. */
  readonly pointers: Readonly<Record<string, string>>
}

const codecs: Readonly<Record<string, ChannelCodec>> = {
  EMAIL: {
    read: (config) => present({ address: config.text('address') }),
    // Sent by the mail server of an email channel in the config file.
    entry: ({ address }) => ({ type: 'email', to: [address] }),
    pointers: { '/to': '/config/address' },
  },
  SLACK: {
    // A Slack webhook belongs to one channel, so the channel name has no effect.
    read: (config) => present({ url: config.text('url'), channel: config.text('channel') }),
    entry: ({ url }) => present({ type: 'slack', url }),
    pointers: { '/url': '/config/url' },
  },
  PAGERDUTY: {
    read: (config) =>
      present({ account: config.text('account'), serviceKey: config.text('serviceKey'), serviceName: config.text('serviceName') }),
    entry: ({ serviceKey }) => present({ type: 'pagerduty', routingKey: serviceKey }),
    pointers: { '/routingKey': '/config/serviceKey' },
  },
  WEBHOOK: {
    read: readWebhookConfig,
    entry: webhookSettings,
    pointers: {
      ...Object.fromEntries(['url', 'method', 'headers', 'template'].map((name) => [`/${name}`, `/config/${name}`])),
      '/secrets': '/config/webhookSecret',
    },
  },
}

const unsupported: Readonly<Record<string, string>> = {
  SLACK_APP: 'SLACK_APP is not supported: use SLACK with the URL of an incoming webhook',
  SMS: 'SMS is not supported: use PAGERDUTY, or WEBHOOK to a service that sends messages',
  CALL: 'CALL is not supported: use PAGERDUTY, or WEBHOOK to a service that calls',
  OPSGENIE: 'OPSGENIE is not supported, because its API ends on 2027-04-05: use PAGERDUTY or WEBHOOK',
}

export function readAlertChannel(body: WireReader): ChannelDefinition {
  body.ignore('id', 'channelId', 'name', 'channelType', 'health', 'subscriptions', 'created_at', 'updated_at', 'createdAt', 'updatedAt')
  const type = body.text('type', 100)?.toUpperCase() ?? ''
  const codec = Object.hasOwn(codecs, type) ? codecs[type] : undefined
  if (!codec)
    body.fault(
      'type',
      Object.hasOwn(unsupported, type) ? String(unsupported[type]) : `type must be one of ${Object.keys(codecs).join(', ')}`,
    )
  const threshold = body.number('sslExpiryThreshold') ?? 30
  if (!(Number.isInteger(threshold) && threshold >= 1 && threshold <= 30))
    body.fault('sslExpiryThreshold', 'sslExpiryThreshold must be a number of days from 1 to 30')
  if (!codec) body.ignore('config')
  const config = codec?.read(body.object('config')) ?? {}
  return {
    type,
    config,
    sendRecovery: body.flag('sendRecovery') ?? true,
    sendFailure: body.flag('sendFailure') ?? true,
    sendDegraded: body.flag('sendDegraded') ?? false,
    sslExpiry: body.flag('sslExpiry') ?? false,
    sslExpiryThreshold: threshold,
    autoSubscribe: body.flag('autoSubscribe') ?? false,
  }
}

export function channelEntry({ type, config }: Pick<ChannelDefinition, 'type' | 'config'>): PolicyEntry {
  return codecs[type]?.entry(config) ?? {}
}

/** Maps a pointer into the entry to a pointer into the body. */
export function channelPointer({ type }: Pick<ChannelDefinition, 'type'>, pointer: string): string {
  const found = Object.entries(codecs[type]?.pointers ?? {}).find(([from]) => pointer === from || pointer.startsWith(`${from}/`))
  return found?.[1] ?? '/config'
}

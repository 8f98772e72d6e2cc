import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { PolicyEntry } from '../policies/fields.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { readWebhookConfig, webhookSettings } from './webhook-config.ts'

/** A channel that is written over the API: in its shape, since clients compare what they read with what they sent. */
export type ChannelDefinition = {
  readonly type: string
  readonly config: WrittenDefinition
  readonly sendRecovery: boolean
  readonly sendFailure: boolean
  readonly sendDegraded: boolean
  readonly sslExpiry: boolean
  readonly sslExpiryThreshold: number
  readonly autoSubscribe: boolean
  /** The id of the key that sent all of its secrets, and may read them; absent where no key did. */
  readonly secretsOf?: string
}

type ChannelCodec = {
  readonly read: (config: WireReader) => WrittenDefinition
  /** Its entry of `channels:` in the config file, without an id. */
  readonly entry: (config: WrittenDefinition) => PolicyEntry
  /** JSON pointers into the entry, and where they are in the body. */
  readonly pointers: Readonly<Record<string, string>>
}

const codecs: Readonly<Record<string, ChannelCodec>> = {
  EMAIL: {
    read: (config) => present({ address: config.text('address') }),
    // The server that sends it is that of a channel of the config file.
    entry: ({ address }) => ({ type: 'email', to: [address] }),
    pointers: { '/to': '/config/address' },
  },
  SLACK: {
    // A webhook of Slack belongs to one channel, so that its name changes nothing.
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

/** What there is no channel for, and what to use instead. */
const unsupported: Readonly<Record<string, string>> = {
  SLACK_APP: 'SLACK_APP is not supported: use SLACK with the URL of an incoming webhook',
  SMS: 'SMS is not supported: use PAGERDUTY, or WEBHOOK to a service that sends messages',
  CALL: 'CALL is not supported: use PAGERDUTY, or WEBHOOK to a service that calls',
  OPSGENIE: 'OPSGENIE is not supported, since its API ends on 2027-04-05: use PAGERDUTY or WEBHOOK',
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

/** Its entry of `channels:` in the config file. */
export function channelEntry({ type, config }: Pick<ChannelDefinition, 'type' | 'config'>): PolicyEntry {
  return codecs[type]?.entry(config) ?? {}
}

/** Where a fault of the entry is in the body. */
export function channelPointer({ type }: Pick<ChannelDefinition, 'type'>, pointer: string): string {
  const found = Object.entries(codecs[type]?.pointers ?? {}).find(([from]) => pointer === from || pointer.startsWith(`${from}/`))
  return found?.[1] ?? '/config'
}

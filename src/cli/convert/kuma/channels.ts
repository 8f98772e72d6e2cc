import { isSecretName } from '../../../checks/probe/redact.ts'
import { isMapping } from '../../../collections/mapping.ts'
import { parsedJson } from '../../../text/parsed-json.ts'
import { type ConfigEntry, type ConversionDraft, given } from '../draft.ts'
import { fieldsOf, type InputFields, numberOf, plainText, unreadLines } from '../fields.ts'
import { literalText } from '../written-text.ts'
import type { KumaDatabase, KumaRow } from './database.ts'

/** The converted notification channels of each monitor. */
export type KumaChannels = { of(monitor: number): readonly string[] }

export function kumaChannels(database: KumaDatabase, draft: ConversionDraft): KumaChannels {
  const channels = new Map(database.all('notification').map((row) => [numberOf(row.id), notificationChannel(row, draft)]))
  const byMonitor = new Map<number, string[]>()
  for (const { monitor_id, notification_id } of database.all('monitor_notification')) {
    const [monitor, channel] = [numberOf(monitor_id) ?? -1, channels.get(numberOf(notification_id))]
    const known = byMonitor.get(monitor) ?? []
    if (channel != null && !known.includes(channel)) known.push(channel)
    byMonitor.set(monitor, known)
  }
  return { of: (monitor) => (byMonitor.get(monitor) ?? []).toSorted().slice(0, 100) }
}

type Hide = (name: string, value: string) => string
type Provider = (fields: InputFields, hide: Hide) => ConfigEntry

function notificationChannel(row: KumaRow, draft: ConversionDraft): string | null {
  const name = plainText(row.name) || 'notification'
  const item = `channel ${name}`
  const config = parsedJson(plainText(row.config))
  const type = isMapping(config) ? plainText(config.type) : ''
  const leftOut = (why: string) => draft.leftOut(item, why)
  const provider = providers[type]
  if (numberOf(row.active) === 0) leftOut('It is disabled.')
  else if (!provider) leftOut(`No channel supports ${type || 'this'}. Try a webhook or the Apprise API.`)
  else {
    const fields = fieldsOf(config, { smtpPort: 587 })
    fields.skip('id', 'name', 'type', 'isDefault', 'applyExisting', 'active', 'userId')
    const settings = provider(fields, (field, value) => (value === '' ? '' : draft.secret(`${name} ${field}`, value)))
    const id = draft.addChannel(item, name, settings)
    if (id !== null)
      draft.report(...unreadLines(fields, item, { webhookCustomBody: 'Its template is Liquid; those of webhooks are Handlebars.' }))
    if (id !== null && type === 'webhook') draft.changed(item, null, 'Its payload is different: see webhook in the channels of Tidemark.')
    return id
  }
  return null
}

const providers: Readonly<Record<string, Provider>> = {
  webhook: (fields, hide) => {
    fields.skip('webhookContentType')
    const headers = headersOf(fields.text('webhookAdditionalHeaders'), hide)
    return { type: 'webhook', url: hide('url', fields.text('webhookURL')), ...(Object.keys(headers).length > 0 && { headers }) }
  },
  smtp: (fields, hide) => {
    const security = fields.flag('smtpSecure') ? 'tls' : fields.flag('smtpIgnoreSTARTTLS') ? 'none' : 'starttls'
    const [username, password] = [fields.text('smtpUsername'), fields.text('smtpPassword')]
    return {
      type: 'email',
      host: literalText(fields.text('smtpHost')),
      ...given('port', fields.number('smtpPort')),
      security,
      ...given('username', literalText(username)),
      ...given('password', hide('password', password)),
      from: literalText(mailbox(fields.text('smtpFrom'))),
      to: listOf(fields.text('smtpTo')).map(literalText),
    }
  },
  slack: (fields, hide) => ({ type: 'slack', url: hide('url', fields.text('slackwebhookURL')) }),
  discord: (fields, hide) => {
    const isThread = fields.text('discordChannelType') === 'postToThread'
    const thread = fields.text('threadId')
    return { type: 'discord', url: hide('url', fields.text('discordWebhookUrl')), ...(isThread && given('threadId', thread)) }
  },
  telegram: (fields, hide) => {
    const server = fields.text('telegramServerUrl')
    return {
      type: 'telegram',
      token: hide('token', fields.text('telegramBotToken')),
      chat: fields.text('telegramChatID'),
      ...given('thread', fields.number('telegramMessageThreadID')),
      ...(server !== 'https://api.telegram.org' && given('url', literalText(server))),
    }
  },
  ntfy: (fields, hide) => {
    const isToken = fields.text('ntfyAuthenticationMethod') === 'accessToken'
    const server = fields.text('ntfyserverurl')
    return {
      type: 'ntfy',
      topic: hide('topic', fields.text('ntfytopic')),
      ...(server !== 'https://ntfy.sh' && given('url', literalText(server))),
      ...(isToken && given('token', hide('token', fields.text('ntfyaccesstoken')))),
      ...given('priority', fields.number('ntfyPriority')),
    }
  },
  PagerDuty: (fields, hide) => {
    const region = /\beu\b/i.test(fields.text('pagerdutyIntegrationUrl')) ? 'eu' : ''
    return { type: 'pagerduty', routingKey: hide('key', fields.text('pagerdutyIntegrationKey')), ...given('region', region) }
  },
  teams: (fields, hide) => ({ type: 'teams', url: hide('url', fields.text('webhookUrl')) }),
  matrix: (fields, hide) => ({
    type: 'matrix',
    url: literalText(fields.text('homeserverUrl')),
    room: literalText(fields.text('internalRoomId')),
    token: hide('token', fields.text('accessToken')),
  }),
  gotify: (fields, hide) => ({
    type: 'gotify',
    url: literalText(fields.text('gotifyserverurl')),
    token: hide('token', fields.text('gotifyapplicationToken')),
    ...given('priority', fields.number('gotifyPriority')),
  }),
  pushover: (fields, hide) => ({
    type: 'pushover',
    token: hide('token', fields.text('pushoverapptoken')),
    user: hide('user', fields.text('pushoveruserkey')),
    ...given('device', fields.text('pushoverdevice')),
    ...given('sound', fields.text('pushoversounds')),
    ...given('priority', fields.number('pushoverpriority')),
  }),
}

const listOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]

/** Removes the quotes of `"Name" <address>`, which the config file does not accept. */
const mailbox = (text: string) => text.trim().replace(/^"([^"]*)"\s*</, '$1 <')

function headersOf(text: string, hide: Hide): Readonly<Record<string, string>> {
  const parsed = text === '' ? {} : parsedJson(text)
  const entries = Object.entries(isMapping(parsed) ? parsed : {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSecretName(name) ? hide(name, plainText(value)) : literalText(plainText(value))]),
  )
}

import { isSecretName } from '../../../checks/probe/redact.ts'
import { isMapping, type Mapping } from '../../../collections/mapping.ts'
import { type ConfigEntry, type ConversionDraft, given } from '../draft.ts'
import { configDuration, parseDuration } from '../durations.ts'
import { fieldsOf, type InputFields, numberOf, plainText, unreadLines } from '../fields.ts'
import type { GatusTexts } from './variables.ts'

type Owner = { readonly item: string; readonly group: string }

export type GatusAlerts = { rulesOf(alerts: readonly unknown[], owner: Owner): readonly string[] }

type AlertContext = { readonly draft: ConversionDraft; readonly texts: GatusTexts }

export function gatusAlerts(alerting: unknown, context: AlertContext): GatusAlerts {
  const { draft } = context
  const declared: Mapping = isMapping(alerting) ? alerting : {}
  /** Channel ids by provider and settings; null if the provider has no channel. */
  const channels = new Map<string, string | null>()
  function channelOf(type: string, group: string, override: unknown): string | null {
    const settings = settingsFor(isMapping(declared[type]) ? declared[type] : {}, group, override)
    const key = JSON.stringify([type, settings])
    const known = channels.get(key)
    if (known !== undefined) return known
    const isOwn = JSON.stringify(settings) !== JSON.stringify(settingsFor(isMapping(declared[type]) ? declared[type] : {}, '', undefined))
    const made = newChannel(type, isOwn && group !== '' ? `${type} ${group}` : type, settings, context)
    channels.set(key, made)
    return made
  }
  const rulesOf: GatusAlerts['rulesOf'] = (alerts, owner) =>
    alerts.filter(isMapping).flatMap((alert) => {
      const type = plainText(alert.type)
      const byDefault = isMapping(declared[type]) && isMapping(declared[type]['default-alert']) ? declared[type]['default-alert'] : {}
      return ruleOf({ ...byDefault, ...alert }, owner, { draft, channelOf: (override) => channelOf(type, owner.group, override) })
    })
  for (const type of Object.keys(declared)) if (isMapping(declared[type])) channelOf(type, '', undefined)
  return { rulesOf }
}

/** Settings of a provider after overrides for a group and an alert. */
function settingsFor(provider: Mapping, group: string, override: unknown): Mapping {
  const { overrides, 'default-alert': _, ...settings } = provider
  const ofGroup = Array.isArray(overrides)
    ? overrides.filter(isMapping).find((one) => plainText(one.group) === group && group !== '')
    : undefined
  const { group: __, ...own } = ofGroup ?? {}
  return { ...settings, ...own, ...(isMapping(override) ? override : {}) }
}

type Made = { readonly draft: ConversionDraft; readonly channelOf: (override: unknown) => string | null }

const maxRuns = 1000
const maxReminders = 1000

function ruleOf(alert: Mapping, { item }: Owner, { draft, channelOf }: Made): readonly string[] {
  const fields = fieldsOf(alert, { enabled: true, 'send-on-resolved': false })
  const type = fields.text('type')
  const [failures, successes] = [runs(fields.take('failure-threshold'), 3), runs(fields.take('success-threshold'), 2)]
  const remindMs = parseDuration(fields.text('minimum-reminder-interval') || '0')
  const report = (outcome: 'changed' | 'lost', field: string, why: string) =>
    draft.report({ item, field: `alerts.${type}${field}`, outcome, why })
  const override = fields.take('provider-override')
  if (fields.take('enabled') === false) {
    report('lost', '', 'It is disabled.')
    return []
  }
  const channel = channelOf(override)
  if (channel === null) {
    report('lost', '', 'Its channel was not converted.')
    return []
  }
  const sendsRecovery = fields.flag('send-on-resolved')
  if (!sendsRecovery) report('changed', '.send-on-resolved', 'Recoveries are always sent.')
  const remindsMs = remindMs === null || remindMs <= 0 ? null : Math.min(30 * 86_400_000, Math.max(60_000, remindMs))
  if (remindsMs !== null && remindsMs !== remindMs)
    report('changed', '.minimum-reminder-interval', 'Reminders are sent at least a minute and at most 30 days apart.')
  for (const { field, why } of unreadLines(fields, item, { description: 'Custom message descriptions are not supported.' }))
    report('lost', `.${field}`, why)
  return [
    draft.addRule(`${channel}-${failures}-${successes}`, {
      to: [channel],
      after: { runs: failures },
      recoverAfter: { runs: successes },
      ...(remindsMs !== null && { remind: { every: configDuration(remindsMs), times: maxReminders } }),
    }),
  ]
}

const runs = (value: unknown, byDefault: number) => Math.min(maxRuns, Math.max(1, Math.round(numberOf(value) ?? byDefault) || byDefault))

type Hide = (name: string, text: string) => string
type Provider = (fields: InputFields, hide: Hide, write: (text: string) => string) => ConfigEntry

function newChannel(type: string, name: string, settings: Mapping, { draft, texts }: AlertContext): string | null {
  const item = `channel ${name}`
  const provider = Object.hasOwn(providers, type) ? providers[type] : undefined
  if (!provider) {
    draft.leftOut(item, `No channel supports ${type || 'this'}. Try a webhook or the Apprise API.`)
    return null
  }
  const fields = fieldsOf(settings)
  const made = provider(fields, (field, text) => texts.hide(`${name} ${field}`, text), texts.write)
  const id = draft.addChannel(item, name, made)
  if (id !== null) draft.report(...unreadLines(fields, item, { title: 'Custom message titles are not supported.' }))
  if (id !== null && type === 'custom')
    draft.changed(item, null, 'It is called with POST or PUT and another body: see webhook in the channels of Tidemark.')
  return id
}

const providers: Readonly<Record<string, Provider>> = {
  slack: (fields, hide) => ({ type: 'slack', url: hide('url', fields.text('webhook-url')) }),
  discord: (fields, hide) => ({ type: 'discord', url: hide('url', fields.text('webhook-url')) }),
  'teams-workflows': (fields, hide) => ({ type: 'teams', url: hide('url', fields.text('webhook-url')) }),
  telegram: (fields, hide, write) => ({
    type: 'telegram',
    token: hide('token', fields.text('token')),
    chat: write(fields.text('id')),
    ...given('thread', numberOf(fields.text('topic-id'))),
    ...given('url', write(fields.text('api-url'))),
  }),
  ntfy: (fields, hide, write) => ({
    type: 'ntfy',
    topic: hide('topic', fields.text('topic')),
    ...given('url', write(fields.text('url'))),
    ...given('token', hide('token', fields.text('token'))),
    ...given('priority', fields.number('priority')),
  }),
  pagerduty: (fields, hide) => ({ type: 'pagerduty', routingKey: hide('key', fields.text('integration-key')) }),
  matrix: (fields, hide, write) => ({
    type: 'matrix',
    url: write(fields.text('server-url') || 'https://matrix-client.matrix.org'),
    room: write(fields.text('internal-room-id')),
    token: hide('token', fields.text('access-token')),
  }),
  gotify: (fields, hide, write) => ({
    type: 'gotify',
    url: write(fields.text('server-url')),
    token: hide('token', fields.text('token')),
    ...given('priority', fields.number('priority')),
  }),
  pushover: (fields, hide, write) => ({
    type: 'pushover',
    token: hide('token', fields.text('application-token')),
    user: hide('user', fields.text('user-key')),
    ...given('device', write(fields.text('device'))),
    ...given('sound', write(fields.text('sound'))),
    ...given('priority', fields.number('priority')),
  }),
  email: (fields, hide, write) => {
    const [from, password, port] = [fields.text('from'), fields.text('password'), fields.number('port')]
    const username = fields.text('username') || (password === '' ? '' : from)
    return {
      type: 'email',
      host: write(fields.text('host')),
      ...given('port', port),
      security: port === 465 ? 'tls' : 'starttls',
      ...given('username', write(username)),
      ...given('password', hide('password', password)),
      from: write(from),
      to: [
        ...new Set(
          fields
            .text('to')
            .split(',')
            .map((one) => write(one.trim())),
        ),
      ],
    }
  },
  custom: (fields, hide, write) => {
    const method = (fields.text('method') || 'GET').toUpperCase()
    const headers = fields.take('headers')
    const entries = Object.entries(isMapping(headers) ? headers : {}).map(([name, value]) => {
      const text = plainText(value)
      return [name, isSecretName(name) ? hide(name, text) : write(text)] as const
    })
    return {
      type: 'webhook',
      url: hide('url', fields.text('url')),
      ...(method === 'PUT' && { method }),
      ...(entries.length > 0 && { headers: Object.fromEntries(entries) }),
    }
  },
}

import { isSecretName } from '../../../checks/probe/redact.ts'
import { isMapping } from '../../../collections/mapping.ts'
import type { ConfigEntry, ConversionDraft } from '../draft.ts'
import { fieldsOf, type InputFields, plainText, unreadLines } from '../fields.ts'
import type { ReportLine } from '../report.ts'
import { literalText } from '../written-text.ts'
import type { CheckBody } from './checks.ts'
import type { AccountBodies } from './read-account.ts'

type Converted = ReadonlyMap<string, { readonly id: string; readonly body: CheckBody }>

/** Adds the channels, and for each check a rule that notifies the channels it is subscribed to. */
export function convertAlerts({ channels, groups }: AccountBodies, checks: Converted, draft: ConversionDraft): void {
  const made = channels.map((body) => ({ body, id: channelOf(body, draft) }))
  const settingsOfGroup = new Map(groups.map((group) => [plainText(group.id), group]))
  for (const { id, body } of checks.values()) {
    const to = made.flatMap((channel) => (channel.id !== null && isSubscribed(channel.body, body) ? [channel.id] : []))
    const own = body.useGlobalAlertSettings === false ? body : settingsOfGroup.get(plainText(body.groupId))
    const settings = own?.useGlobalAlertSettings === false && isMapping(own.alertSettings) ? own.alertSettings : {}
    const { rule, lines } = ruleOf(settings, plainText(body.name) || id)
    if (to.length > 0) draft.report(...lines)
    draft.setAlerts(id, to.length === 0 ? [] : [draft.addRule(`failing-${to.join('-')}`.slice(0, 60), { to, ...rule })])
  }
}

function isSubscribed({ subscriptions }: CheckBody, check: CheckBody): boolean {
  const all = Array.isArray(subscriptions) ? subscriptions.filter(isMapping) : []
  return all.some(
    ({ activated, checkId, groupId }) =>
      activated !== false &&
      ((checkId != null && plainText(checkId) === plainText(check.id)) ||
        (groupId != null && plainText(groupId) === plainText(check.groupId))),
  )
}

/** Converts `after` and `remind` of a rule, and reports the other settings. */
function ruleOf(settings: CheckBody, item: string): { readonly rule: ConfigEntry; readonly lines: readonly ReportLine[] } {
  const fields = fieldsOf(settings)
  // These settings have no effect while they are disabled.
  for (const name of ['parallelRunFailureThreshold', 'sslCertificates']) if (!fieldsOf(settings[name]).flag('enabled')) fields.skip(name)
  const isTimed = fields.text('escalationType') === 'TIME_BASED'
  const runs = fields.inside('runBasedEscalation').number('failedRunThreshold') ?? 1
  const minutes = fields.inside('timeBasedEscalation').number('minutesFailingThreshold') ?? 5
  const reminders = fields.inside('reminders')
  const [times, every] = [reminders.number('amount') ?? 0, reminders.number('interval') ?? 5]
  const rule = {
    ...(isTimed && { after: { time: `${Math.min(10_080, Math.max(1, Math.round(minutes)))}m` } }),
    ...(!isTimed && runs > 1 && { after: { runs: Math.min(1000, Math.round(runs)) } }),
    ...(times > 0 && {
      remind: { every: `${Math.min(43_200, Math.max(1, Math.round(every)))}m`, times: Math.min(1000, Math.round(times)) },
    }),
  }
  const lines = unreadLines(fields, item, {
    parallelRunFailureThreshold: 'A rule counts locations by its quorum.',
    sslCertificates: 'For certificates, add a rule with when: certificate.',
  })
  return { rule, lines: lines.map((line) => ({ ...line, field: `alertSettings.${line.field}` })) }
}

type Hide = (name: string, value: string) => string

function channelOf(body: CheckBody, draft: ConversionDraft): string | null {
  const type = plainText(body.type)
  const fields = fieldsOf(body, { sendRecovery: true, sendFailure: true, sslExpiryThreshold: 30 })
  const config = fields.inside('config')
  const name = config.text('name') || config.text('serviceName') || `${type} ${plainText(body.id)}`
  const item = `channel ${name}`
  fields.skip('id', 'type', 'subscriptions', 'created_at', 'updated_at', 'createdAt', 'updatedAt')
  const provider = Object.hasOwn(providers, type) ? providers[type] : undefined
  if (!provider) {
    const why =
      type === 'EMAIL' ? 'An e-mail channel requires a mail server: add one with host, from and to.' : `No channel supports ${type}.`
    draft.leftOut(item, why)
    return null
  }
  const settings = provider(config, (field, value) => (value === '' ? '' : draft.secret(`${name} ${field}`, value)))
  const id = draft.addChannel(item, name, settings)
  if (id !== null) draft.report(...unreadLines(fields, item, reasons))
  return id
}

const reasons: Readonly<Record<string, string>> = {
  sendDegraded: 'For degraded checks, add a rule with when: degraded.',
  sslExpiry: 'For certificates, add a rule with when: certificate.',
  sslExpiryThreshold: 'For certificates, add a rule with when: certificate.',
  'config.channel': 'A webhook of Slack belongs to one channel.',
  'config.template': 'Templates of webhooks are set with template.',
}

const providers: Readonly<Record<string, (config: InputFields, hide: Hide) => ConfigEntry>> = {
  SLACK: (config, hide) => ({ type: 'slack', url: hide('url', config.text('url')) }),
  PAGERDUTY: (config, hide) => {
    config.skip('account', 'serviceName')
    return { type: 'pagerduty', routingKey: hide('key', config.text('serviceKey')) }
  },
  WEBHOOK: (config, hide) => {
    const headers = config
      .list('headers')
      .filter(isMapping)
      .map(({ key, value }) => {
        const [header, text] = [plainText(key), plainText(value)]
        return [header, isSecretName(header) ? hide(header, text) : literalText(text)] as const
      })
    config.skip('webhookType')
    const method = config.text('method').toUpperCase()
    return {
      type: 'webhook',
      url: hide('url', config.text('url')),
      ...(method === 'PUT' && { method }),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    }
  },
}

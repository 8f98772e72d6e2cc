import { channelOf, rulesOf } from '../../../catalogue/managed/channel-layer.ts'
import { channelKind, parseChannel } from '../../../catalogue/managed/parse-channel.ts'
import type { ManagedResource } from '../../../catalogue/managed/resources.ts'
import { isSubscribed, type WithAlertFields } from '../../../catalogue/policies/alert-fields.ts'
import type { PolicyEntry } from '../../../catalogue/policies/fields.ts'
import type { AlertRule, Channel } from '../../../catalogue/policies/policies.ts'
import { ruleForCheck } from '../../../catalogue/policies/subscriptions.ts'
import { channelEntry } from '../../../catalogue/wire/alert-channel.ts'
import { channelSecrets, channelTitle } from '../../../catalogue/wire/shown-channel.ts'
import { mapTexts } from '../../../catalogue/written-definition.ts'
import { shortDuration } from '../../../checks/wire.ts'
import { grouped } from '../../../collections/lists.ts'
import { withoutVariables } from '../../../text/variable-references.ts'
import { dayMs, minuteMs } from '../../../time.ts'
import { type AccountExport, isExported } from './export-context.ts'
import { hideValues } from './hide-values.ts'
import { renameVariables } from './rename-variables.ts'

/** The parts of a check that alerts depend on. */
export type AlertPart = WithAlertFields & { readonly id: string; readonly locations: readonly string[]; readonly runParallel: boolean }

type AlertEntries = {
  readonly channels: readonly { readonly number: number; readonly entry: PolicyEntry }[]
  readonly alerts: readonly (PolicyEntry & { readonly id: string; readonly checks: readonly string[] })[]
}

/** The config file accepts no more. */
const maxRules = 1000

/** Exports channels as config entries, with a rule for the checks that are subscribed to each. */
export function exportAlerts(checks: readonly AlertPart[], context: AccountExport): AlertEntries {
  const exported = context.resources.list(channelKind, context.account.id).flatMap((resource) => {
    const entry = exportChannel(resource, context)
    return entry ? [{ number: Number(resource.id), entry, rules: exportRules(resource, { to: entry.id, checks, context }) }] : []
  })
  const alerts = exported.flatMap(({ rules }) => rules)
  for (const { id, checks: alerted } of alerts.slice(maxRules))
    context.note(`alert rule ${id}`, `left out: a file has at most ${maxRules}; it alerts on ${alerted.join(', ')}`)
  return { channels: exported, alerts: alerts.slice(0, maxRules) }
}

const whatOf = (resource: ManagedResource) => `alert channel ${resource.id} (${channelTitle(channelOf(resource))})`

function exportChannel(resource: ManagedResource, context: AccountExport): (PolicyEntry & { readonly id: string }) | null {
  const { account, env, config, names, scope } = context
  const definition = channelOf(resource)
  const what = whatOf(resource)
  const ofFile = config.policies.get(account.id)?.channels ?? []
  const parsed = parseChannel(resource.id, definition, { ...context, ofFile })
  const { template, ...own } = channelEntry(definition)
  if (!isExported({ what, faults: 'faults' in parsed ? parsed.faults : [], part: own, scope }, { ...context, env })) return null
  const { type, ...settings } = own
  const whole = type === 'email' ? { ...literal(mailServer(ofFile)), ...settings } : settings
  const hidden = 'channel' in parsed ? parsed.channel.secrets : channelSecrets(definition)
  const id = `channel-${resource.id}`
  const written = hideValues(renameVariables(whole, { scope, names, owner: id }), { hidden, owner: id, names })
  return { id, type, ...written, ...(typeof template === 'string' && { template: withoutVariables(template) }) }
}

const mailServer = (channels: readonly Channel[]): PolicyEntry => channels.find(({ type }) => type === 'email')?.settings ?? {}

type Ruling = { readonly to: string; readonly checks: readonly AlertPart[]; readonly context: AccountExport }

function exportRules(resource: ManagedResource, { to, checks, context: { note } }: Ruling) {
  const what = whatOf(resource)
  const { sendRecovery, autoSubscribe } = channelOf(resource)
  const subscribed = checks.filter((check) => isSubscribed(check, Number(resource.id)))
  if (autoSubscribe) note(what, 'autoSubscribe is not supported in a file: add new checks to its rules')
  if (subscribed.length === 0) note(what, 'no check is subscribed to it, so no rule refers to it')
  else if (!sendRecovery) note(what, 'rules in a file always notify of recoveries: sendRecovery: false is not supported')
  return rulesOf(resource, { id: to }).flatMap((rule) => {
    const variants = grouped(subscribed, (check) => JSON.stringify(withinLimits(ruleForCheck(rule, check))))
    return [...variants.values()].map((alerted, index) => {
      const [first] = alerted
      const settled = first ? ruleForCheck(rule, first) : rule
      const id = `${to}${rule.when.kind === 'failing' ? '' : `-${rule.when.kind}`}${index === 0 ? '' : `-${index + 1}`}`
      const entry = ruleEntry(withinLimits(settled))
      if (JSON.stringify(ruleEntry(settled)) !== JSON.stringify(entry))
        note(what, `a rule of a file has at most 1,000 runs or 7 days, and 1,000 reminders, at most 30 days apart: ${id} has that`)
      return { id, checks: alerted.map((check) => check.id), ...entry, to: [to] }
    })
  })
}

function withinLimits(rule: AlertRule): AlertRule {
  const { after, remind } = rule
  return {
    ...rule,
    after: 'runs' in after ? { runs: clamped(after.runs) } : { timeMs: Math.min(Math.max(after.timeMs, minuteMs), 7 * dayMs) },
    remind: remind && { everyMs: Math.min(Math.max(remind.everyMs, minuteMs), 30 * dayMs), times: clamped(remind.times) },
  }
}

const clamped = (count: number) => Math.min(Math.max(count, 1), 1000)

/** The non-default settings of a rule. */
function ruleEntry({ when, after, quorum, remind }: AlertRule): PolicyEntry {
  const countsRuns = when.kind === 'failing' || when.kind === 'degraded'
  return {
    ...(when.kind === 'certificate' ? { when: { certificate: { days: when.days } } } : when.kind !== 'failing' && { when: when.kind }),
    ...(countsRuns && !('runs' in after && after.runs === 1) && { after: 'runs' in after ? after : { time: shortDuration(after.timeMs) } }),
    ...(countsRuns && quorum !== 1 && { quorum }),
    ...(remind && { remind: { every: shortDuration(remind.everyMs), times: remind.times } }),
  }
}

/** Escapes a resolved value for the file. */
const literal = (value: PolicyEntry) => mapTexts(value, '', withoutVariables) as PolicyEntry

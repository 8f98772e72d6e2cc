import { shownSettings } from '../../catalogue/policies/channels.ts'
import type { AlertRule, MaintenancePolicy, Policies, Slo } from '../../catalogue/policies/policies.ts'
import { exactRedactor } from '../../checks/probe/redact.ts'
import { isoText } from '../../time.ts'
import { ruleEntry } from './rule-entry.ts'

export const policyKinds = ['maintenance', 'serviceHours', 'slo', 'channel', 'alert', 'canary', 'deadManSwitch', 'agentLocation'] as const

/** A definition of the config file other than a check. Names within a kind may repeat. */
type PolicyDefinition = {
  readonly kind: (typeof policyKinds)[number]
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

/** What the config file defines for an account besides checks and keys. Excludes secrets and managed resources. */
export function policyDefinitions(policies: Policies, agentLocations: readonly string[]): readonly PolicyDefinition[] {
  const { maintenance, serviceHours, slos, channels, alerts, canaries, deadManSwitch } = policies
  return [
    ...maintenance.filter(({ isManaged }) => !isManaged).map(maintenanceDefinition),
    ...serviceHours.map(({ name, days, fromMinutes, toMinutes, zone }) =>
      definition('serviceHours', name, { days, from: minutesText(fromMinutes), to: minutesText(toMinutes), timezone: zone.name }),
    ),
    ...slos.map(sloDefinition),
    ...channels
      .filter(({ managed }) => !managed)
      .map((channel) => definition('channel', channel.id, { type: channel.type, ...shownSettings(channel) })),
    ...alerts.filter(({ subscription }) => subscription === undefined).map(ruleDefinition),
    ...canaries.map(({ location, targets }) => definition('canary', location, { targets })),
    ...(deadManSwitch
      ? [
          definition('deadManSwitch', 'deadManSwitch', {
            url: exactRedactor(deadManSwitch.secrets)(deadManSwitch.url),
            everySeconds: deadManSwitch.everyMs / 1000,
          }),
        ]
      : []),
    ...agentLocations.map((location) => definition('agentLocation', location, {})),
  ]
}

const definition = (kind: PolicyDefinition['kind'], name: string, fields: PolicyDefinition['definition']): PolicyDefinition => ({
  kind,
  name,
  definition: fields,
})

function maintenanceDefinition(policy: MaintenancePolicy): PolicyDefinition {
  return definition('maintenance', policy.name, { ...timesOf(policy), checks: policy.checks, tags: policy.tags })
}

function timesOf(policy: MaintenancePolicy) {
  if ('every' in policy) {
    const { every, atMinutes, forMs, zone } = policy
    return { every, ...('on' in policy && { on: policy.on }), at: minutesText(atMinutes), forSeconds: forMs / 1000, timezone: zone.name }
  }
  const span = { from: isoText(policy.from), to: isoText(policy.to) }
  if (!('repeat' in policy)) return span
  const { unit, interval, until } = policy.repeat
  return { ...span, repeat: { every: unit, interval, until: until === null ? null : isoText(until) }, timezone: policy.zone.name }
}

function sloDefinition({ id, name, checks, tags, objective, window }: Slo): PolicyDefinition {
  const shown = window.kind === 'rolling' ? window.duration : { calendar: window.unit, timezone: window.zone.name }
  return definition('slo', id, { name, checks, tags, objective, window: shown })
}

function ruleDefinition(rule: AlertRule): PolicyDefinition {
  const { id, checkCount: _, subscription: __, ...fields } = ruleEntry(rule, null)
  const burns = rule.when.kind === 'sloBurn' ? rule.when.pairs.map(burnOf) : []
  return definition('alert', id, { ...fields, burns })
}

const burnOf = ({ factor, longMs, shortMs }: { readonly factor: number; readonly longMs: number; readonly shortMs: number }) => ({
  factor,
  longSeconds: longMs / 1000,
  shortSeconds: shortMs / 1000,
})

/** Minutes after midnight as `02:30`. */
export const minutesText = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

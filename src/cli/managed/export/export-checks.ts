import {
  defaultsOf,
  findGroup,
  type GroupDefinition,
  groupIdOf,
  groupKind,
  withGroup,
  withGroupParts,
} from '../../../catalogue/managed/check-group.ts'
import type { ParsedCheck } from '../../../catalogue/managed/parse-managed.ts'
import { subscriptionsOf, type WithAlertFields } from '../../../catalogue/policies/alert-fields.ts'
import { declaredSecrets, hiddenTexts, variablesOf, type WrittenDefinition } from '../../../catalogue/written-definition.ts'
import { checkTypes } from '../../../checks/registry.ts'
import { judgeStored } from '../../../managed/judge-stored.ts'
import type { ManagedDocument } from '../../../managed/managed-document.ts'
import type { AlertPart } from './export-alerts.ts'
import { type AccountExport, isExported } from './export-context.ts'
import { hideValues } from './hide-values.ts'
import { nearerScope, renameVariables, type VariableScope } from './rename-variables.ts'

export type CheckDocument = { readonly id: string; readonly document: ManagedDocument }

type ExportedCheck = {
  readonly id: string
  /** The stored definition, without inherited settings. */
  readonly own: WrittenDefinition
  /** The definition including inherited settings. */
  readonly whole: WrittenDefinition
  readonly group: OwnGroup | null
  readonly parsed: ParsedCheck
  readonly scope: VariableScope
  /** Whether an inherited variable may have a different value than in the group. */
  readonly hasVariables: boolean
}

type OwnGroup = { readonly id: string; readonly definition: GroupDefinition }

/** The active checks, in the order of creation. */
export function activeChecks(stored: readonly CheckDocument[], context: AccountExport): readonly ExportedCheck[] {
  const scopes = new Map(groupsOf(context).map((group) => [group.id, scopeOf(group, context)]))
  const { account, config, env, resources, vault } = context
  return stored
    .toSorted((a, b) => a.document.createdAt - b.document.createdAt)
    .flatMap(({ id, document }) => {
      const { groupId: _, variables: __, ...own } = document.definition
      const variables = variablesOf(document.definition)
      const groupId = groupIdOf(document.definition)
      const definition = findGroup(resources, account.id, groupId)
      const group = definition && { id: String(groupId), definition }
      const whole = definition ? withGroup(own, definition, checkTypes) : own
      const outer = (group && scopes.get(group.id)) ?? context.scope
      const scope = variables ? nearerScope(variables, { kind: 'check', owner: `check ${id}`, account: account.id, outer, vault }) : outer
      const parsed = judgeStored(id, document, { account, env, resources, vault, service: config.service })
      const faults = 'faults' in parsed ? parsed.faults : []
      if (!isExported({ what: `check ${id}`, faults, part: whole, scope }, context)) return []
      return [{ id, own, whole, group, parsed, scope, hasVariables: variables !== undefined }]
    })
}

function groupsOf({ resources, account }: AccountExport): readonly OwnGroup[] {
  return resources.list(groupKind, account.id).map(({ id, definition }) => ({ id, definition: definition as GroupDefinition }))
}

function scopeOf({ id, definition }: OwnGroup, { account, scope, vault }: AccountExport): VariableScope {
  return nearerScope(definition, { kind: 'check-group', owner: `group ${id}`, account: account.id, outer: scope, vault })
}

export function alertPartOf({ id, whole }: ExportedCheck): AlertPart {
  const { locations = [], runParallel = false, clientFields } = whole as Partial<AlertPart> & WithAlertFields
  return { id, locations: locations ?? [], runParallel, ...(clientFields && { clientFields }) }
}

type Exporting = {
  /** Rules of the file that alert on each check. */
  readonly rules: ReadonlyMap<string, readonly string[]>
  readonly channels: ReadonlySet<number>
  readonly context: AccountExport
}

/** The sections `groups` and `checks` of an account. */
export function exportChecks(checks: readonly ExportedCheck[], { rules, channels, context }: Exporting) {
  const ids = new Set(checks.map(({ id }) => id))
  const entryOf = (check: ExportedCheck) => {
    for (const { alertChannelId } of subscriptionsOf(check.whole as WithAlertFields))
      if (!channels.has(alertChannelId))
        context.note(`check ${check.id}`, `it is subscribed to the channel ${alertChannelId}, which is not exported`)
    return checkEntry(check, { ids, rules: rules.get(check.id) ?? [], context })
  }
  const groups = groupsOf(context).map((group) => {
    const own = checks.filter((check) => check.group?.id === group.id).map(entryOf)
    const { request, environment, name } = group.definition
    const what = `group ${group.id} (${name})`
    if (own.length === 0 && (request || environment))
      context.note(what, 'it has no checks; its requests and variables are left out, since groups in a file have none')
    const defaults = withoutReferences(defaultsOf(group.definition), { what, ids, context })
    const renamed = renameVariables(
      { name, defaults },
      { scope: scopeOf(group, context), names: context.names, owner: `group ${group.id}` },
    )
    return { id: group.id, name: renamed.name, ...(Object.keys(defaults).length > 0 && { defaults: renamed.defaults }), checks: own }
  })
  const alone = checks.filter(({ group }) => group === null).map(entryOf)
  return { ...(groups.length > 0 && { groups }), ...(alone.length > 0 && { checks: alone }) }
}

type EntryContext = { readonly ids: ReadonlySet<string>; readonly rules: readonly string[]; readonly context: AccountExport }

function checkEntry(
  { id, own, whole, group, parsed, scope, hasVariables }: ExportedCheck,
  { ids, rules, context }: EntryContext,
): WrittenDefinition {
  const { names } = context
  const what = `check ${id}`
  const inherits = group !== null && !hasVariables
  const parts = inherits ? withGroupParts(own, group.definition, checkTypes) : { ...own, ...whole }
  const given = withoutNulls(parts, group?.definition.defaults)
  const { id: _, type, clientFields, ...rest } = withoutReferences({ ...given, id }, { what, ids, context })
  const checkType = checkTypes.find((one) => one.type === type)
  const hidden = 'check' in parsed ? hiddenTexts(parsed.check) : declaredSecrets(whole, checkType)
  const settings = hideValues(renameVariables(rest, { scope, names, owner: id }), { hidden, owner: id, names })
  const fields = withoutAlerts(clientFields)
  const namesRules = whole.alerts !== undefined && whole.alerts !== null
  return { id, type, ...settings, ...(fields && { clientFields: fields }), ...(namesRules && { alerts: rules }) }
}

/** In a file, null overrides an inherited setting. */
function withoutNulls(own: WrittenDefinition, defaults: WrittenDefinition = {}): WrittenDefinition {
  const ofType = { ...defaults, ...Object(defaults[String(own.type)]) }
  return Object.fromEntries(Object.entries(own).filter(([name, value]) => value !== null || Object.hasOwn(ofType, name)))
}

type Naming = { readonly what: string; readonly ids: ReadonlySet<string>; readonly context: AccountExport }

/** Drops references to items that are not exported: rules of the config file, and `dependsOn` of other checks. */
function withoutReferences({ alerts, dependsOn, ...rest }: WrittenDefinition, { what, ids, context }: Naming): WrittenDefinition {
  if (Array.isArray(alerts) && alerts.length > 0)
    context.note(what, `alerts: ${alerts.join(', ')} is left out: these rules are not managed`)
  const others = Array.isArray(dependsOn) ? dependsOn.filter((other) => !ids.has(other)) : []
  if (others.length > 0) context.note(what, `dependsOn: ${others.join(', ')} is left out: these checks are not exported`)
  const left = Array.isArray(dependsOn) ? dependsOn.filter((other) => ids.has(other)) : dependsOn
  const ofTypes = checkTypes
    .filter(({ type }) => typeof rest[type] === 'object' && rest[type] !== null)
    .map(({ type }) => [type, withoutReferences(rest[type] as WrittenDefinition, { what, ids, context })])
  return { ...rest, ...Object.fromEntries(ofTypes), ...(dependsOn !== undefined && { dependsOn: left }) }
}

/** Drops alert settings, because rules of the file replace them. */
function withoutAlerts(clientFields: unknown): WrittenDefinition | null {
  if (typeof clientFields !== 'object' || clientFields === null) return null
  const { alertChannelSubscriptions: _, alertSettings: __, useGlobalAlertSettings: ___, ...rest } = clientFields as WrittenDefinition
  return Object.keys(rest).length > 0 ? rest : null
}

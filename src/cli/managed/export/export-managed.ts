import { stringify } from 'yaml'
import { agentLocationOf, agentScope } from '../../../catalogue/catalogue.ts'
import type { Config } from '../../../catalogue/config-file/parse.ts'
import { defaultLocation } from '../../../catalogue/definitions.ts'
import { locationKind, locationOf } from '../../../catalogue/managed/location-layer.ts'
import { parseWindow, windowKind } from '../../../catalogue/managed/maintenance-layer.ts'
import { createResourceIndex } from '../../../catalogue/managed/resources.ts'
import type { Vault } from '../../../catalogue/managed/vault.ts'
import type { PolicyEntry } from '../../../catalogue/policies/fields.ts'
import { mapTexts } from '../../../catalogue/written-definition.ts'
import type { Env } from '../../../config.ts'
import { checkKind, readDocument } from '../../../managed/managed-document.ts'
import { resourceChange } from '../../../managed/resources/active-resources.ts'
import type { LoggedVersion } from '../../../store/documents/document-log.ts'
import { withoutVariables } from '../../../text/variable-references.ts'
import { exportAlerts } from './export-alerts.ts'
import { activeChecks, alertPartOf, type CheckDocument, exportChecks } from './export-checks.ts'
import type { AccountExport } from './export-context.ts'
import { accountScope } from './rename-variables.ts'
import { createVariableNames } from './variable-names.ts'

type Exporting = {
  readonly config: Pick<Config, 'accounts' | 'service' | 'policies' | 'keys' | 'checks'>
  /** Null means all accounts. */
  readonly account: string | null
  readonly env: Env
  readonly vault: Vault | null
}

type Exported = {
  readonly yaml: string
  /** What the file cannot express. */
  readonly notes: readonly string[]
  /** Variables the file needs, in addition to those open to managed checks. Null if the value cannot be decrypted. */
  readonly variables: ReadonlyMap<string, string | null>
}

/** Exports all managed resources as a config file, with variables instead of secrets. */
export function exportManaged(heads: readonly LoggedVersion[], { config, account: only, env, vault }: Exporting): Exported {
  const resources = createResourceIndex()
  resources.apply(heads.filter(({ kind }) => kind !== checkKind).map(resourceChange))
  const names = createVariableNames(new Set(config.accounts.flatMap(({ managedVariables = [] }) => managedVariables)))
  const notes: string[] = []
  const ids = [...new Set(heads.filter(({ body }) => body !== null).map(({ account }) => account))]
    .filter((id) => only === null || id === only)
    .toSorted()
  const accounts = ids.map((id) => {
    const account = config.accounts.find((one) => one.id === id) ?? { id, name: id, publicBadges: false }
    const scope = accountScope({ account, resources, vault })
    const note = (what: string, text: string) => void notes.push(`${id}: ${what}: ${text}`)
    const stored = heads.flatMap((head): readonly CheckDocument[] =>
      head.kind === checkKind && head.account === id && head.body !== null ? [{ id: head.id, document: readDocument(head.body) }] : [],
    )
    return exportAccount(stored, { account, config, env, vault, resources, scope, names, note })
  })
  const yaml = stringify({ accounts }, { lineWidth: 0, aliasDuplicateObjects: false })
  return { yaml, notes, variables: names.values() }
}

function exportAccount(stored: readonly CheckDocument[], context: AccountExport) {
  const checks = activeChecks(stored, context)
  const { channels, alerts } = exportAlerts(checks.map(alertPartOf), context)
  const rules = new Map<string, string[]>()
  for (const { id, checks: alerted } of alerts) for (const check of alerted) rules.set(check, [...(rules.get(check) ?? []), id])
  const keys = exportLocations(context)
  const maintenance = exportWindows(context)
  const { groups, checks: alone } = exportChecks(checks, { rules, channels: new Set(channels.map(({ number }) => number)), context })
  noteUnused(context)
  return {
    id: context.account.id,
    ...(keys.length > 0 && { keys }),
    ...(maintenance.length > 0 && { maintenance }),
    ...(channels.length > 0 && { channels: channels.map(({ entry }) => entry) }),
    ...(alerts.length > 0 && { alerts }),
    ...(groups && { groups }),
    ...(alone && { checks: alone }),
  }
}

/** Windows have the same form in the file, but without variables. */
function exportWindows({ resources, account, note }: AccountExport): readonly PolicyEntry[] {
  return resources.list(windowKind, account.id).flatMap(({ id, definition }) => {
    const parsed = parseWindow(definition)
    if ('policy' in parsed) return [mapTexts(definition, '', withoutVariables) as PolicyEntry]
    note(`maintenance window ${id}`, `left out, because it is not active: ${parsed.faults.map(({ message }) => message).join('; ')}`)
    return []
  })
}

/** A private location is exported as the keys of its agents. */
function exportLocations({ resources, account, config, note }: AccountExport) {
  const { runnerLocations } = config.service
  const ofAgents = config.keys.filter((key) => key.account === account.id).flatMap((key) => agentLocationOf(key) ?? [])
  const withCanaries = (config.policies.get(account.id)?.canaries ?? []).map(({ location }) => location)
  const taken = new Set([defaultLocation, ...(runnerLocations ?? []), ...ofAgents, ...withCanaries])
  const keyNames = new Set<string>()
  const unused = (wanted: string) => {
    let name = wanted
    for (let count = 2; keyNames.has(name); count++) name = `${wanted} ${count}`
    keyNames.add(name)
    return withoutVariables(name)
  }
  return resources.list(locationKind, account.id).flatMap((location) => {
    const { name, slugName, keys } = locationOf(location)
    const what = `private location ${slugName}`
    const isTaken = taken.has(slugName)
    if (!config.service.allowManagedLocations || isTaken) {
      note(
        what,
        `left out, because it is not active: ${isTaken ? 'its name is in use' : 'the config file does not allow managed locations'}`,
      )
      return []
    }
    taken.add(slugName)
    if (keys.length === 0) note(what, 'left out, because it has no key')
    return keys.map(({ id, hash }) => ({ id, name: unused(name), hash, scopes: [withoutVariables(agentScope(slugName))] }))
  })
}

/** Reports variables that nothing uses. The file lacks them, because it has no variables of its own. */
function noteUnused({ account, scope: { isUsed }, note }: AccountExport): void {
  for (const { variable, used } of isUsed.values()) {
    const whose = variable.owner === account.id ? '' : ` of ${variable.owner}`
    if (!used) note(`variable ${variable.key}${whose}`, 'left out, because nothing uses it')
  }
}

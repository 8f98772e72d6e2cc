import { parseConfig } from '../../catalogue/config-file/parse.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { isReservedVariable } from '../../text/reserved-variables.ts'
import { newIds } from './new-ids.ts'
import type { CarriedCheck, ReportLine } from './report.ts'
import { cleanTag, literalText, printable, slugOf } from './written-text.ts'

export type ConfigEntry = Readonly<Record<string, unknown>>

/** An entry with this setting; empty if it has no value. */
export function given(name: string, value: string | number | null): ConfigEntry {
  return value === null || value === '' ? {} : { [name]: value }
}

/** A check in the other tool, with its name there and its settings in Tidemark's form. */
type NewCheck = {
  readonly item: string
  readonly name: string
  /** The preferred id, used if it is free. */
  readonly id?: string | undefined
  readonly group?: string | null
  readonly tags?: readonly string[]
  readonly settings: { readonly type: string } & ConfigEntry
}

type DraftCheck = { readonly group: string | null; readonly entry: ConfigEntry; alerts: readonly string[] | null }

/** The output being built: a config file, its variables and a report. */
export type ConversionDraft = {
  /** Returns the id of the check. Null if the config file would not accept the check, which is reported. */
  addCheck(check: NewCheck): string | null
  /** Returns the id of the channel. Null if the config file would not accept the channel, which is reported. */
  addChannel(item: string, name: string, settings: ConfigEntry): string | null
  /** Returns the id of a rule with these settings, adding the rule if needed. */
  addRule(name: string, settings: ConfigEntry): string
  addMaintenance(item: string, entry: ConfigEntry): void
  /** Returns the id of the group with this name. */
  groupOf(name: string): string
  setAlerts(id: string, rules: readonly string[]): void
  setCanary(location: string, addresses: readonly string[]): void
  /** Sets how long the other tool keeps results; `Infinity` means forever. */
  keepResults(days: number): void
  /** Stores a secret in the env file and returns a reference such as `${NAME}`. */
  secret(name: string, value: string): string
  /** Declares a variable that the input itself refers to. */
  variable(name: string, value: string): void
  report(...lines: readonly ReportLine[]): void
  changed(item: string, field: string | null, why: string): void
  lost(item: string, field: string | null, why: string): void
  leftOut(item: string, why: string): void
  typeOf(id: string): CheckType | undefined
  readonly parts: DraftParts
}

export type DraftParts = {
  readonly keptDays: number
  readonly checks: ReadonlyMap<string, DraftCheck>
  readonly groups: ReadonlyMap<string, string>
  readonly channels: readonly ConfigEntry[]
  readonly rules: readonly ConfigEntry[]
  readonly maintenance: readonly ConfigEntry[]
  readonly canary: ReadonlyMap<string, readonly string[]>
  readonly variables: ReadonlyMap<string, string>
  readonly carried: readonly CarriedCheck[]
  readonly lines: readonly ReportLine[]
}

const maxTags = 50
/** Bounds the report, for example of a file with a million faults. */
const maxLines = 200_000

export function newConversionDraft(): ConversionDraft {
  const checks = new Map<string, DraftCheck>()
  const groups = new Map<string, string>()
  const canary = new Map<string, readonly string[]>()
  const variables = new Map<string, string>()
  const [channels, rules, maintenance]: ConfigEntry[][] = [[], [], []]
  const carried: CarriedCheck[] = []
  const lines: ReportLine[] = []
  const [ruleKeys, groupKeys, variableKeys] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()]
  const env: Record<string, string> = {}
  let keptDays = 0
  const declare = (name: string, value: string) => {
    env[name] = printable(value)
    variables.set(name, env[name])
  }
  const [checkIds, channelIds, ruleIds, groupIds, names] = [newIds('-'), newIds('-'), newIds('-'), newIds('-'), newIds('_')]
  const report = (...more: readonly ReportLine[]) => void lines.push(...more.slice(0, Math.max(0, maxLines - lines.length)))
  const leftOut = (item: string, why: string) => report({ item, field: null, outcome: 'left out', why })
  const faultOf = (account: ConfigEntry): string | null => {
    const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'main', ...account }] }), env)
    return 'faults' in parsed ? (parsed.faults[0]?.text ?? 'it is not valid').replace(/^accounts\[0\]\.\w+\[0\]\.?/, '') : null
  }
  const isAccepted = (item: string, account: ConfigEntry): boolean => {
    const fault = faultOf(account)
    if (fault !== null) leftOut(item, `The config file does not allow it: ${fault}.`)
    return fault === null
  }
  return {
    addCheck({ item, name, id: wanted, group = null, tags = [], settings: { type, ...rest } }) {
      const cleaned = printable(name).trim().slice(0, 1000)
      const shown = cleaned === '' ? 'unnamed' : cleaned
      const kept = [...new Set(tags.map(cleanTag).filter((tag) => tag !== ''))].slice(0, maxTags)
      const id = checkIds.peek(wanted ?? (slugOf(shown) || 'check'))
      const entry = {
        id,
        name: literalText(shown),
        type,
        ...(kept.length > 0 && { tags: kept.map(literalText) }),
        ...(printableParts(rest) as ConfigEntry),
      }
      if (!isAccepted(item, { checks: [entry] })) return null
      checkIds.take(id)
      checks.set(id, { group, entry, alerts: null })
      carried.push({ item, id, type })
      return id
    },
    addChannel(item, name, settings) {
      const id = channelIds.peek(slugOf(name) || 'channel')
      const entry = { id, ...(printableParts(settings) as ConfigEntry) }
      if (!isAccepted(item, { channels: [entry] })) return null
      channelIds.take(id)
      channels?.push(entry)
      return id
    },
    addRule(name, settings) {
      const key = JSON.stringify(settings)
      const id = ruleKeys.get(key) ?? ruleIds.take(slugOf(name) || 'rule')
      if (!ruleKeys.has(key)) rules?.push({ id, ...settings })
      ruleKeys.set(key, id)
      return id
    },
    addMaintenance(item, { checks: ids, ...entry }) {
      const shown = printableParts(entry) as ConfigEntry
      if (isAccepted(item, { maintenance: [shown] })) maintenance?.push({ ...shown, ...(ids !== undefined && { checks: ids }) })
    },
    groupOf(name) {
      const shown = printable(name).trim().slice(0, 1000) || 'unnamed'
      const id = groupKeys.get(shown) ?? groupIds.take(slugOf(shown) || 'group')
      groupKeys.set(shown, id)
      groups.set(id, literalText(shown))
      return id
    },
    setAlerts(id, given) {
      const check = checks.get(id)
      if (check) check.alerts = [...new Set(given)].slice(0, 100)
    },
    setCanary: (location, addresses) => void canary.set(location, addresses),
    keepResults(days) {
      keptDays = days
    },
    secret(name, value) {
      const key = JSON.stringify([variableName(name), value])
      const variable = variableKeys.get(key) ?? names.take(variableName(name))
      variableKeys.set(key, variable)
      declare(variable, value)
      return `\${${variable}}`
    },
    variable(name, value) {
      if (!variables.has(name)) names.take(name)
      declare(name, value)
    },
    report,
    changed: (item, field, why) => report({ item, field, outcome: 'changed', why }),
    lost: (item, field, why) => report({ item, field, outcome: 'lost', why }),
    leftOut,
    typeOf: (id) => checkTypes.find(({ type }) => type === checks.get(id)?.entry.type),
    parts: {
      get keptDays() {
        return keptDays
      },
      checks,
      groups,
      channels: channels ?? [],
      rules: rules ?? [],
      maintenance: maintenance ?? [],
      canary,
      variables,
      carried,
      lines,
    },
  }
}

/** Avoids names that change how programs behave, because a shell loads the env file before the server starts. */
function variableName(text: string): string {
  const name = slugOf(text).replaceAll('-', '_').toUpperCase()
  return /^[A-Z]/.test(name) && !isReservedVariable(name) ? name : `SECRET_${name}`
}

function printableParts(value: unknown): unknown {
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return value.map(printableParts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [printable(name), printableParts(item)]))
}

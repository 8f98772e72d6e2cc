import type { ChannelType } from '../../alerts/channels/channel.ts'
import { channelTypes as channelRegistry } from '../../alerts/channels/registry.ts'
import type { CheckType, NeededFile } from '../../checks/define.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import { isMapping, type Mapping } from '../../collections/mapping.ts'
import type { Env } from '../../config.ts'
import { IsRefine } from '../../schema/typebox.ts'
import type { Account, Key, ServiceSettings } from '../catalogue.ts'
import { accountKeys, accountOf, type CheckDefinition, definitionOf, linksOf, serviceOf, withSecrets } from '../definitions.ts'
import type { Link } from '../links.ts'
import { scheduleFindings, schedulePoliciesOf } from '../policies/account-policies.ts'
import { alertFindings, alertPoliciesOf } from '../policies/alert-policies.ts'
import type { Policies } from '../policies/policies.ts'
import { secretTexts } from '../secrets.ts'
import type { ConfigFolder } from './config-folder.ts'
import {
  type AccountEntry,
  AnyCheckEntry,
  asConfigFile,
  type CheckEntry,
  ConfigFile,
  configuredCheckSchema,
  scheduledFieldNames,
} from './config-schema.ts'
import { type AccountPart, duplicateFindings } from './duplicates.ts'
import { distinct, type Fault, type Finding, must, type Path, pathText, sortedFaults, withoutUnknowable } from './faults.ts'
import { limitFindings, serviceFindings } from './limits.ts'
import { type ParsedFile, readSource } from './source.ts'
import { structureFindings, withoutFaults } from './structure.ts'
import type { WatchedPath } from './watched-paths.ts'
import { openYamlSource, withoutExtensions } from './yaml-source.ts'

/** The contents of a valid config file. */
export type Config = {
  readonly service: ServiceSettings
  readonly accounts: readonly Account[]
  readonly keys: readonly Key[]
  readonly links: readonly Link[]
  readonly checks: readonly CheckDefinition[]
  /** By account. */
  readonly policies: ReadonlyMap<string, Policies>
  /** Faults of included files, whose checks are left out. */
  readonly refused: readonly Fault[]
  /** Files and folders that were read, in addition to the config file. */
  readonly watched: readonly WatchedPath[]
}

export type ParsedConfig = { readonly config: Config } | { readonly faults: readonly Fault[]; readonly watched?: readonly WatchedPath[] }

export type ParseOptions = {
  readonly checkTypes?: readonly CheckType[] | undefined
  readonly channelTypes?: readonly ChannelType[]
  /** Whether a file or folder that a check needs exists. Not verified by default. */
  readonly isThere?: (file: NeededFile) => boolean
  /** Reads included files and `${file:…}`; without it, none can be read. */
  readonly folder?: ConfigFolder
}

/** Parses a config file into its contents, or into the list of all its faults. An included file with faults is left out. */
export function parseConfig(text: string, env: Env, options: ParseOptions = {}): ParsedConfig {
  const { checkTypes = registry, channelTypes = channelRegistry, isThere = () => true, folder } = options
  const source = readSource(text, env, { folder, checkTypes })
  const { value, faults, locate, isIncomplete, watched } = source
  if (value === null || value === undefined)
    return { faults: faults.length > 0 ? faults : [{ line: 1, text: 'the file is empty: it must have at least accounts' }] }
  const lineKey = ({ file, line }: Fault) => `${file ?? ''}:${line}`
  const known = new Set(faults.map(lineKey))
  const { found: ofFile, parts } = examine(value, { checkTypes, isThere })
  const ofPolicies = [...scheduleFindings(value, checkTypes), ...alertFindings(value, parts, channelTypes)]
  const further = withoutUnknowable([...ofFile, ...ofPolicies], isIncomplete).map(locate)
  const found = sortedFaults(distinct([...faults, ...further.filter((fault) => !known.has(lineKey(fault)))]))
  if (found.some(({ file }) => file === undefined)) return { faults: found, watched }
  return { config: configOf(asConfigFile(value), parts, { ...source, refused: found, channelTypes }) }
}

/** Parses only accounts, keys and links. Checks may be invalid, and variables unset. */
export function parseKeys(
  text: string,
): { readonly keys: Pick<Config, 'accounts' | 'keys' | 'links'> } | { readonly faults: readonly Fault[] } {
  const { read, lineOf } = openYamlSource(text)
  if ('faults' in read) return read
  const value = withoutExtensions(read.value)
  const found = structureFindings(ConfigFile, value, []).map(({ path, at, text: words }) => ({ line: lineOf({ path, at }), text: words }))
  if (found.length > 0) return { faults: found }
  const { accounts } = asConfigFile(value)
  return { keys: { accounts: accounts.map(accountOf), keys: accounts.flatMap(accountKeys), links: accounts.flatMap(linksOf) } }
}

type ExamineContext = { readonly checkTypes: readonly CheckType[]; readonly isThere: (file: NeededFile) => boolean }

type Examined = { readonly found: readonly Finding[]; readonly parts: readonly AccountPart[] }

/** The findings of a file, and the valid parts of its accounts. */
function examine(value: unknown, context: ExamineContext): Examined {
  const { checkTypes } = context
  const structure = structureFindings(ConfigFile, value, [])
  const ofChecks = entries(value).map(({ check, path }) => ({ check, found: checkFindings(check, path, context) }))
  const faulty = new Set<unknown>(ofChecks.filter(({ found }) => found.length > 0).map(({ check }) => check))
  const valid = (isMapping(value) ? withoutFaults(value, structure, 0) : {}) as Partial<ConfigFile>
  const parts = (valid.accounts ?? []).map((account) => partOf(account, { checkTypes, faulty }))
  const ofEach = ofChecks.flatMap(({ found }) => found)
  return { found: [...structure, ...ofEach, ...serviceFindings(valid), ...duplicateFindings(parts)], parts }
}

/** Validates the check at this path. */
export function checkFindings(check: Mapping, path: Path, { checkTypes, isThere }: ExamineContext): readonly Finding[] {
  const checkType = checkTypes.find(({ type }) => type === check.type)
  if (!checkType) return unknownTypeFindings(check, path, checkTypes)
  const misplaced = checkType.pingSettings ? scheduledFieldNames.filter((name) => Object.hasOwn(check, name)) : []
  const rest = misplaced.length === 0 ? check : Object.fromEntries(Object.entries(check).filter(([name]) => !misplaced.includes(name)))
  const structure = [
    ...misplaced.map((name): Finding => {
      const fieldPath = [...path, name]
      return { path: fieldPath, at: 'name', text: `${pathText(fieldPath)} is not allowed here: ${checkType.type} checks wait for pings` }
    }),
    ...structureFindings(configuredCheckSchema(checkType), rest, path),
  ]
  const limits = limitFindings(withoutFaults(rest, structure, path.length) as CheckEntry, path)
  return [...structure, ...settingsFindings(checkType, rest, { path, structure, isThere }), ...limits]
}

/** Validates the common fields of a check whose type is unknown. */
function unknownTypeFindings(check: Mapping, path: Path, checkTypes: readonly CheckType[]): readonly Finding[] {
  const common = withoutFaults(check, [{ path: [...path, 'type'], at: 'value', text: '' }], path.length)
  const structure = structureFindings(AnyCheckEntry, common, path)
  const limits = limitFindings(withoutFaults(common, structure, path.length) as CheckEntry, path)
  return [typeFinding(check.type, [...path, 'type'], checkTypes), ...structure, ...limits]
}

type CheckContext = Pick<ExamineContext, 'isThere'> & { readonly path: Path; readonly structure: readonly Finding[] }

/** Violated rules across settings, and missing files. Skipped if single settings are invalid. */
function settingsFindings(checkType: CheckType, check: Mapping, { path, structure, isThere }: CheckContext): readonly Finding[] {
  const schema = checkType.settings
  const isSetting = (name: unknown) => typeof name === 'string' && Object.hasOwn(schema.properties, name)
  if (structure.some((finding) => isSetting(finding.path[path.length]))) return []
  const settings = Object.fromEntries(Object.entries(check).filter(([name]) => isSetting(name)))
  const violated = IsRefine(schema) ? structureFindings(schema, settings, path) : []
  if (violated.length > 0) return violated
  const missing = (checkType.files?.(settings) ?? []).filter((file) => !isThere(file))
  return missing.map((file) => missingFile(file, [...path, file.setting]))
}

function missingFile({ path: file, kind }: NeededFile, path: Path): Finding {
  return { path, at: 'value', text: `${pathText(path)}: there is no ${kind} ${file}` }
}

function typeFinding(given: unknown, path: Path, checkTypes: readonly CheckType[]): Finding {
  const types = checkTypes.map(({ type }) => type).join(', ')
  if (typeof given !== 'string') return must(path, `one of ${types}`)
  return { path, at: 'value', text: `${pathText(path)}: unknown check type ${given}; supported: ${types}` }
}

type Entry = { readonly check: Mapping; readonly path: Path }

/** The check entries of a file that is not validated yet. */
function entries(value: unknown): readonly Entry[] {
  const accounts = isMapping(value) && Array.isArray(value.accounts) ? value.accounts : []
  return accounts.flatMap((account: unknown, index) => {
    const checks = isMapping(account) && Array.isArray(account.checks) ? account.checks : []
    return checks.flatMap((check: unknown, position) =>
      isMapping(check) ? [{ check, path: ['accounts', index, 'checks', position] }] : [],
    )
  })
}

type Reading = { readonly checkTypes: readonly CheckType[]; readonly faulty: ReadonlySet<unknown> }

function partOf(account: AccountEntry, { checkTypes, faulty }: Reading): AccountPart {
  const checks = (account.checks ?? []).map((entry) => {
    const check = entry as CheckEntry
    const checkType = checkTypes.find(({ type }) => type === check.type)
    if (!checkType || faulty.has(entry)) return null
    return definitionOf(account.id, check, checkType)
  })
  return { ...accountOf(account), keys: accountKeys(account), links: linksOf(account), checks }
}

type ConfigContext = Pick<ParsedFile, 'substitutions' | 'written' | 'originOf' | 'watched'> & {
  readonly channelTypes: readonly ChannelType[]
  readonly refused: readonly Fault[]
}

function configOf(file: ConfigFile, parts: readonly AccountPart[], context: ConfigContext): Config {
  const { refused, watched } = context
  const refusedFiles = new Set(refused.map((fault) => fault.file))
  const checks = parts.flatMap((part, account) =>
    part.checks.flatMap((check, index) => {
      const origin = context.originOf(account, index)
      if (check === null || (origin.file !== null && refusedFiles.has(origin.file))) return []
      const path = ['accounts', account, 'checks', index]
      const written = context.written(path) as CheckDefinition['written']
      return [withSecrets({ ...check, written, origin }, checkSecrets(path, check.checkType, context.substitutions))]
    }),
  )
  return {
    service: serviceOf(file),
    accounts: file.accounts.map(accountOf),
    keys: parts.flatMap(({ keys }) => keys),
    links: parts.flatMap(({ links }) => links),
    checks,
    policies: new Map(file.accounts.map((account, index) => [account.id, policiesOf(account, ['accounts', index], context)])),
    refused,
    watched,
  }
}

function policiesOf(account: AccountEntry, path: Path, context: ConfigContext): Policies {
  const schedule = schedulePoliciesOf(account)
  return { ...schedule, ...alertPoliciesOf(account, { path, serviceHours: schedule.serviceHours, ...context }) }
}

/** The common fields are public; the settings of a type may hold secrets. */
export function checkSecrets(path: Path, { settings }: CheckType, substitutions: ParsedFile['substitutions']): readonly string[] {
  if (substitutions(path).length === 0) return []
  const within = (names: readonly string[]) => names.flatMap((name) => substitutions([...path, name]))
  return secretTexts(within(Object.keys(settings.properties)), within(Object.keys(AnyCheckEntry.properties)))
}

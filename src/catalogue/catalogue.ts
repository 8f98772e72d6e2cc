import type { CheckType } from '../checks/define.ts'
import { exactRedactor } from '../checks/probe/redact.ts'
import type { CheckRef } from '../ids/check-ref.ts'
import type { Link } from './links.ts'
import type { AlertFields } from './policies/alert-fields.ts'
import type { Policies } from './policies/policies.ts'

export const scopes = ['read', 'ingest', 'metrics', 'operate', 'write', 'admin'] as const
/** `agent:LOCATION` is exclusive: such a key only fetches the checks of that location and stores their results. */
export type Scope = (typeof scopes)[number] | AgentScope
type AgentScope = `${typeof agentPrefix}${string}`

const agentPrefix = 'agent:'

export const agentScope = (location: string): AgentScope => `${agentPrefix}${location}`

export function isAgentScope(scope: string): scope is AgentScope {
  return scope.startsWith(agentPrefix)
}

/** The location whose agents use this key; null for any other key. */
export function agentLocationOf({ scopes: granted }: Pick<Key, 'scopes'>): string | null {
  const scope = granted.find(isAgentScope)
  return scope === undefined ? null : scope.slice(agentPrefix.length)
}

export type Account = {
  readonly id: string
  readonly name: string
  readonly publicBadges: boolean
  /** Environment variables that managed checks may refer to. */
  readonly managedVariables?: readonly string[]
  /** The SHA-256 hash (`sha256:` and 64 hex digits) of the key with which jobs ping checks by id. */
  readonly pingKeyHash?: string
}

export type Key = {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly account: string
  readonly scopes: readonly Scope[]
}

export type Retry = {
  readonly strategy: 'fixed' | 'linear' | 'exponential' | 'single'
  readonly baseBackoffMs: number
  readonly maxRetries: number
  readonly onlyOnNetworkErrors: boolean
}

/** Which runs keep evidence. */
export const evidenceModes = ['failures', 'all', 'none'] as const
export type EvidenceMode = (typeof evidenceModes)[number]

export type Check = {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly checkType: CheckType
  readonly activated: boolean
  readonly muted: boolean
  /** How often a result is expected. */
  readonly everyMs: number
  /** The period while the check fails; null for no difference. */
  readonly failingEveryMs: number | null
  readonly locations: readonly string[]
  /** The locations where agents run the check instead of the server. */
  readonly agentLocations: readonly string[]
  readonly tags: readonly string[]
  /** Ids of checks of the account. While one of them is down, this check does not alert. */
  readonly dependsOn: readonly string[]
  /** Ids of the alert rules for this check; null for the rules that select it. */
  readonly alerts: readonly string[] | null
  readonly runParallel: boolean
  readonly retry: Retry | null
  /** Null for the default of its type. */
  readonly timeoutMs: number | null
  readonly degradedResponseTimeMs: number | null
  readonly maxResponseTimeMs: number | null
  /** Null for the setting of the service. */
  readonly evidence: EvidenceMode | null
  /** Valid by the settings schema of its type. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Texts in the settings that no output may show. */
  readonly secrets: readonly string[]
  /** Set by API clients: which managed channels alert on the check, and when. */
  readonly clientFields?: AlertFields
  /** The entry in the config file with inherited fields, or the managed definition, before variables are replaced. */
  readonly written: Readonly<Record<string, unknown>>
  readonly origin: CheckOrigin
  /** The version of a check that is managed over the API; absent for one of the config file. */
  readonly managedVersion?: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The included file that defines a check, null for the config file itself, and the id of the group of the check. */
export type CheckOrigin = { readonly file: string | null; readonly group: string | null }

/** The key of a check in the store. */
export function refOf({ account, id }: Pick<Check, 'account' | 'id'>): CheckRef {
  return { account, checkId: id }
}

/** Whether a check runs: it is active, and its results do not come from pings. */
export function isRun({ activated, checkType }: Pick<Check, 'activated' | 'checkType'>): boolean {
  return activated && checkType.run !== undefined
}

/** The target of a check, with secrets redacted. */
export function targetOf({ checkType, settings, secrets }: Pick<Check, 'checkType' | 'settings' | 'secrets'>): Target {
  const redact = exactRedactor(secrets)
  const target = Object.entries(checkType.target(settings))
  return Object.fromEntries(target.map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value]))
}

type Target = ReturnType<CheckType['target']>

/** How much one check, key or client may use. */
export type Limits = {
  /** Distinct locations in the results of one check. */
  readonly locations: number
  /** Distinct status codes in the results of one check. */
  readonly statusCodes: number
  /** Concurrent exports, in total and per key. */
  readonly exports: number
  readonly exportsPerKey: number
  /** Concurrent streams of live results, in total and per key. */
  readonly streams: number
  readonly streamsPerKey: number
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Bytes per result: its compressed evidence, and its screenshot. */
  readonly evidenceBytes: number
  readonly screenshotBytes: number
}

/** The ClickHouse server or cluster that stores results. Paths of files are relative to the config file. */
export type ClickHouseSettings = {
  readonly url: string
  readonly otherUrls: readonly string[]
  readonly database: string
  readonly cluster: string | null
  readonly username: string
  readonly passwordFile: string | null
  readonly caFile: string | null
}

export type ServiceSettings = {
  /** The URL of the server for users, without a trailing slash: the base of links in messages. Null if unknown. */
  readonly publicUrl: string | null
  readonly retentionDays: number
  /** How long results are still kept after the retention was shortened. */
  readonly retentionDelayMs: number
  readonly evidence: EvidenceMode
  readonly evidenceRetentionDays: number
  readonly rateLimit: { readonly requests: number; readonly perMs: number }
  readonly limits: Limits
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[]
  /** Additional names of the account header, in lower case. */
  readonly accountHeaders: readonly string[]
  /** The locations without agents that the server runs; null for all. */
  readonly runnerLocations: readonly string[] | null
  /** Addresses that checks may and may not call, as CIDR blocks. */
  readonly addresses: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Whether managed checks may contain code, which runs on the server and its agents. */
  readonly allowUploadedCode: boolean
  /** Whether locations of agents may be managed over the API. Their agents receive the secrets of checks. */
  readonly allowManagedLocations: boolean
  /** Null if results are stored in the data folder. */
  readonly clickhouse: ClickHouseSettings | null
}

/** Accounts, keys and checks of the current config file. */
export type Catalogue = {
  account(id: string): Account | undefined
  /** The key with this SHA-256 hash (`sha256:` and 64 hex digits). */
  keyByHash(hash: string): Key | undefined
  link(id: string): Link | undefined
  /** Whether any key has this scope. */
  hasScope(scope: Scope): boolean
  /** The locations of an account that agents run. */
  agentLocations(account: string): readonly string[]
  /** The ids of managed agent locations, by name. */
  managedLocations(account: string): ReadonlyMap<string, string>
  check(account: string, id: string): Check | undefined
  /** All checks of an account, ordered by creation, then by id. */
  checks(account: string): readonly Check[]
  allChecks(): readonly Check[]
  accountsWithChecks(): readonly string[]
  /** The ids of the checks that depend on this one. */
  dependents(account: string, id: string): readonly string[]
  /** The check that waits for pings with this token. */
  checkByPingToken(tokenHash: string): Check | undefined
  accountByPingKey(keyHash: string): Account | undefined
  policies(account: string): Policies
  /** Returns another object whenever anything in the catalogue has changed. */
  service(): ServiceSettings
}

import type { CheckType } from '../checks/define.ts'
import { exactRedactor } from '../checks/probe/redact.ts'
import type { CheckRef } from '../ids/check-ref.ts'
import type { Link } from './links.ts'
import type { AlertFields } from './policies/alert-fields.ts'
import type { Policies } from './policies/policies.ts'

export const scopes = ['read', 'ingest', 'metrics', 'operate', 'write', 'admin'] as const
/** `agent:LOCATION` stands alone: such a key fetches the checks of that location and stores their results, and does nothing else. */
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
  /** Environment variables that checks which are managed over the API may refer to. */
  readonly managedVariables?: readonly string[]
  /** `sha256:` and the 64 hex digits of the key that jobs ping its checks with, by their ids. */
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

/** Which runs evidence is kept of. */
export const evidenceModes = ['failures', 'all', 'none'] as const
export type EvidenceMode = (typeof evidenceModes)[number]

/** A check as it is configured. */
export type Check = {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly checkType: CheckType
  readonly activated: boolean
  readonly muted: boolean
  /** How often a result is expected. */
  readonly everyMs: number
  /** How often it runs instead while it fails; null for no difference. */
  readonly failingEveryMs: number | null
  readonly locations: readonly string[]
  /** Those of its locations where agents run it, in place of the server. */
  readonly agentLocations: readonly string[]
  readonly tags: readonly string[]
  /** Ids of checks of the account: while one of them is down, this one is not alerted on. */
  readonly dependsOn: readonly string[]
  /** Ids of the alert rules that alert on it; null for those that select it. */
  readonly alerts: readonly string[] | null
  readonly runParallel: boolean
  readonly retry: Retry | null
  /** Null for the default of its type. */
  readonly timeoutMs: number | null
  readonly degradedResponseTimeMs: number | null
  readonly maxResponseTimeMs: number | null
  /** Null for that of the service. */
  readonly evidence: EvidenceMode | null
  /** Accepted by its type's own schema. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Texts in the settings that no output may show. */
  readonly secrets: readonly string[]
  /** What clients of the API send: which managed channels alert on it, and when. */
  readonly clientFields?: AlertFields
  /** Its entry in the config file with what it inherits, before variables are replaced. */
  readonly written: Readonly<Record<string, unknown>>
  readonly origin: CheckOrigin
  /** The version of a check that is managed over the API; absent for one of the config file. */
  readonly managedVersion?: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The file that a check is in, null for the config file itself, and the id of its group. */
export type CheckOrigin = { readonly file: string | null; readonly group: string | null }

/** The key of a check in the store. */
export function refOf({ account, id }: Pick<Check, 'account' | 'id'>): CheckRef {
  return { account, checkId: id }
}

/** Whether a check is due to run: it is active, and its results do not come from pings. */
export function isRun({ activated, checkType }: Pick<Check, 'activated' | 'checkType'>): boolean {
  return activated && checkType.run !== undefined
}

/** What a check calls, with secrets redacted. */
export function targetOf({ checkType, settings, secrets }: Pick<Check, 'checkType' | 'settings' | 'secrets'>): Target {
  const redact = exactRedactor(secrets)
  const target = Object.entries(checkType.target(settings))
  return Object.fromEntries(target.map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value]))
}

type Target = ReturnType<CheckType['target']>

/** How much one check, key or client may use. */
export type Limits = {
  /** Different locations of the results of one check. */
  readonly locations: number
  /** Different status codes of the results of one check. */
  readonly statusCodes: number
  /** Exports at a time, in all and of one key. */
  readonly exports: number
  readonly exportsPerKey: number
  /** Streams of live results at a time, in all and of one key. */
  readonly streams: number
  readonly streamsPerKey: number
  readonly connections: number
  readonly connectionsPerAddress: number
  /** The evidence of one result, compressed, and its screenshot. */
  readonly evidenceBytes: number
  readonly screenshotBytes: number
}

/** The ClickHouse server or cluster that results are kept in; paths of files are relative to the config file. */
export type ClickHouseSettings = {
  readonly url: string
  readonly otherUrls: readonly string[]
  readonly database: string
  readonly cluster: string | null
  readonly username: string
  readonly passwordFile: string | null
  readonly caFile: string | null
}

/** The service-wide settings of the config file. */
export type ServiceSettings = {
  /** Where people reach the server, without a slash at the end: the base of links in messages. Null where it is not known. */
  readonly publicUrl: string | null
  readonly retentionDays: number
  /** How long results that a shorter retention would drop are kept after the change. */
  readonly retentionDelayMs: number
  readonly evidence: EvidenceMode
  readonly evidenceRetentionDays: number
  readonly rateLimit: { readonly requests: number; readonly perMs: number }
  readonly limits: Limits
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[]
  /** Additional names of the account header, in lower case. */
  readonly accountHeaders: readonly string[]
  /** The locations that the server runs, of those without agents; null for all. */
  readonly runnerLocations: readonly string[] | null
  /** Addresses that checks may and may not call, as CIDR blocks. */
  readonly addresses: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Whether checks that are written over the API may hold code, which runs on the server and its agents. */
  readonly allowUploadedCode: boolean
  /** Whether locations of agents may be managed over the API, whose agents get the secrets of checks. */
  readonly allowManagedLocations: boolean
  /** Null where results are kept in the data folder. */
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
  /** The locations of an account that are left to agents. */
  agentLocations(account: string): readonly string[]
  /** Those of them that are managed over the API: the id of each by its name. */
  managedLocations(account: string): ReadonlyMap<string, string>
  check(account: string, id: string): Check | undefined
  /** All checks of an account, ordered by creation, then by id. */
  checks(account: string): readonly Check[]
  allChecks(): readonly Check[]
  /** The ids of accounts that have checks. */
  accountsWithChecks(): readonly string[]
  /** The ids of other checks that depend on a check. */
  dependents(account: string, id: string): readonly string[]
  /** The check that waits for pings with this token. */
  checkByPingToken(tokenHash: string): Check | undefined
  accountByPingKey(keyHash: string): Account | undefined
  policies(account: string): Policies
  /** Another object whenever anything in the catalogue has changed. */
  service(): ServiceSettings
}

import {
  type Account,
  agentLocationOf,
  type Catalogue,
  type Check,
  type Key,
  type Scope,
  type ServiceSettings,
} from '../../src/catalogue/catalogue.ts'
import { defaultLimits } from '../../src/catalogue/definitions.ts'
import { type Link, linkIdOf, signLink } from '../../src/catalogue/links.ts'
import { noPolicies, type Policies, type Slo } from '../../src/catalogue/policies/policies.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import { sampleSettings } from './settings.ts'

export const readKey = 'tdm_testread_00000000000000000000000000000000_000000'
export const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
export const account = 'acme'

/** Headers of a caller with read access to `acme`. */
export const credentials = { authorization: `Bearer ${readKey}`, 'x-service-account': account }
/** Headers of a caller with read and write access. */
export const writeCredentials = { authorization: `Bearer ${writeKey}`, 'x-service-account': account }

export const service: ServiceSettings = {
  publicUrl: null,
  retentionDays: 400,
  retentionDelayMs: 3_600_000,
  evidence: 'failures',
  evidenceRetentionDays: 30,
  allowUploadedCode: false,
  allowManagedLocations: false,
  rateLimit: { requests: 100_000, perMs: 60_000 },
  limits: defaultLimits,
  corsOrigins: [],
  accountHeaders: [],
  runnerLocations: null,
  addresses: { allow: [], deny: [] },
  clickhouse: null,
}

type Contents = {
  readonly accounts?: readonly Account[]
  readonly keys?: readonly Key[]
  readonly links?: readonly Link[]
  readonly checks?: readonly Check[]
  readonly service?: () => ServiceSettings
  /** Policies of account `acme`. */
  readonly policies?: Partial<Policies>
}

/** A catalogue of plain values. By default, account `acme` with one read key. */
export function testCatalogue(contents: Contents = {}): Catalogue {
  const {
    accounts = [{ id: account, name: 'Acme Inc', publicBadges: false }],
    keys = [testKey(readKey, account, ['read'])],
    checks = [],
  } = contents
  return {
    account: (id) => accounts.find((one) => one.id === id),
    keyByHash: (hash) => keys.find((key) => key.hash === hash),
    link: (id) => contents.links?.find((link) => link.id === id),
    hasScope: (scope) => keys.some(({ scopes }) => scopes.includes(scope)),
    agentLocations: (owner) => keys.filter((key) => key.account === owner).flatMap((key) => agentLocationOf(key) ?? []),
    managedLocations: () => new Map(),
    check: (owner, id) => checks.find((check) => check.account === owner && check.id === id),
    checks: (owner) => checks.filter((check) => check.account === owner),
    allChecks: () => checks,
    accountsWithChecks: () => [...new Set(checks.map((check) => check.account))],
    dependents: (owner, id) => checks.filter((check) => check.account === owner && check.dependsOn.includes(id)).map((check) => check.id),
    checkByPingToken: () => undefined,
    accountByPingKey: (hash) => accounts.find(({ pingKeyHash }) => pingKeyHash === hash),
    policies: (owner) => (owner === account ? { ...noPolicies, ...contents.policies } : noPolicies),
    service: contents.service ?? (() => service),
  }
}

export function testKey(text: string, owner: string, scopes: readonly Scope[]): Key {
  return { id: text.slice(0, 12), name: text.slice(0, 12), hash: sha256(text), account: owner, scopes }
}

/** A link of account `acme` with this token, which expires in the year 2100. */
export function testLink(token: string, path: string, more: Partial<Link> = {}): Link {
  const link = { id: linkIdOf(token), name: 'sheet', account, path, createdAt: 0, expiresAt: Date.UTC(2100, 0), ...more }
  return { signature: signLink(token, link), ...link }
}

/** A check of this type, every minute at two locations. */
export function testCheck(checkType: CheckType, more: Partial<Check> = {}): Check {
  return {
    id: `check-${checkType.path}`,
    account,
    name: `The ${checkType.label}`,
    checkType,
    activated: true,
    muted: false,
    everyMs: 60_000,
    failingEveryMs: null,
    locations: ['eu-west-1', 'us-east-1'],
    agentLocations: [],
    tags: ['web'],
    dependsOn: [],
    alerts: null,
    runParallel: false,
    retry: null,
    timeoutMs: null,
    degradedResponseTimeMs: null,
    maxResponseTimeMs: null,
    evidence: null,
    settings: sampleSettings(checkType),
    secrets: [],
    written: { name: `The ${checkType.label}`, type: checkType.type, ...(more.settings ?? sampleSettings(checkType)) },
    origin: { file: null, group: null },
    createdAt: Date.UTC(2026, 0, 1),
    updatedAt: Date.UTC(2026, 0, 2),
    ...more,
  }
}

/** An SLO of all checks: 99 % of the runs of a week. */
export function testSlo(id: string, more: Partial<Slo> = {}): Slo {
  const window = { kind: 'rolling', duration: '7d', durationMs: 7 * 86_400_000 } as const
  return { id, name: `The ${id}`, checks: [], tags: [], objective: { kind: 'availability', by: 'runs', target: 99 }, window, ...more }
}

import type { CheckType } from '../checks/define.ts'
import { durationMs } from '../checks/duration.ts'
import { exactRedactor } from '../checks/probe/redact.ts'
import { hashedToken, sha256 } from '../ids/sha256.ts'
import { uuidOf } from '../ids/uuid.ts'
import { withoutTrailingSlashes } from '../text/without-trailing-slashes.ts'
import { dayMs, hourMs, minuteMs, parseInstant } from '../time.ts'
import type { Account, Check, CheckOrigin, ClickHouseSettings, Key, Limits, Retry, ServiceSettings } from './catalogue.ts'
import type { AccountEntry, CheckEntry, ConfigFile } from './config-file/config-schema.ts'
import type { Link } from './links.ts'

/** The location of checks that name none. */
export const defaultLocation = 'default'

/** A check as the file defines it, before its creation time is known. */
export type CheckDefinition = Omit<Check, 'createdAt' | 'updatedAt' | 'agentLocations'> & { readonly fingerprint: string }

export const defaultLimits: Limits = {
  locations: 1000,
  statusCodes: 1000,
  exports: 40,
  exportsPerKey: 4,
  streams: 500,
  streamsPerKey: 50,
  connections: 4000,
  connectionsPerAddress: 2000,
  evidenceBytes: 16_384,
  screenshotBytes: 131_072,
}

export const defaultRetentionDays = 400

export function serviceOf(file: ConfigFile): ServiceSettings {
  const {
    publicUrl,
    retention,
    retentionDelay,
    evidence,
    evidenceRetention,
    rateLimit,
    limits,
    cors,
    accountHeaders,
    runner,
    addresses,
    allowUploadedCode,
    allowManagedLocations,
    store,
  } = file
  return {
    publicUrl: publicUrl === undefined ? null : withoutTrailingSlashes(publicUrl),
    retentionDays: retention === undefined ? defaultRetentionDays : durationMs(retention) / dayMs,
    retentionDelayMs: retentionDelay === undefined ? hourMs : durationMs(retentionDelay),
    evidence: evidence ?? 'failures',
    evidenceRetentionDays: evidenceRetention === undefined ? 30 : durationMs(evidenceRetention) / dayMs,
    rateLimit: { requests: rateLimit?.requests ?? 3000, perMs: rateLimit ? durationMs(rateLimit.per) : minuteMs },
    limits: { ...defaultLimits, ...limits },
    corsOrigins: cors?.origins ?? [],
    accountHeaders: (accountHeaders ?? []).map((name) => name.toLowerCase()),
    runnerLocations: runner?.locations ?? null,
    addresses: { allow: addresses?.allow ?? [], deny: addresses?.deny ?? [] },
    allowUploadedCode: allowUploadedCode ?? false,
    allowManagedLocations: allowManagedLocations ?? false,
    clickhouse: store ? clickHouseOf(store.clickhouse) : null,
  }
}

function clickHouseOf({
  url,
  urls,
  database,
  cluster,
  username,
  passwordFile,
  tls,
}: NonNullable<ConfigFile['store']>['clickhouse']): ClickHouseSettings {
  return {
    url,
    otherUrls: (urls ?? []).filter((other) => other !== url),
    database: database ?? 'tidemark',
    cluster: cluster ?? null,
    username: username ?? 'default',
    passwordFile: passwordFile ?? null,
    caFile: tls?.caFile ?? null,
  }
}

export function accountOf({ id, name, publicBadges, managedVariables, pingKey }: AccountEntry): Account {
  return {
    id,
    name: name ?? id,
    publicBadges: publicBadges ?? false,
    ...(managedVariables && { managedVariables }),
    ...(pingKey !== undefined && { pingKeyHash: hashedToken(pingKey) }),
  }
}

export function accountKeys({ id: account, keys }: AccountEntry): readonly Key[] {
  return (keys ?? []).map(({ id, name, hash, scopes }) => ({ id: id ?? hash.slice(7, 15), name, hash, account, scopes }))
}

export function linksOf({ id: account, links }: AccountEntry): readonly Link[] {
  return (links ?? []).map(({ created, expires, ...entry }) => ({
    ...entry,
    account,
    createdAt: parseInstant(created) ?? 0,
    expiresAt: parseInstant(expires) ?? 0,
  }))
}

const inConfigFile: CheckOrigin = { file: null, group: null }

/** Id and fingerprint are computed from the unredacted entry, so that they do not depend on what is redacted. */
export function definitionOf(account: string, entry: CheckEntry, checkType: CheckType): CheckDefinition {
  const settings = settingsOf(entry, checkType)
  const definition = {
    id: entry.id ?? uuidOf([account, entry.name]),
    account,
    name: entry.name,
    activated: entry.activated ?? true,
    muted: entry.muted ?? false,
    everyMs: checkType.pingSettings ? checkType.pingSettings(settings).periodMs : durationMs(entry.frequency ?? '10m'),
    locations: checkType.pingSettings ? [] : (entry.locations ?? [defaultLocation]),
    tags: entry.tags ?? [],
    runParallel: entry.runParallel ?? false,
    retry: entry.retry ? retryOf(entry.retry) : null,
    timeoutMs: entry.timeout === undefined ? null : durationMs(entry.timeout),
    degradedResponseTimeMs: entry.degradedResponseTime ?? null,
    maxResponseTimeMs: entry.maxResponseTime ?? null,
    settings,
  }
  // Fields of later releases are hashed only if they are set, so that older fingerprints stay valid.
  const evidence = entry.evidence ?? null
  const dependsOn = entry.dependsOn ?? []
  const alerts = entry.alerts ?? null
  const failingEveryMs = entry.frequencyWhenFailing === undefined ? null : durationMs(entry.frequencyWhenFailing)
  const later = [
    ...(evidence === null ? [] : [{ evidence }]),
    ...(dependsOn.length === 0 ? [] : [{ dependsOn }]),
    ...(alerts === null ? [] : [{ alerts }]),
    ...(failingEveryMs === null ? [] : [{ failingEveryMs }]),
  ]
  const fingerprint = sha256(JSON.stringify([checkType.type, definition, ...later]))
  return {
    ...definition,
    evidence,
    dependsOn,
    alerts,
    failingEveryMs,
    checkType,
    ...(entry.clientFields && { clientFields: entry.clientFields }),
    secrets: [],
    written: entry,
    origin: inConfigFile,
    fingerprint,
  }
}

/** Adds secrets to a check, and redacts them in its name. */
export function withSecrets(check: CheckDefinition, secrets: readonly string[]): CheckDefinition {
  return secrets.length === 0 ? check : { ...check, name: exactRedactor(secrets)(check.name), secrets }
}

function settingsOf(entry: CheckEntry, { settings }: CheckType): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => Object.hasOwn(settings.properties, name)))
}

export function retryOf({ strategy, baseBackoff, maxRetries, onlyOnNetworkErrors }: NonNullable<CheckEntry['retry']>): Retry {
  return {
    strategy,
    baseBackoffMs: baseBackoff === undefined ? 10_000 : durationMs(baseBackoff),
    maxRetries: strategy === 'single' ? 1 : (maxRetries ?? 2),
    onlyOnNetworkErrors: onlyOnNetworkErrors ?? false,
  }
}

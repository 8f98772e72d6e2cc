import type { CheckType } from '../../checks/define.ts'
import { Duration } from '../../checks/duration.ts'
import { titled } from '../../schema/titled.ts'
import { type Static, type TObject, Type } from '../../schema/typebox.ts'
import { dayMs, parseInstant } from '../../time.ts'
import { evidenceModes, isAgentScope, type Scope, scopes } from '../catalogue.ts'
import { linkPath } from '../links.ts'
import { compositionFields, IncludePattern } from './composition-schema.ts'
import { closed, Id, Label, labelPattern, NonEmptyText } from './entry-fields.ts'

const HeaderName = Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$", description: 'the name of an HTTP header' })
export const Milliseconds = Type.Number({ minimum: 0, maximum: dayMs, description: 'a number of milliseconds' })

const ScopeEntry = Type.Unsafe<Scope>(
  Type.String({
    pattern: `^(${scopes.join('|')}|agent:${labelPattern})$`,
    description: `one of ${scopes.join(', ')}, or agent: and a location`,
  }),
)

const KeyFields = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]{8}$', description: 'the 8 characters after tdm_ in the key' })),
    name: NonEmptyText,
    hash: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'sha256: and 64 hex digits, as tidemark key create writes it' }),
    scopes: Type.Array(ScopeEntry, { minItems: 1, uniqueItems: true }),
  },
  closed,
)
export const KeyEntry: typeof KeyFields = Type.Refine(
  KeyFields,
  ({ scopes: granted }) => granted.length === 1 || !granted.some(isAgentScope),
  () => 'a scope agent:… must be the only one of its key',
)

const Instant = Type.Refine(Type.String({ description: 'a time such as 2026-11-20T22:00:00Z' }), (text) => parseInstant(text) !== undefined)

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

export const LinkEntry = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9]{8}$', description: 'the 8 characters after tdl_ in the link' }),
    name: NonEmptyText,
    path: Type.String({ pattern: linkPath.source, description: 'a path such as /v1/slos?format=csv' }),
    body: Type.Optional(Type.Refine(Type.String({ maxLength: 10_000, description: 'a JSON text of at most 10,000 characters' }), isJson)),
    signature: Type.String({
      pattern: '^hmac-sha256:[0-9a-f]{64}$',
      description: 'hmac-sha256: and 64 hex digits, as tidemark link create writes it',
    }),
    created: Instant,
    expires: Instant,
  },
  closed,
)

const RetryEntry = Type.Object(
  {
    strategy: Type.Enum(['fixed', 'linear', 'exponential', 'single'], { title: 'Backoff strategy between retries' }),
    baseBackoff: Type.Optional(titled('Delay before the first retry', Duration)),
    maxRetries: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, title: 'Maximum number of retries, 1 to 10' })),
    onlyOnNetworkErrors: Type.Optional(Type.Boolean({ title: 'Retry only on network errors' })),
  },
  { ...closed, title: 'Retries before a failure counts' },
)

const Count = Type.Integer({ minimum: 0, maximum: 1_000_000 })

const SubscriptionEntry = Type.Object({ alertChannelId: Type.Integer({ minimum: 1 }), activated: Type.Boolean() }, closed)

/** Fields that API clients send, and compare with responses: which managed channels notify, and when; and settings without effect here. */
export const clientFieldSchemas = {
  alertChannelSubscriptions: Type.Optional(Type.Array(SubscriptionEntry, { minItems: 1, maxItems: 100 })),
  useGlobalAlertSettings: Type.Optional(Type.Boolean()),
  alertSettings: Type.Optional(
    Type.Object(
      {
        escalationType: Type.Enum(['RUN_BASED', 'TIME_BASED']),
        runBasedEscalation: Type.Object({ failedRunThreshold: Count }, closed),
        timeBasedEscalation: Type.Object({ minutesFailingThreshold: Count }, closed),
        reminders: Type.Object({ amount: Count, interval: Count }, closed),
        parallelRunFailureThreshold: Type.Object({ enabled: Type.Boolean(), percentage: Count }, closed),
      },
      closed,
    ),
  ),
  runtimeId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  groupOrder: Type.Optional(Count),
  variables: Type.Optional(Type.Enum(['braces', 'spacedBraces', 'tripleBraces', 'spacedTripleBraces'])),
}
const ClientFields = Type.Object(clientFieldSchemas, closed)
export type ClientFields = Static<typeof ClientFields>

const commonFields = {
  id: Type.Optional(titled('Permanent id in URLs and the API', Id)),
  name: titled('Display name in lists and alerts', NonEmptyText),
  description: Type.Optional(titled('Free text, for information only', NonEmptyText)),
  type: Type.String(),
  activated: Type.Optional(Type.Boolean({ title: 'Whether it runs; default: yes' })),
  muted: Type.Optional(Type.Boolean({ title: 'Mute alerts' })),
  tags: Type.Optional(Type.Array(Label, { maxItems: 100, uniqueItems: true, title: 'Labels for grouping and search' })),
  dependsOn: Type.Optional(
    Type.Array(Id, { maxItems: 100, uniqueItems: true, title: 'Ids of parent checks: while one is down, only that one alerts' }),
  ),
  alerts: Type.Optional(
    Type.Array(Id, { maxItems: 100, uniqueItems: true, title: 'Ids of its alert rules; default: those that select it' }),
  ),
  clientFields: Type.Optional(ClientFields),
}

const scheduledFields = {
  frequency: titled('Interval between runs, from 10s to 30d', Duration),
  frequencyWhenFailing: Type.Optional(titled('Interval between runs while it fails', Duration)),
  locations: Type.Optional(Type.Array(Label, { minItems: 1, maxItems: 1000, uniqueItems: true, title: 'Locations to run at' })),
  retry: Type.Optional(RetryEntry),
  runParallel: Type.Optional(Type.Boolean({ title: 'Run at all locations at once; otherwise one after another' })),
  timeout: Type.Optional(titled('Timeout of an attempt', Duration)),
  degradedResponseTime: Type.Optional(titled('Slower runs are degraded', Milliseconds)),
  maxResponseTime: Type.Optional(titled('Slower runs fail', Milliseconds)),
  evidence: Type.Optional(Type.Enum(evidenceModes, { title: 'Runs to keep evidence of' })),
}

const PingCheckEntry = Type.Object(commonFields)
const ScheduledCheckEntry = Type.Object({ ...commonFields, ...scheduledFields })
/** The fields common to checks of all types, all optional. */
export const AnyCheckEntry = Type.Partial(ScheduledCheckEntry)
export type CheckEntry = Static<typeof PingCheckEntry> & Partial<Static<typeof ScheduledCheckEntry>>

/** Fields that ping checks do not have. */
export const scheduledFieldNames: readonly string[] = Object.keys(scheduledFields)

/** The schema of a check of this type: the common fields and the type's own settings. */
export function configuredCheckSchema(checkType: CheckType): TObject {
  const known = checkSchemas.get(checkType) ?? newCheckSchema(checkType)
  checkSchemas.set(checkType, known)
  return known
}

const checkSchemas = new WeakMap<CheckType, TObject>()

function newCheckSchema({ pingSettings, settings }: CheckType): TObject {
  const common = pingSettings ? PingCheckEntry : ScheduledCheckEntry
  return Type.Object({ ...common.properties, ...settings.properties }, closed)
}

const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$', description: 'the name of an environment variable' })

const AccountEntry = Type.Object(
  {
    id: Id,
    name: Type.Optional(NonEmptyText),
    publicBadges: Type.Optional(Type.Boolean()),
    managedVariables: Type.Optional(Type.Array(VariableName, { maxItems: 1000, uniqueItems: true })),
    pingKey: Type.Optional(Type.String({ maxLength: 2000 })),
    keys: Type.Optional(Type.Array(KeyEntry)),
    links: Type.Optional(Type.Array(LinkEntry)),
    ...compositionFields,
    include: Type.Optional(Type.Array(IncludePattern, { uniqueItems: true })),
    maintenance: Type.Optional(Type.Array(Type.Object({}))),
    serviceHours: Type.Optional(Type.Array(Type.Object({}))),
    slos: Type.Optional(Type.Array(Type.Object({}))),
    channels: Type.Optional(Type.Array(Type.Object({}), { maxItems: 1000 })),
    alerts: Type.Optional(Type.Array(Type.Object({}), { maxItems: 1000 })),
    canary: Type.Optional(Type.Object({}, { description: 'a mapping of locations to lists of host:port' })),
    deadManSwitch: Type.Optional(Type.Object({}, { description: 'a mapping with url and every' })),
  },
  closed,
)

const Origin = Type.String({
  pattern: '^(\\*|https?://[^/?#\\s@*]+)$',
  description: 'an origin such as https://dashboards.example.com, without a path, or * for all',
})
const CorsEntry = Type.Object({ origins: Type.Array(Origin, { uniqueItems: true }) }, closed)

const Blocks = Type.Optional(Type.Array(Type.String({ description: 'an address or CIDR block such as 10.0.0.0/8' })))

const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))
const LimitsEntry = Type.Object(
  {
    locations: Limit,
    statusCodes: Limit,
    exports: Limit,
    exportsPerKey: Limit,
    streams: Limit,
    streamsPerKey: Limit,
    connections: Limit,
    connectionsPerAddress: Limit,
    evidenceBytes: Limit,
    screenshotBytes: Limit,
  },
  closed,
)

const ServerName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$', description: 'a name of letters, digits and _' })
const FilePath = Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a file' })
const AbsolutePath = Type.String({ pattern: '^/', maxLength: 4096, description: 'a path such as /run/secrets' })
const ServerUrl = Type.String({
  pattern: '^https?://[^\\s/?#@]+/?$',
  description: 'a URL such as https://clickhouse.example.com:8443, without user and path',
})
const ClickHouseEntry = Type.Object(
  {
    url: ServerUrl,
    urls: Type.Optional(Type.Array(ServerUrl, { maxItems: 100, uniqueItems: true })),
    database: Type.Optional(ServerName),
    cluster: Type.Optional(ServerName),
    username: Type.Optional(NonEmptyText),
    passwordFile: Type.Optional(FilePath),
    tls: Type.Optional(Type.Object({ caFile: FilePath }, closed)),
  },
  closed,
)

/** The whole file. Checks are validated separately, by `configuredCheckSchema` of their type. */
export const ConfigFile = Type.Object(
  {
    publicUrl: Type.Optional(Type.String({ maxLength: 2000 })),
    retention: Type.Optional(Duration),
    retentionDelay: Type.Optional(Duration),
    evidence: Type.Optional(Type.Enum(evidenceModes)),
    evidenceRetention: Type.Optional(Duration),
    rateLimit: Type.Optional(Type.Object({ requests: Type.Integer({ minimum: 1, maximum: 1_000_000 }), per: Duration }, closed)),
    limits: Type.Optional(LimitsEntry),
    cors: Type.Optional(CorsEntry),
    accountHeaders: Type.Optional(Type.Array(HeaderName)),
    addresses: Type.Optional(Type.Object({ allow: Blocks, deny: Blocks }, closed)),
    allowUploadedCode: Type.Optional(Type.Boolean()),
    allowManagedLocations: Type.Optional(Type.Boolean()),
    runner: Type.Optional(Type.Object({ locations: Type.Optional(Type.Array(Label, { uniqueItems: true })) }, closed)),
    store: Type.Optional(Type.Object({ clickhouse: ClickHouseEntry }, closed)),
    secretFolders: Type.Optional(Type.Array(AbsolutePath, { maxItems: 20, uniqueItems: true })),
    defaults: compositionFields.defaults,
    include: Type.Optional(Type.Array(IncludePattern, { uniqueItems: true })),
    accounts: Type.Array(AccountEntry),
  },
  closed,
)
export type ConfigFile = Static<typeof ConfigFile>
export type AccountEntry = Static<typeof AccountEntry>
export type LinkEntry = Static<typeof LinkEntry>
export type KeyEntry = Static<typeof KeyEntry>

/** Call this only if the schema of the file has no findings. */
export function asConfigFile(value: unknown): ConfigFile {
  return value as ConfigFile
}

import { parsedJson } from '../../../text/parsed-json.ts'
import type { ConversionDraft } from '../draft.ts'
import { fieldsOf, numberOf, plainText, unreadLines } from '../fields.ts'
import type { KumaDatabase } from './database.ts'

export type KumaSettings = {
  readonly timezone: string
  readonly certificateDays: readonly number[]
  /** Null if the setting is missing. */
  readonly keptDays: number | null
}

const defaults = { checkUpdate: true, entryPage: 'dashboard', nscd: true, apiKeysEnabled: true, domainExpiryNotifyDays: [7, 14, 21] }

/** Internal state of Uptime Kuma, and the settings of the only status page of 1.x. */
const notSettings = [
  ...['database_version', 'databasePatchedFiles', 'migrateAggregateTableState', 'jwtSecret', 'initServerTimezone', 'rdapDnsData'],
  ...['webpushPublicVapidKey', 'webpushPrivateVapidKey', 'apiKeysEnabled', 'checkUpdate', 'checkBeta', 'entryPage'],
  ...['title', 'description', 'icon', 'statusPagePublished', 'statusPageTags', 'statusPageTheme', 'searchEngineIndex'],
]

const reasons: Readonly<Record<string, string>> = {
  primaryBaseURL: 'Set publicUrl in the config file.',
  disableAuth: 'Tidemark always requires a key.',
  trustProxy: 'Client addresses are not read from headers.',
  nscd: 'The system resolves names, with its own cache.',
  dnsCache: 'The system resolves names, with its own cache.',
  chromeExecutable: 'Playwright browsers are used.',
  steamAPIKey: 'Game server checks are not supported.',
  globalpingApiToken: 'Globalping is not supported: use agents to run checks elsewhere.',
  cloudflaredTunnelToken: 'Tidemark does not open tunnels.',
  domainExpiryNotifyDays: 'Domain expiration is not checked.',
}

export function kumaSettings(database: KumaDatabase, draft: ConversionDraft): KumaSettings {
  const values = database.all('setting').map(({ key, value }) => {
    const parsed = parsedJson(plainText(value))
    return [plainText(key), parsed === undefined ? plainText(value) : parsed]
  })
  const fields = fieldsOf(Object.fromEntries(values), defaults)
  fields.skip(...notSettings)
  const days = fields.take('tlsExpiryNotifyDays')
  const keptDays = fields.number('keepDataPeriodDays')
  const timezone = fields.take('serverTimezone')
  draft.report(...unreadLines(fields, 'settings', reasons))
  return {
    timezone: typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC',
    certificateDays: Array.isArray(days) ? days.map(numberOf).filter((day) => day !== null) : [7, 14, 21],
    keptDays: keptDays === null || keptDays >= 1 ? keptDays : Number.POSITIVE_INFINITY,
  }
}

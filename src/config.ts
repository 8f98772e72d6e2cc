import { withoutTrailingSlashes } from './text/without-trailing-slashes.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Settings from environment variables; command line flags override them. */
export type Settings = {
  readonly configFile: string
  readonly dataDir: string
  /** The ClickHouse server for results; overrides the one in the config file. */
  readonly clickHouseUrl: string | null
  readonly port: number
  readonly host: string
  /** The path below which a reverse proxy forwards requests; empty for none. */
  readonly basePath: string
  readonly logLevel: LogLevel
  /** The Chromium for browser runs; null to search for one. */
  readonly chromium: string | null
  /** The key that encrypts secrets, or the file that contains it; null for none. */
  readonly secretKey: string | null
  readonly secretKeyFile: string | null
  /** The locations that this process runs; null for all. */
  readonly locations: readonly string[] | null
  /** Concurrency limits of all runs, and of those that start a browser or a test runner; null to derive them from the machine. */
  readonly maxRuns: number | null
  readonly maxHeavyRuns: number | null
  /** For commands that call a running server. */
  readonly url: string
  readonly key: string | null
  readonly account: string | null
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
type LogLevel = (typeof logLevels)[number]

/** An environment variable with an invalid value. */
export class SettingsFault extends Error {
  override readonly name = 'SettingsFault'
}

export function readSettings(env: Env): Settings {
  const given = (name: string) => env[name] || null
  return {
    configFile: given('TIDEMARK_CONFIG') ?? 'tidemark.yaml',
    dataDir: given('TIDEMARK_DATA') ?? './data',
    clickHouseUrl: serverUrlOf(given('TIDEMARK_CLICKHOUSE_URL'), 'TIDEMARK_CLICKHOUSE_URL'),
    port: portOf(given('TIDEMARK_PORT') ?? '8787', 'TIDEMARK_PORT'),
    host: given('TIDEMARK_HOST') ?? '127.0.0.1',
    basePath: basePathOf(given('TIDEMARK_BASE_PATH') ?? '', 'TIDEMARK_BASE_PATH'),
    logLevel: logLevelOf(given('TIDEMARK_LOG') ?? 'info'),
    chromium: given('TIDEMARK_CHROMIUM'),
    secretKey: given('TIDEMARK_SECRET_KEY'),
    secretKeyFile: given('TIDEMARK_SECRET_KEY_FILE'),
    locations: listOf(given('TIDEMARK_LOCATIONS')),
    maxRuns: limitOf(given('TIDEMARK_MAX_RUNS'), 'TIDEMARK_MAX_RUNS'),
    maxHeavyRuns: limitOf(given('TIDEMARK_MAX_HEAVY_RUNS'), 'TIDEMARK_MAX_HEAVY_RUNS'),
    url: given('TIDEMARK_URL') ?? 'http://127.0.0.1:8787',
    key: given('TIDEMARK_KEY'),
    account: given('TIDEMARK_ACCOUNT'),
  }
}

/** 0 lets the system choose a port. */
export function portOf(text: string, name: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new SettingsFault(`${name} must be a port from 0 to 65535.`)
  return port
}

function limitOf(text: string | null, name: string): number | null {
  if (text === null) return null
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new SettingsFault(`${name} must be a number from 1 to 9999.`)
  return Number(text)
}

/** A path such as `/tidemark`, without a slash at its end; empty for none. */
export function basePathOf(text: string, name: string): string {
  const path = withoutTrailingSlashes(text)
  if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(path)) throw new SettingsFault(`${name} must be a path such as /tidemark.`)
  return path
}

function serverUrlOf(text: string | null, name: string): string | null {
  if (text !== null && !(/^https?:/.test(text) && URL.canParse(text)))
    throw new SettingsFault(`${name} must be a URL such as http://user:password@127.0.0.1:8123/tidemark.`)
  return text
}

function listOf(text: string | null): readonly string[] | null {
  const parts = (text ?? '').split(',').map((part) => part.trim())
  const named = parts.filter((part) => part !== '')
  return named.length > 0 ? named : null
}

function logLevelOf(text: string): LogLevel {
  const level = logLevels.find((name) => name === text)
  if (!level) throw new SettingsFault(`TIDEMARK_LOG must be one of ${logLevels.join(', ')}.`)
  return level
}

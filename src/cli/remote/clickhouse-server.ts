import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ClickHouseSettings } from '../../catalogue/catalogue.ts'
import type { Settings } from '../../config.ts'
import type { ClickHouseServer } from '../../store/clickhouse/clickhouse-store.ts'
import { CommandFailure } from '../context.ts'

/** The ClickHouse server from the environment, else from the config file; null if results are in the data folder. */
export async function clickHouseServer(
  { clickHouseUrl }: Pick<Settings, 'clickHouseUrl'>,
  configured: ClickHouseSettings | null,
  configDir: string,
): Promise<ClickHouseServer | null> {
  if (!clickHouseUrl && !configured) return null
  const given = clickHouseUrl ? serverOf(clickHouseUrl) : null
  const read = (file: string) => readFile(resolve(configDir, file)).catch(unreadable(file))
  const password = configured?.passwordFile ? (await read(configured.passwordFile)).toString().trimEnd() : ''
  return {
    url: given?.url ?? configured?.url ?? '',
    otherUrls: given ? [] : (configured?.otherUrls ?? []),
    database: given?.database || configured?.database || 'tidemark',
    cluster: configured?.cluster ?? null,
    username: given?.username || configured?.username || 'default',
    password: given?.password || password,
    ca: configured?.caFile ? await read(configured.caFile) : null,
  }
}

/** The parts of a URL such as `http://user:password@127.0.0.1:8123/database`; missing parts are empty. */
export function serverOf(text: string) {
  const { origin, username, password, pathname } = new URL(text)
  return {
    url: origin,
    database: pathname.slice(1),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
}

const unreadable = (file: string) => (error: NodeJS.ErrnoException) => {
  throw new CommandFailure(`Cannot read ${file}, which the config file sets for ClickHouse (${error.code}).`, 2)
}

import { CommandFailure } from '../../context.ts'
import type { ConversionDraft } from '../draft.ts'
import type { ConvertedResult, ConvertSource } from '../source.ts'
import { monitorBeats } from './beats.ts'
import { kumaChannels } from './channels.ts'
import { type KumaDatabase, openKumaDatabase } from './database.ts'
import { convertMaintenance } from './maintenance.ts'
import { convertMonitors } from './monitors.ts'
import { kumaSettings } from './settings.ts'

/** Uptime Kuma 1.x and 2.x. */
export const kuma: ConvertSource = {
  from: 'kuma',
  reads: 'kuma.db, the SQLite database of Uptime Kuma, with its history',
  async convert({ files, draft, now, progress }) {
    const [file, ...others] = files
    if (file === undefined || others.length > 0) throw new CommandFailure('Specify one file: kuma.db from the data folder of Uptime Kuma.')
    const database = await openKumaDatabase(file)
    try {
      if (!database.columns('monitor').has('type')) throw new CommandFailure(`${file} is not an Uptime Kuma database: it has no monitors.`)
      const settings = kumaSettings(database, draft)
      const channels = kumaChannels(database, draft)
      const ids = convertMonitors(database, draft, { channels, settings })
      convertMaintenance(database, draft, { ids, settings })
      if (settings.keptDays !== null) draft.keepResults(settings.keptDays)
      reportOthers(database, draft)
      return closing(database, monitorBeats(database, draft, { ids, now, progress }))
    } catch (error) {
      database.close()
      throw error
    }
  },
}

function* closing(database: KumaDatabase, rows: Iterable<ConvertedResult>): Generator<ConvertedResult> {
  try {
    yield* rows
  } finally {
    database.close()
  }
}

/** Tables that hold no checks, with the reason why their rows are not converted. */
const otherTables: Readonly<Record<string, string>> = {
  status_page: 'Status pages are not converted.',
  incident: 'Incidents of status pages are not converted.',
  proxy: 'Checks do not support proxies.',
  docker_host: 'Container checks are not supported.',
  remote_browser: 'Browsers run on the Tidemark host.',
  api_key: 'Keys are not converted: create new ones with tidemark key create.',
  stat_daily: 'Daily counts are not converted: they are not runs.',
  stat_hourly: 'Hourly counts are not converted: they are not runs.',
  stat_minutely: 'Counts per minute are not converted: they are not runs.',
  user: 'Users are not converted: create keys with tidemark key create.',
}

/** Tables that need no report: converted tables, tables derived from them, and parts of status pages. */
const quietTables = new Set([
  ...[
    'monitor',
    'heartbeat',
    'tag',
    'monitor_tag',
    'notification',
    'monitor_notification',
    'maintenance',
    'monitor_maintenance',
    'setting',
  ],
  ...['maintenance_timeslot', 'monitor_tls_info', 'notification_sent_history', 'domain_expiry'],
  ...['group', 'monitor_group', 'status_page_cname', 'maintenance_status_page'],
  ...['knex_migrations', 'knex_migrations_lock', 'sqlite_sequence'],
])

function reportOthers(database: KumaDatabase, draft: ConversionDraft): void {
  for (const table of database.tables()) {
    const count = quietTables.has(table) ? 0 : database.count(table)
    const why = (Object.hasOwn(otherTables, table) ? otherTables[table] : undefined) ?? 'Unknown table.'
    if (count > 0) draft.leftOut(`table ${table}`, `${why} There are ${count}.`)
  }
  if (database.columns('knex_migrations').size > 0)
    draft.changed(
      'table heartbeat',
      null,
      'Uptime Kuma 2 deletes beats after 24 hours, except state changes and the last 100, so older results are sparse. A copy of kuma.db from before the upgrade has them all.',
    )
}

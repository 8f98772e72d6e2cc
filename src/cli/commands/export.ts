import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import type { Edge } from '../../analytics/resolve-window.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { utc, type Zone } from '../../calendar/zone.ts'
import type { Window } from '../../store/store.ts'
import { lastInstant } from '../../time.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand } from '../data-folder.ts'
import { type ExportFormat, type ExportSource, exportFormats, fromFolder } from '../export/from-folder.ts'
import { fromServer } from '../export/from-server.ts'
import { configOption, dataOption, timeParser, timezoneOption } from '../options.ts'
import { accountOption, keyOption, urlOption } from '../remote/remote.ts'

type ExportOptions = Omit<ExportSource, 'window'> & {
  readonly all?: true
  readonly from?: Edge
  readonly to?: Edge
  readonly timezone?: Zone
  readonly url?: string
  readonly key?: string
}

export function exportCommand(context: Context): Command {
  return new Command('export')
    .description(
      'Write all results of a check to standard output, oldest first, in the format that import reads; or those of all checks for Prometheus.',
    )
    .option('--check <check>', 'its id or name; in a data folder also the id of a removed check')
    .option('--all', 'all checks, one after another, as NDJSON; in a data folder also removed checks')
    .option('--from <time>', 'the start of the window; default: the first result', timeParser(context))
    .option('--to <time>', 'the end of the window; default: the last result', timeParser(context))
    .addOption(timezoneOption())
    .addOption(new Option('-f, --format <format>', 'the output format').choices(exportFormats).default('ndjson'))
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(urlOption())
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .action(async (options: ExportOptions) => {
      requireOne(options)
      const source = { ...options, window: windowOf(options) }
      const pieces = options.url === undefined ? await fromFolder(context, source) : await fromServer(options.url, source)
      await pipeline(Readable.from(pieces), context.stdout, { end: false }).catch(failCommand)
    })
}

/** Only NDJSON can hold several checks, because their tables have different columns. */
function requireOne({ check, all, format }: { readonly check?: string; readonly all?: true; readonly format: ExportFormat }): void {
  if (format === 'openmetrics' && check === undefined) return
  if ((check === undefined) === (all === undefined)) throw new CommandFailure('Choose one check with --check, or all of them with --all.')
  if (all && format === 'csv') throw new CommandFailure('CSV supports only one check: leave out --format csv, or choose one with --check.')
}

function windowOf({ from = 0, to = lastInstant, timezone = utc }: Pick<ExportOptions, 'from' | 'to' | 'timezone'>): Window {
  return { from: edgeInstant(from, 'from', timezone), to: edgeInstant(to, 'to', timezone) }
}

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Edge, edgeInstant, parseEdge } from '../analytics/window.ts'
import { utc, type Zone } from '../calendar/zone.ts'
import { readConfig } from '../catalogue/open.ts'
import { exported } from '../ingest/export.ts'
import type { FileFormat } from '../ingest/file-rows.ts'
import { openStoreReadOnly } from '../store/open.ts'
import type { Window } from '../store/store.ts'
import { isoText, lastInstant } from '../time.ts'
import type { Context } from './context.ts'
import { failCommand, requireData } from './data-folder.ts'
import { findCheck } from './find-check.ts'
import { configOption, dataOption, timezoneOption } from './options.ts'
import { accountOption, callServer, errorReply, keyOption, remoteOf, urlOption } from './remote.ts'
import { findCheck as findRemoteCheck } from './report/find-check.ts'
import { resolveAccount } from './resolve-account.ts'

type ExportOptions = {
  readonly check: string
  readonly from?: Edge
  readonly to?: Edge
  readonly timezone?: Zone
  readonly format: FileFormat
  readonly config: string
  readonly data: string
  readonly url?: string
  readonly key?: string
  readonly account?: string
}

export function exportCommand(context: Context): Command {
  return new Command('export')
    .description('Write all results of a check, oldest first, to standard output, in the format that import reads.')
    .requiredOption('--check <check>', 'its id or name')
    .option('--from <time>', 'the start of the window; default: the first result', parseTime)
    .option('--to <time>', 'the end of the window; default: the last result', parseTime)
    .addOption(timezoneOption())
    .addOption(new Option('-f, --format <format>', 'the output format').choices(['ndjson', 'csv']).default('ndjson'))
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(urlOption())
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .action(async (options: ExportOptions) => {
      const source = options.url === undefined ? await fromFolder(context, options) : await fromServer(options.url, options)
      await pipeline(source, context.stdout, { end: false }).catch(failCommand)
    })
}

async function fromFolder({ env }: Context, { check: wanted, config, data, ...options }: ExportOptions): Promise<Readable> {
  requireData(data)
  const file = await readConfig(config, env)
  const account = resolveAccount(file.accounts, options.account)
  const { id, checkType } = findCheck(file, wanted, { account, config })
  const store = opened(data)
  const window = windowOf(options)
  const pieces = exported(store, { check: { account, checkId: id }, checkType, window, format: options.format })
  return Readable.from(pieces).on('close', () => void store.close())
}

function opened(data: string): ReturnType<typeof openStoreReadOnly> {
  try {
    return openStoreReadOnly(data)
  } catch (error) {
    return failCommand(error)
  }
}

async function fromServer(url: string, { check: wanted, format, ...options }: ExportOptions): Promise<Readable> {
  const { from, to } = windowOf(options)
  const query = new URLSearchParams({ format, from: isoText(from), to: isoText(to) })
  const remote = remoteOf(url, options)
  const { id } = await findRemoteCheck(remote, wanted)
  const response = await callServer(remote, `/v1/check-results/${id}/export?${query}`)
  if (!response.ok || !response.body) throw errorReply(response.status, await response.text())
  return Readable.fromWeb(response.body)
}

function windowOf({ from = 0, to = lastInstant, timezone = utc }: Pick<ExportOptions, 'from' | 'to' | 'timezone'>): Window {
  return { from: edgeInstant(from, 'from', timezone), to: edgeInstant(to, 'to', timezone) }
}

function parseTime(text: string): Edge {
  const time = parseEdge(text)
  if (time === undefined) throw new InvalidArgumentError('It must be a time such as 2026-11-14T10:00:00Z, 2026-11-14 or unix seconds.')
  return time
}

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { parseEdge } from '../analytics/window.ts'
import { readConfig } from '../catalogue/open.ts'
import { exported } from '../ingest/export.ts'
import type { FileFormat } from '../ingest/file-rows.ts'
import { openStoreReadOnly } from '../store/open.ts'
import { lastInstant } from '../time.ts'
import type { Context } from './context.ts'
import { failCommand, requireData } from './data-folder.ts'
import { findCheck } from './find-check.ts'
import { configOption, dataOption } from './options.ts'
import { accountOption, callServer, errorReply, keyOption, remoteOf, urlOption } from './remote.ts'
import { findCheck as findRemoteCheck } from './report/find-check.ts'
import { resolveAccount } from './resolve-account.ts'

type ExportOptions = {
  readonly check: string
  readonly from?: number
  readonly to?: number
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
    .option('--from <time>', 'the start of the window; default: the first result', instant('from'))
    .option('--to <time>', 'the end of the window; default: the last result', instant('to'))
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
  const window = { from: options.from ?? 0, to: options.to ?? lastInstant }
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

async function fromServer(url: string, { check: wanted, from, to, format, ...credentials }: ExportOptions): Promise<Readable> {
  const query = new URLSearchParams({ format })
  if (from !== undefined) query.set('from', new Date(from).toISOString())
  if (to !== undefined) query.set('to', new Date(to).toISOString())
  const remote = remoteOf(url, credentials)
  const { id } = await findRemoteCheck(remote, wanted)
  const response = await callServer(remote, `/v1/check-results/${id}/export?${query}`)
  if (!response.ok || !response.body) throw errorReply(response.status, await response.text())
  return Readable.fromWeb(response.body)
}

function instant(edge: 'from' | 'to'): (text: string) => number {
  return (text) => {
    const time = parseEdge(text, edge)
    if (time === undefined) throw new InvalidArgumentError('It must be a time such as 2026-11-14T10:00:00Z, 2026-11-14 or unix seconds.')
    return time
  }
}

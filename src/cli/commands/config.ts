import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { readConfig } from '../../catalogue/open.ts'
import { type LoggedVersion, type LogPlace, logStart } from '../../store/documents/document-log.ts'
import { openDocumentHeads } from '../../store/open.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand, requireData } from '../data-folder.ts'
import { adoptChecks } from '../managed/adopt.ts'
import { managedYaml } from '../managed/managed-yaml.ts'
import { configOption, dataOption, parseList } from '../options.ts'
import { clickHouseServer } from '../remote/clickhouse-server.ts'
import { accountOption, keyOption, remoteOf } from '../remote/remote.ts'
import { resolveAccount } from '../remote/resolve-account.ts'

type ExportOptions = { readonly config: string; readonly data: string; readonly account?: string }
type AdoptOptions = {
  readonly config: string
  readonly url: string
  readonly key?: string
  readonly account?: string
  readonly checks?: readonly string[]
  readonly all?: true
}

export function configCommand(context: Context): Command {
  const command = new Command('config').description('Move checks between the config file and the API, which keeps them in the store.')
  command
    .command('export')
    .description('Write the checks that are managed over the API as a config file, with their secrets. The server may keep running.')
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .option('-a, --account <id>', 'only those of this account')
    .action((options: ExportOptions) => exportManaged(context, options))
  command
    .command('adopt')
    .description('Move checks of the config file over to a running server, which keeps them from then on; they are removed from the file.')
    .addOption(configOption(context))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .option('--checks <ids>', 'the ids of the checks', parseList)
    .option('--all', 'all checks of the account that are written out in its checks')
    .action((options: AdoptOptions) => adopt(context, options))
  return command
}

const headsPerRead = 500

async function exportManaged(context: Context, { config: file, data, account }: ExportOptions): Promise<void> {
  const { service } = await readConfig(file, context.env)
  const server = await clickHouseServer(context.settings, service.clickhouse, dirname(resolve(file)))
  if (!server) requireData(data)
  const log = await openDocumentHeads(server ? { server } : { directory: data }).catch(failCommand)
  const heads: LoggedVersion[] = []
  try {
    for (let place: LogPlace = logStart; ; ) {
      const page = await log.heads(place, headsPerRead)
      heads.push(...page)
      place = page.at(-1) ?? place
      if (page.length < headsPerRead) break
    }
  } finally {
    await log.close()
  }
  context.stdout.write(managedYaml(heads, account ?? null))
}

async function adopt(context: Context, options: AdoptOptions): Promise<void> {
  const { config: file, checks: ids, all } = options
  if ((ids === undefined) === (all === undefined)) throw new CommandFailure('Choose checks with --checks, or all of them with --all.')
  const { accounts, checks } = await readConfig(file, context.env)
  const account = resolveAccount(accounts, options.account)
  const own = checks.filter((check) => check.account === account)
  const isPlain = ({ origin }: (typeof own)[number]) => origin.file === null && origin.group === null
  const missing = (ids ?? []).filter((id) => !own.some((check) => check.id === id && isPlain(check)))
  if (missing.length > 0)
    throw new CommandFailure(
      `These are not written out in the checks of ${account}, but in a group or another file, or nowhere: ${missing.join(', ')}`,
    )
  const chosen = own.filter((check) => isPlain(check) && (ids === undefined || ids.includes(check.id)))
  await adoptChecks(context, { file, remote: remoteOf(options.url, { ...options, account }), checks: chosen })
  context.stdout.write(
    `${chosen.length} ${chosen.length === 1 ? 'check is' : 'checks are'} managed by the server now, and no longer in ${file}.\n`,
  )
}

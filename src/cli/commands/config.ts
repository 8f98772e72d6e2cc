import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { readConfig } from '../../catalogue/open.ts'
import { CommandFailure, type Context } from '../context.ts'
import { environmentLine } from '../convert/written-text.ts'
import { requireData } from '../data-folder.ts'
import { adoptChecks } from '../managed/adopt.ts'
import { allHeads } from '../managed/all-heads.ts'
import { exportManaged } from '../managed/export/export-managed.ts'
import { configOption, dataOption, parseList } from '../options.ts'
import { clickHouseServer } from '../remote/clickhouse-server.ts'
import { accountOption, keyOption, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { openVault } from '../secret-key.ts'

type ExportOptions = { readonly config: string; readonly data: string; readonly account?: string; readonly env?: string }
type AdoptOptions = RemoteOptions & {
  readonly config: string
  readonly checks?: readonly string[]
  readonly all?: true
}

export function configCommand(context: Context): Command {
  const command = new Command('config').description('Move definitions between the config file and the store, which the API manages.')
  command
    .command('export')
    .description(
      'Export everything that is managed over the API as a config file: checks, groups, maintenance, channels and agent keys. Secrets and variables become environment variables. Reports what a file cannot express on stderr. The server may keep running.',
    )
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .option('-a, --account <id>', 'only those of this account')
    .option('--env <file>', 'write the values of secrets and variables to a new shell-readable file, mode 600')
    .action((options: ExportOptions) => exportAll(context, options))
  command
    .command('adopt')
    .description(
      'Move checks from the config file and the files it includes to a running server, and remove them from the files. Inherited settings are written into each check. Groups, maintenance and channels stay in the file.',
    )
    .addOption(configOption(context))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .option('--checks <ids>', 'the ids of the checks', parseList)
    .option('--all', 'all checks of the account')
    .action((options: AdoptOptions) => adopt(context, options))
  return command
}

async function exportAll(context: Context, { config: file, data, account, env: envFile }: ExportOptions): Promise<void> {
  const { env, settings, stdout, stderr } = context
  const config = await readConfig(file, env)
  const server = await clickHouseServer(settings, config.service.clickhouse, dirname(resolve(file)))
  if (!server) requireData(data)
  const vault = await openVault(settings)
  const heads = await allHeads(server ? { server } : { directory: data })
  const { yaml, notes, variables } = exportManaged(heads, { config, account: account ?? null, env, vault })
  if (envFile !== undefined)
    await writeNew(envFile, [...variables].map(([name, value]) => (value === null ? '' : environmentLine(name, value))).join(''))
  const missing = [...variables].filter(([, value]) => envFile === undefined || value === null)
  for (const note of notes) stderr.write(`${note}\n`)
  for (const [name, value] of missing)
    stderr.write(`${name}: set this variable${value === null ? ', which cannot be decrypted without TIDEMARK_SECRET_KEY' : ''}\n`)
  stdout.write(yaml)
}

/** Writes secrets: never overwrites a file, and only the owner can read the new one. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(error.code === 'EEXIST' ? `${file} exists already.` : `${file} cannot be written: ${error.message}`)
  })
}

async function adopt(context: Context, options: AdoptOptions): Promise<void> {
  const { config: file, checks: ids, all } = options
  if ((ids === undefined) === (all === undefined)) throw new CommandFailure('Choose checks with --checks, or use --all.')
  const { accounts } = await readConfig(file, context.env)
  const account = resolveAccount(accounts, options.account)
  const { checks, along, missing, edits } = await adoptChecks(context, {
    file,
    remote: remoteOf(options.url, { ...options, account }),
    ids: ids ?? null,
  })
  const say = (text: string) => context.stdout.write(`${text}\n`)
  const files = edits.map((edit) => edit.file ?? file)
  say(
    `${checks.length} ${checks.length === 1 ? 'check is' : 'checks are'} managed by the server now, and no longer in ${files.join(', ') || file}.`,
  )
  if (along.length > 0) say(`forEach creates these together with others, so they were moved too: ${along.join(', ')}.`)
  if (missing.length > 0) say(`These were managed before: ${missing.join(', ')}.`)
  const groups = [...new Set(checks.flatMap(({ origin }) => origin.group ?? []))]
  if (groups.length > 0) say(`Inherited settings were written into them. Groups stay in the file: ${groups.join(', ')}.`)
}

import { Command, Option } from 'commander'
import { readConfig } from '../../catalogue/open.ts'
import { shownDefinition } from '../../catalogue/written-definition.ts'
import { CommandFailure, type Context } from '../context.ts'
import { changesText } from '../diff/changes-text.ts'
import { type DefinitionsById, definitionChanges } from '../diff/definition-changes.ts'
import { configOption } from '../options.ts'
import { ask } from '../remote/api-client.ts'
import { accountOption, keyOption, type Remote, remoteOf } from '../remote/remote.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { paintFor } from '../terminal/paint.ts'

type DiffOptions = { readonly config: string; readonly url: string; readonly key?: string; readonly account?: string }

/** As of diff(1). */
const changedExit = 1
const failedExit = 2

export function diffCommand(context: Context): Command {
  return new Command('diff')
    .description('Show what the config file would change about the checks of a running server.')
    .addOption(configOption(context))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addHelpText('after', '\nExit status: 0 nothing would change, 1 something would, 2 no answer or a faulty file.')
    .action((options: DiffOptions) => diff(context, options).catch(failed))
}

async function diff({ env, stdout }: Context, options: DiffOptions): Promise<void> {
  const { accounts, checks } = await readConfig(options.config, env)
  const account = resolveAccount(accounts, options.account)
  const own = checks.filter((check) => check.account === account)
  const wanted: DefinitionsById = new Map(own.map((check) => [check.id, shownDefinition(check)]))
  const changes = definitionChanges(await running(remoteOf(options.url, { ...options, account })), wanted)
  stdout.write(changesText(changes, paintFor(stdout)))
  if (changes.added.length + changes.changed.length + changes.removed.length > 0) process.exitCode = changedExit
}

async function running(remote: Remote): Promise<DefinitionsById> {
  return ask(remote, async (client) => {
    const found = new Map<string, Readonly<Record<string, unknown>>>()
    for await (const page of client.pages('/v1/check-definitions')) for (const { id, definition } of page) found.set(id, definition)
    return found
  })
}

function failed(error: unknown): never {
  throw error instanceof CommandFailure ? new CommandFailure(error.message, failedExit) : error
}

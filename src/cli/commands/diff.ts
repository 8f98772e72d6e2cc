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
    .description('Show what the config file would change about the checks of a running server. Nothing else is compared.')
    .addOption(configOption(context))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addHelpText(
      'after',
      '\nOnly checks of the config file are compared: no checks that are managed over the API, and no keys, channels, alerts, SLOs, maintenance or settings.\n\nExit status: 0 no check would change, 1 one would, 2 no answer or a faulty file.',
    )
    .action((options: DiffOptions) => diff(context, options).catch(failed))
}

async function diff({ env, stdout, stderr }: Context, options: DiffOptions): Promise<void> {
  const { accounts, checks } = await readConfig(options.config, env)
  const account = resolveAccount(accounts, options.account)
  const { ofFile, managed } = await running(remoteOf(options.url, { ...options, account }))
  const own = checks.filter((check) => check.account === account)
  for (const { id } of own.filter((check) => managed.has(check.id)))
    stderr.write(`The check ${id} is managed over the API, so that its entry in the file is not applied.\n`)
  const applied = own.filter((check) => !managed.has(check.id))
  const wanted: DefinitionsById = new Map(applied.map((check) => [check.id, shownDefinition(check)]))
  const changes = definitionChanges(ofFile, wanted)
  stdout.write(changesText(changes, paintFor(stdout)))
  if (changes.added.length + changes.changed.length + changes.removed.length > 0) process.exitCode = changedExit
}

/** `managed` has ids of checks that no file changes. */
type Running = { readonly ofFile: DefinitionsById; readonly managed: ReadonlySet<string> }

async function running(remote: Remote): Promise<Running> {
  return ask(remote, async (client) => {
    const ofFile = new Map<string, Readonly<Record<string, unknown>>>()
    const managed = new Set<string>()
    for await (const page of client.pages('/v1/check-definitions'))
      for (const { id, definition, managedVersion } of page) {
        if (managedVersion === null) ofFile.set(id, definition)
        else managed.add(id)
      }
    return { ofFile, managed }
  })
}

function failed(error: unknown): never {
  throw error instanceof CommandFailure ? new CommandFailure(error.message, failedExit) : error
}

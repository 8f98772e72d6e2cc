import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { readConfig } from '../../catalogue/open.ts'
import { findConfiguredCheck } from '../configured-check.ts'
import { CommandFailure, type Context } from '../context.ts'
import { configOption } from '../options.ts'
import { runAndShow } from '../run-once.ts'

type RunOptions = { readonly config: string; readonly account?: string; readonly location?: string; readonly json?: true }

export function runCommand(context: Context): Command {
  return new Command('run')
    .description('Run one check now and show all details. Stores nothing.')
    .argument('<check>', 'its id or name')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'its account, if the check is ambiguous')
    .option('-l, --location <name>', 'the location to run as')
    .option('--json', 'print only the result as it would be stored')
    .addHelpText('after', '\nExit status: 0 passing or degraded, 1 failing, 2 could not be run, 130 interrupted.')
    .action((wanted: string, options: RunOptions) => run(context, wanted, options))
}

async function run(context: Context, wanted: string, options: RunOptions): Promise<void> {
  const config = await readConfig(options.config, context.env)
  const found = findConfiguredCheck(config, wanted, options)
  const check = { ...found, agentLocations: [], createdAt: context.now(), updatedAt: context.now() }
  if (check.checkType.run === undefined) throw new CommandFailure(`${check.name} cannot be run: it waits for pings.`, 2)
  const runLocation = options.location ?? check.locations[0] ?? 'default'
  const configDir = dirname(resolve(options.config))
  await runAndShow(context, check, { runLocation, configDir, addresses: config.service.addresses, ...(options.json && { json: true }) })
}

import { Command, InvalidArgumentError } from 'commander'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { policiesIn, readPolicies } from '../../catalogue/open.ts'
import { maintenanceTime, withMaintenance } from '../../catalogue/policies/edit-maintenance.ts'
import { instantOf } from '../../catalogue/policies/maintenance.ts'
import type { AccountPolicies } from '../../catalogue/policies/parse-policies.ts'
import { type Selection, selector } from '../../catalogue/policies/policies.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { Check } from '../../schema/typebox.ts'
import { lastInstant } from '../../time.ts'
import { changeFile } from '../change-file.ts'
import { unknownName } from '../configured-check.ts'
import { CommandFailure, type Context } from '../context.ts'
import { collectNames, configOption, timeParser } from '../options.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { maintenanceRows } from '../terminal/maintenance-rows.ts'
import { alignedTable } from '../terminal/table.ts'

type AddOptions = {
  readonly config: string
  readonly account?: string
  readonly for: number
  readonly from?: number
  readonly tag: readonly string[]
  readonly check: readonly string[]
}
type ListOptions = { readonly config: string; readonly account?: string }

export function maintenanceCommand(context: Context): Command {
  const command = new Command('maintenance').description('Add and list maintenances in the config file.')
  command
    .command('add')
    .description('Add a maintenance. A running server applies it at once.')
    .argument('<name>', 'what is done')
    .addOption(configOption(context))
    .requiredOption('--for <duration>', 'duration, such as 2h', parseDuration)
    .option('--from <time>', 'start, such as 2026-11-20T22:00:00+01:00; default: now', fromParser(context))
    .option('--tag <tags>', 'only checks with any of these tags', collectNames, [])
    .option('--check <ids>', 'only checks with these ids', collectNames, [])
    .option('-a, --account <id>', 'its account, if there are several')
    .action((name: string, options: AddOptions) => add(context, name, options))
  command
    .command('list')
    .description('List current and upcoming maintenances, and the next occurrence of recurring ones.')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'only those of this account')
    .action((options: ListOptions) => list(context, options))
  return command
}

async function add(context: Context, name: string, options: AddOptions): Promise<void> {
  const { config: file, for: forMs, tag: tags, check: checks } = options
  if (name.trim() === '' || name.length > 200) throw new CommandFailure('The name must have 1 to 200 characters.')
  const from = options.from ?? Math.floor(context.now() / 1000) * 1000
  const to = from + forMs
  if (to > lastInstant) throw new CommandFailure('It would end after the year 9999. Give a shorter --for.')
  let added = ''
  await changeFile(file, (text) => {
    const accounts = policiesIn(file, text, context.env)
    const account = resolveAccount(
      accounts.map((one) => one.account),
      options.account,
    )
    const selected = selectedChecks(accounts, account, { checks, tags })
    const count = `${selected.length} check${selected.length === 1 ? '' : 's'}`
    added = `Added maintenance ${name} for ${count} of ${account}: ${maintenanceTime(from)} to ${maintenanceTime(to)}.\n`
    return withMaintenance(text, account, { name, from, to, checks, tags })
  })
  context.stdout.write(added)
}

async function list(context: Context, { config: file, account: named }: ListOptions): Promise<void> {
  const all = await readPolicies(file, context.env)
  const ids = all.map(({ account }) => account)
  const only = named === undefined ? null : resolveAccount(ids, named)
  const rows = maintenanceRows(
    all.filter(({ account }) => only === null || account.id === only),
    context.now(),
  )
  if (rows.length === 0) context.stderr.write('No current or upcoming maintenance.\n')
  else
    context.stdout.write(
      alignedTable(['account', 'name', 'state', 'from', 'to', 'repeats', 'checks'], rows, { width: context.stdout.columns }),
    )
}

/** The checks that a new maintenance applies to. Fails for a name that selects none. */
function selectedChecks(accounts: readonly AccountPolicies[], account: string, selection: Selection): AccountPolicies['checks'] {
  const known = accounts.find((one) => one.account.id === account)?.checks ?? []
  const ids = known.map(({ id }) => id)
  const tags = [...new Set(known.flatMap((check) => check.tags))]
  for (const id of selection.checks) if (!ids.includes(id)) throw unknownName(`${account} has no check with the id ${id}`, id, ids)
  for (const tag of selection.tags) if (!tags.includes(tag)) throw unknownName(`No check of ${account} has the tag ${tag}`, tag, tags)
  const selected = known.filter(selector(selection))
  if (selected.length === 0 && known.length > 0) {
    throw new CommandFailure('None of these checks has any of these tags. Give either --check or --tag.')
  }
  return selected
}

function parseDuration(text: string): number {
  if (!Check(Duration, text)) throw new InvalidArgumentError('It must be a duration such as 45m, 2h or 1d.')
  return durationMs(text)
}

function fromParser(context: Context): (text: string) => number {
  return (text) => (text.startsWith('-') ? edgeInstant(timeParser(context)(text), 'from', utc) : parseFrom(text))
}

function parseFrom(text: string): number {
  const instant = instantOf(text, 'from', utc)
  if (instant === undefined) throw new InvalidArgumentError('It must be a time such as 2026-11-20T22:00:00+01:00, or a date.')
  return instant
}

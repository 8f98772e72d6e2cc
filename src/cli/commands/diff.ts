import { Command, Option } from 'commander'
import { buildCatalogue } from '../../catalogue/build.ts'
import { readConfig } from '../../catalogue/open.ts'
import { shownDefinition } from '../../catalogue/written-definition.ts'
import { policyDefinitions } from '../../http/output/policy-definitions.ts'
import { shortened } from '../../text/shortened.ts'
import { CommandFailure, type Context } from '../context.ts'
import { type Changes, type DefinitionsById, definitionChanges, hasChanges, type Named } from '../diff/definition-changes.ts'
import { configOption } from '../options.ts'
import { ask } from '../remote/api-client.ts'
import { accountOption, keyOption, type Remote, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { type Paint, paintFor } from '../terminal/paint.ts'

type DiffOptions = RemoteOptions & { readonly config: string }

/** The exit codes of diff(1). */
const changedExit = 1
const failedExit = 2

export function diffCommand(context: Context): Command {
  return new Command('diff')
    .description('Show what the config file would change on a running server: checks, alerts, channels, maintenance and SLOs.')
    .addOption(configOption(context))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addHelpText(
      'after',
      '\nWhat is managed over the API is no difference. Keys, links, settings such as retention, and values of secrets are not compared.\n\nExit status: 0 nothing would change, 1 something would, 2 no answer or a faulty file.',
    )
    .action((options: DiffOptions) => diff(context, options).catch(failed))
}

async function diff({ env, stdout, stderr }: Context, options: DiffOptions): Promise<void> {
  const config = await readConfig(options.config, env)
  const account = resolveAccount(config.accounts, options.account)
  const { ofFile, managed, policies } = await running(remoteOf(options.url, { ...options, account }))
  const catalogue = buildCatalogue(config, [])
  const own = config.checks.filter((check) => check.account === account)
  for (const { id } of own.filter((check) => managed.has(check.id)))
    stderr.write(`The check ${id} is managed over the API, so its entry in the file is ignored.\n`)
  const applied = own.filter((check) => !managed.has(check.id))
  const checks = definitionChanges(ofFile, new Map(applied.map((check) => [check.id, shownDefinition(check)])))
  const wanted = policyDefinitions(catalogue.policies(account), catalogue.agentLocations(account))
  const others = definitionChanges(byTitle(policies), byTitle(wanted))
  const paint = paintFor(stdout)
  stdout.write(
    changesText(checks, paint, ({ id, definition }) => `${id}  ${shortened(String(definition.name))} (${String(definition.type)})`),
  )
  stdout.write(changesText(others, paint, ({ id }) => shortened(id)))
  stdout.write(`Checks: ${countsText(checks)}\nOthers: ${countsText(others)} Keys and settings are not compared.\n`)
  if (hasChanges(checks) || hasChanges(others)) process.exitCode = changedExit
}

type Policy = { readonly kind: string; readonly name: string; readonly definition: Readonly<Record<string, unknown>> }

/** Numbers equal titles, because several maintenances may have the same name. */
function byTitle(policies: readonly Policy[]): DefinitionsById {
  const found = new Map<string, Policy['definition']>()
  for (const { kind, name, definition } of policies) {
    const title = `${words[kind] ?? kind} ${name}`
    let unique = title
    for (let count = 2; found.has(unique); count++) unique = `${title} (${count})`
    // The server sends JSON, so values without a JSON form must not count as differences.
    found.set(unique, JSON.parse(JSON.stringify(definition)))
  }
  return found
}

const words: Readonly<Record<string, string>> = {
  serviceHours: 'service hours',
  slo: 'SLO',
  alert: 'alert rule',
  deadManSwitch: "dead man's switch",
  agentLocation: 'location of agents',
}

/** `managed` has the ids of checks that are managed over the API, so no file changes them. */
type Running = { readonly ofFile: DefinitionsById; readonly managed: ReadonlySet<string>; readonly policies: readonly Policy[] }

async function running(remote: Remote): Promise<Running> {
  return ask(remote, async (client) => {
    const ofFile = new Map<string, Readonly<Record<string, unknown>>>()
    const managed = new Set<string>()
    const policies: Policy[] = []
    for await (const page of client.pages('/v1/check-definitions'))
      for (const { id, definition, managedVersion } of page) {
        if (managedVersion === null) ofFile.set(id, definition)
        else managed.add(id)
      }
    for await (const page of client.pages('/v1/policy-definitions')) policies.push(...page)
    return { ofFile, managed, policies }
  })
}

function failed(error: unknown): never {
  throw error instanceof CommandFailure ? new CommandFailure(error.message, failedExit) : error
}

/** One line per added, changed or removed item, and one per changed setting. */
function changesText({ added, changed, removed }: Changes, paint: Paint, titleOf: (named: Named) => string): string {
  const lines = [
    ...added.map((one) => paint('good', `+ ${titleOf(one)}`)),
    ...changed.flatMap((one) => [
      paint('fair', `~ ${titleOf(one)}`),
      ...one.fields.map(({ field, before, after }) => `    ${field}: ${valueText(before)} → ${valueText(after)}`),
    ]),
    ...removed.map((one) => paint('bad', `- ${titleOf(one)}`)),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const countsText = ({ added, changed, removed, unchanged }: Changes) =>
  `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged.`

function valueText(value: unknown): string {
  if (value === undefined) return '(none)'
  return shortened(typeof value === 'string' ? value : JSON.stringify(value))
}

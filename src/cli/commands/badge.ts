import { Command, InvalidArgumentError, Option } from 'commander'
import { quickRanges } from '../../analytics/resolve-window.ts'
import { badgeSnippets } from '../../badges/snippets.ts'
import { styles } from '../../badges/themes.ts'
import type { Inventory, ListedCheck } from '../../catalogue/inventory.ts'
import { readInventory } from '../../catalogue/open.ts'
import { withoutTrailingSlashes } from '../../text/without-trailing-slashes.ts'
import { findConfiguredCheck } from '../configured-check.ts'
import type { Context } from '../context.ts'
import { configOption } from '../options.ts'

type BadgeOptions = {
  readonly config: string
  readonly account?: string
  readonly url: string
  readonly link?: string
  readonly style?: string
  readonly responseTime?: true
  readonly metric?: string
  readonly slo?: string
  readonly range?: string
  readonly warn?: string
  readonly bad?: string
  readonly label?: string
}

export function badgeCommand(context: Context): Command {
  return new Command('badge')
    .description('Print Markdown and HTML for the badge of a check.')
    .argument('<check>', 'its id or name')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'its account, if the check is ambiguous')
    .option('-u, --url <url>', 'the public address of this server (TIDEMARK_URL)', parseUrl, context.settings.url)
    .option('--link <url>', 'the link target of the badge', parseUrl)
    .addOption(new Option('--style <style>', 'its style').choices(styles))
    .option('--response-time', 'also show the mean response time of the last 24 hours')
    .option('--metric <name>', 'show a metric instead of the state, such as availability')
    .option('--slo <id>', 'show the attained value of an SLO instead of the state')
    .addOption(new Option('--range <range>', 'the window of that metric').choices(quickRanges))
    .option('--warn <number>', 'the threshold at which the metric is shown as degraded')
    .option('--bad <number>', 'the threshold at which the metric is shown as failing')
    .option('--label <text>', 'the text on the left; default: the name of the check')
    .action((wanted: string, options: BadgeOptions) => badge(context, wanted, options))
}

async function badge({ env, stdout, stderr }: Context, wanted: string, options: BadgeOptions): Promise<void> {
  const config = await readInventory(options.config, env)
  const check = findConfiguredCheck(config, wanted, options)
  const url = badgeUrl(config, check, options)
  const { markdown, html } = badgeSnippets({ url, alt: options.label ?? check.name, link: options.link ?? null })
  stdout.write(`Markdown\n\n${markdown}\n\nHTML\n\n${html}\n`)
  if (isPublic(config, check.account)) return
  stderr.write(`\nViewers of a README send no API key: set publicBadges: true for the account ${check.account} in ${options.config}.\n`)
}

function badgeUrl(config: Inventory, check: ListedCheck, options: BadgeOptions): string {
  const { style, responseTime, metric, slo, range, warn, bad, label, url } = options
  const address = new URL(`${withoutTrailingSlashes(url)}/v1/badges/checks/${check.id}`)
  const parameters = {
    account: accountParameter(config, check),
    style,
    responseTime: responseTime && 'true',
    metric: slo === undefined ? metric : 'slo',
    slo,
    range,
    warn,
    bad,
    label,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) address.searchParams.set(name, value)
  return address.href
}

/** The account is needed only if several accounts have a check with this id. */
function accountParameter({ checks }: Inventory, { id, account }: ListedCheck): string | undefined {
  return checks.filter((check) => check.id === id).length > 1 ? account : undefined
}

function isPublic({ accounts }: Inventory, account: string): boolean {
  return accounts.some(({ id, publicBadges }) => id === account && publicBadges)
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It must be an http:// or https:// URL.')
  return text
}

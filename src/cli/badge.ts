import { Command, InvalidArgumentError, Option } from 'commander'
import { quickRanges } from '../analytics/quick-range.ts'
import { badgeSnippets } from '../badges/snippets.ts'
import { styles } from '../badges/themes.ts'
import { readConfig } from '../catalogue/open.ts'
import type { Config } from '../catalogue/parse.ts'
import type { Context } from './context.ts'
import { findCheck } from './find-check.ts'
import { configOption } from './options.ts'

type BadgeOptions = {
  readonly config: string
  readonly account?: string
  readonly url: string
  readonly link?: string
  readonly style?: string
  readonly responseTime?: true
  readonly metric?: string
  readonly range?: string
  readonly warn?: string
  readonly bad?: string
  readonly label?: string
}

export function badgeCommand(context: Context): Command {
  return new Command('badge')
    .description('Print the Markdown and the HTML that show the badge of a check.')
    .argument('<check>', 'its id or its name')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'the account it belongs to, where several have such a check')
    .option('-u, --url <url>', 'where readers reach this Tidemark (TIDEMARK_URL)', parseUrl, context.settings.url)
    .option('--link <url>', 'where a click on the badge leads', parseUrl)
    .addOption(new Option('--style <style>', 'its shape').choices(styles))
    .option('--response-time', 'show the mean response time of the last 24 hours too')
    .option('--metric <name>', 'show a metric in place of the state, such as availability')
    .addOption(new Option('--range <range>', 'the window of that metric').choices(quickRanges))
    .option('--warn <number>', 'from where on that metric is coloured as degraded')
    .option('--bad <number>', 'from where on that metric is coloured as failing')
    .option('--label <text>', 'what stands on the left in place of the name')
    .action((wanted: string, options: BadgeOptions) => badge(context, wanted, options))
}

async function badge({ env, stdout, stderr }: Context, wanted: string, options: BadgeOptions): Promise<void> {
  const config = await readConfig(options.config, env)
  const check = findCheck(config, wanted, options)
  const url = badgeUrl(config, check, options)
  const { markdown, html } = badgeSnippets({ url, alt: options.label ?? check.name, link: options.link ?? null })
  stdout.write(`Markdown\n\n${markdown}\n\nHTML\n\n${html}\n`)
  if (isPublic(config, check.account)) return
  stderr.write(`\nA README sends no key: set publicBadges: true for the account ${check.account} in ${options.config}.\n`)
}

type Configured = Config['checks'][number]

function badgeUrl(config: Config, check: Configured, options: BadgeOptions): string {
  const { style, responseTime, metric, range, warn, bad, label, url } = options
  const address = new URL(`${url.replace(/\/+$/, '')}/v1/badges/checks/${check.id}`)
  const asked = { account: accountToSay(config, check), style, responseTime: responseTime && 'true', metric, range, warn, bad, label }
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) address.searchParams.set(name, value)
  return address.href
}

/** An id is enough, unless several accounts have a check of that id. */
function accountToSay({ checks }: Config, { id, account }: Configured): string | undefined {
  return checks.filter((check) => check.id === id).length > 1 ? account : undefined
}

function isPublic({ accounts }: Config, account: string): boolean {
  return accounts.some(({ id, publicBadges }) => id === account && publicBadges)
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new InvalidArgumentError('It must be an address with http:// or https://.')
  return text
}

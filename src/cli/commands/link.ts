import { randomBytes } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { withLink, withoutLink } from '../../catalogue/config-file/edit-links.ts'
import { newKey } from '../../catalogue/keys.ts'
import { isStreamPath, type Link, linkPath, signLink } from '../../catalogue/links.ts'
import { keysIn, readKeys } from '../../catalogue/open.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { Check } from '../../schema/typebox.ts'
import { nearest } from '../../text/nearest.ts'
import { dayMs, isoText, minuteMs } from '../../time.ts'
import { changeFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { isOneOf, linkedPaths, linkedPosts } from '../link-paths.ts'
import { configOption } from '../options.ts'
import { resolveAccount } from '../remote/resolve-account.ts'
import { alignedTable } from '../terminal/table.ts'

const maxDays = 366

type FileOptions = { readonly config: string; readonly account?: string }
type CreateOptions = FileOptions & { readonly path: string; readonly body?: string; readonly expires: number; readonly name?: string }

export function linkCommand(context: Context): Command {
  const command = new Command('link').description('Create, list and revoke links: each allows one exact request without a key.')
  command
    .command('create')
    .description('Create a link. It is printed once; only its signature is written to the file.')
    .addOption(configOption(context))
    .requiredOption('--path <path>', 'the request path, such as /v1/slos?format=csv', parsePath)
    .option('--body <json>', 'the JSON body, for a POST request', parseBody)
    .requiredOption('--expires <duration>', `lifetime, such as 90d; at most ${maxDays}d`, parseExpiry)
    .option('-n, --name <name>', 'what it is for; default: its id')
    .option('-a, --account <id>', 'its account, if there are several')
    .action((options: CreateOptions) => create(context, options))
  command
    .command('list')
    .description('List the links in the file, with their requests and expiry.')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'only those of this account')
    .action((options: FileOptions) => list(context, options))
  command
    .command('revoke')
    .description('Remove a link from the file; a running server rejects it from then on.')
    .addOption(configOption(context))
    .requiredOption('-n, --name <name>', 'its name or id')
    .option('-a, --account <id>', 'its account, if there are several')
    .action((options: FileOptions & { readonly name: string }) => revoke(context, options))
  return command
}

async function create(context: Context, options: CreateOptions): Promise<void> {
  const { config: file, path, body } = options
  requirePath(path, body)
  const { id, key: token } = newKey(randomBytes, 'tdl')
  const name = options.name ?? id
  const createdAt = Math.floor(context.now() / 1000) * 1000
  const terms = { id, name, path, ...(body !== undefined && { body }), createdAt, expiresAt: createdAt + options.expires }
  await changeFile(file, (text) => {
    const { account, links } = linksOfAccount(options, text)
    if (links.some((link) => link.name === name))
      throw new CommandFailure(`Account ${account} already has a link ${name}. Revoke it first, or choose another name.`)
    const link = { ...terms, account }
    return withLink(text, { ...link, signature: signLink(token, link) })
  })
  context.stdout.write(`${path}${path.includes('?') ? '&' : '?'}link=${token}\n`)
}

/** Rejects unknown paths: otherwise only the user of the link would notice that it is broken. */
function requirePath(path: string, body: string | undefined): void {
  const [bare = ''] = path.split('?')
  const [wanted, others] = body === undefined ? [linkedPaths, linkedPosts] : [linkedPosts, linkedPaths]
  if (isOneOf(bare, wanted)) return
  if (isOneOf(bare, others))
    throw new CommandFailure(
      body === undefined ? `${bare} requires POST: pass the body with --body.` : `${bare} requires GET: leave out --body.`,
    )
  throw new CommandFailure(`A link cannot answer ${bare}. Nearest: ${nearest(bare, wanted).join(', ')}.`)
}

async function list(context: Context, { config: file, account: named }: FileOptions): Promise<void> {
  const { accounts, links } = await readKeys(file)
  const only = named === undefined ? null : resolveAccount(accounts, named)
  const rows = links
    .filter(({ account }) => only === null || account === only)
    .map(({ account, name, id, path, body, createdAt, expiresAt }) => [
      account,
      name,
      `tdl_${id}_…`,
      isoText(createdAt),
      expiresAt > context.now() ? isoText(expiresAt) : 'expired',
      body === undefined ? path : `${path} ${body}`,
    ])
  context.stdout.write(alignedTable(['account', 'name', 'link', 'created', 'expires', 'path'], rows, { width: context.stdout.columns }))
}

async function revoke(context: Context, options: FileOptions & { readonly name: string }): Promise<void> {
  let revoked = ''
  await changeFile(options.config, (text) => {
    const { account, links } = linksOfAccount(options, text)
    const link = links.find(({ name }) => name === options.name) ?? links.find(({ id }) => id === options.name)
    if (!link) {
      const names = links.map(({ name }) => name).join(', ') || 'none'
      throw new CommandFailure(`Account ${account} has no link ${options.name}. Its links: ${names}.`)
    }
    revoked = `The link ${link.name} of ${account} is revoked.\n`
    return withoutLink(text, account, link.name)
  })
  context.stderr.write(revoked)
}

function linksOfAccount({ config, account: named }: FileOptions, text: string): { account: string; links: readonly Link[] } {
  const { accounts, links } = keysIn(config, text)
  const account = resolveAccount(accounts, named)
  return { account, links: links.filter((link) => link.account === account) }
}

/** Escapes blanks, quotes and non-ASCII letters in the same way as HTTP clients. */
export function parsePath(text: string): string {
  const { pathname, search, hash } = new URL(URL.canParse(text, 'http://localhost') ? text : '/', 'http://localhost')
  const path = pathname + search.replace(/[$"<>`{|}\\^]/g, (character) => encodeURIComponent(character))
  if (hash !== '' || !linkPath.test(path) || /[?&]link=/.test(path))
    throw new InvalidArgumentError('It must be a path of the API with its parameters, such as /v1/slos?format=csv.')
  if (isStreamPath(path)) throw new InvalidArgumentError('A link answers one question, and a stream has no end: open it with a key.')
  return path
}

/** Escapes dollar signs, since the config file interpolates variables. */
export function parseBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text)).replaceAll('$', '\\u0024')
  } catch {
    throw new InvalidArgumentError('It must be JSON, such as {"metrics": ["availability"]}.')
  }
}

export function parseExpiry(text: string): number {
  const ms = Check(Duration, text) ? durationMs(text) : 0
  if (ms < minuteMs || ms > maxDays * dayMs) throw new InvalidArgumentError(`It must be a duration from 1m to ${maxDays}d, such as 90d.`)
  return ms
}

import { randomBytes } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { isAgentScope, type Key, type Scope, scopes } from '../../catalogue/catalogue.ts'
import { keyLine, withKey, withoutKey } from '../../catalogue/config-file/edit-keys.ts'
import { newKey } from '../../catalogue/keys.ts'
import { keysIn, readKeys } from '../../catalogue/open.ts'
import { sha256 } from '../../ids/sha256.ts'
import { similar } from '../../text/nearest.ts'
import { changeFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { configOption, parseList } from '../options.ts'
import { alignedTable } from '../terminal/table.ts'

type CreateOptions = {
  readonly config: string
  readonly account?: string
  readonly name: string
  readonly scopes: Scope[]
  readonly print?: true
}
type Named = { readonly config: string; readonly account: string; readonly name: string }

export function keyCommand(context: Context): Command {
  const command = new Command('key').description('Create, list and revoke API keys in the config file.')
  command
    .command('create')
    .description('Create a key. It is printed once; only its hash is written to the file.')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'the account it belongs to; required, unless the key is only printed')
    .requiredOption('-n, --name <name>', 'what it is for')
    .option('-s, --scopes <list>', `its scopes: ${scopes.join(', ')}, or agent:LOCATION alone`, parseScopes, ['read'])
    .option('--print', 'only print the key and its entry for the keys of an account; the file is neither read nor changed')
    .action((options: CreateOptions) => (options.print ? print(context, options) : create(context, options)))
  command
    .command('list')
    .description('List the keys in the file.')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'only those of this account')
    .action((options: { config: string; account?: string }) => list(context, options))
  command
    .command('revoke')
    .description('Remove a key from the file; a running server rejects it from then on.')
    .addOption(configOption(context))
    .requiredOption('-a, --account <id>', 'the account it belongs to')
    .requiredOption('-n, --name <name>', 'its name')
    .action((options: Named) => revoke(context, options))
  return command
}

function print(context: Context, { name, scopes: granted }: CreateOptions): void {
  const { id, key } = newKey(randomBytes)
  context.stdout.write(`${key}\n- ${keyLine({ id, name, hash: sha256(key), scopes: granted })}\n`)
}

async function create(context: Context, options: CreateOptions): Promise<void> {
  const { config: file, account, name, scopes: granted } = options
  if (account === undefined) throw new CommandFailure('Specify the account of the key: --account <id>.')
  const { id, key } = newKey(randomBytes)
  await changeFile(file, (text) => {
    const taken = keysOfAccount(options, text, account).some((known) => known.name === name)
    if (taken) throw new CommandFailure(`Account ${account} already has a key ${name}. Revoke it first, or choose another name.`)
    return withKey(text, account, { id, name, hash: sha256(key), scopes: granted })
  })
  context.stdout.write(`${key}\n`)
}

async function list(context: Context, { config: file, account }: { config: string; account?: string }): Promise<void> {
  const { keys } = await readKeys(file)
  const rows = keys
    .filter((key) => account === undefined || key.account === account)
    .map((key) => [key.account, key.name, `tdm_${key.id}_…`, key.scopes.join(',')])
  context.stdout.write(alignedTable(['account', 'name', 'key', 'scopes'], rows, { width: context.stdout.columns }))
}

async function revoke(context: Context, options: Named): Promise<void> {
  const { config: file, account, name } = options
  await changeFile(file, (text) => {
    const names = keysOfAccount(options, text, account).map((key) => key.name)
    if (names.includes(name)) return withoutKey(text, account, name)
    throw new CommandFailure(`Account ${account} has no key ${name}. Its keys: ${names.join(', ') || 'none'}.`)
  })
  context.stderr.write(`The key ${name} of ${account} is revoked.\n`)
}

function keysOfAccount({ config: file }: { readonly config: string }, text: string, account: string): readonly Key[] {
  const { accounts, keys } = keysIn(file, text)
  if (!accounts.some(({ id }) => id === account)) {
    const near = similar(
      account,
      accounts.map(({ id }) => id),
    )
    throw new CommandFailure(`No account ${account} in ${file}. Nearest: ${near.join(', ') || 'none'}.`)
  }
  return keys.filter((key) => key.account === account)
}

function parseScopes(text: string): Scope[] {
  const named = parseList(text)
  const parsed = [...scopes.filter((scope) => named.includes(scope)), ...named.filter(isAgentScope)]
  if (parsed.length === 0 || parsed.length !== new Set(named).size || (parsed.length > 1 && parsed.some(isAgentScope))) {
    throw new InvalidArgumentError(`Give one or more of ${scopes.join(', ')}, separated by commas, or agent:LOCATION alone.`)
  }
  return parsed
}

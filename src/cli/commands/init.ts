import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { stringify } from 'yaml'
import { entryOfAddress } from '../../catalogue/address-entry.ts'
import { keyLine } from '../../catalogue/config-file/edit-keys.ts'
import { newKey } from '../../catalogue/keys.ts'
import { readConfig } from '../../catalogue/open.ts'
import { checkTypes } from '../../checks/registry.ts'
import { sha256 } from '../../ids/sha256.ts'
import { replaceFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { configOption } from '../options.ts'
import { runAndShow } from '../run-once.ts'

export function initCommand(context: Context): Command {
  return new Command('init')
    .description('Write a config file with one check for an address, and run that check once.')
    .argument('[address]', 'what to check, such as https://example.com, tcp://db.example.com:5432, ping://10.0.0.1 or dns://example.com')
    .addOption(configOption(context))
    .addHelpText('after', '\nExit status: 0 passing or degraded, 1 failing, or no file written.')
    .action((address: string | undefined, { config }: { config: string }) => init(context, address, config))
}

async function init(context: Context, given: string | undefined, file: string): Promise<void> {
  if (await lstat(file).catch(() => null))
    throw new CommandFailure(`${file} already exists. Choose another file with --config, or add checks to it: see tidemark schema.`)
  const entry = entryOf(given ?? (await askAddress(context)))
  const { id, key } = newKey(randomBytes)
  const line = keyLine({ id, name: 'page', hash: sha256(key), scopes: ['read', 'write'] })
  await replaceFile(file, configText(entry, line, context.settings.port), 0o600)
  const config = await readConfig(file, context.env)
  const [check] = config.checks
  if (!check) throw new CommandFailure(`${file} has no check.`)
  const once = { ...check, agentLocations: [], createdAt: context.now(), updatedAt: context.now() }
  await runAndShow(context, once, { runLocation: 'default', configDir: dirname(resolve(file)), addresses: config.service.addresses })
  context.stdout.write(nextSteps(file, key, context))
}

async function askAddress({ stdin, stderr }: Context): Promise<string> {
  const asking = createInterface({ input: stdin, output: stderr })
  const ended = new Promise<string>((resolve) => asking.once('close', () => resolve('')))
  const address = await Promise.race([asking.question('What should be checked? (an address such as https://example.com) '), ended])
  asking.close()
  if (address.trim() === '') throw new CommandFailure('Specify what to check: tidemark init https://example.com')
  return address.trim()
}

type Entry = Readonly<Record<string, unknown>>

function entryOf(text: string): Entry {
  const found = entryOfAddress(text, checkTypes)
  if ('fault' in found) throw new CommandFailure(found.fault)
  return found.entry
}

function configText(entry: Entry, key: string, port: number): string {
  const check = stringify([entry], { lineWidth: 0 }).trimEnd().replaceAll('\n', '\n      ')
  return `# yaml-language-server: $schema=http://127.0.0.1:${port}/tidemark.schema.json
accounts:
  - id: main
    keys:
      - ${key}
    checks:
      ${check}
`
}

function nextSteps(file: string, key: string, { settings }: Context): string {
  const option = file === settings.configFile && file === 'tidemark.yaml' ? '' : ` --config ${file}`
  return [
    '',
    `${file} is written. From now on:`,
    `  tidemark serve${option}     runs the check every minute, and serves the page at http://127.0.0.1:${settings.port}`,
    `  ${key}`,
    '                     is the API key to sign in there and to add checks, with the account main. It is shown only once.',
    '',
  ].join('\n')
}

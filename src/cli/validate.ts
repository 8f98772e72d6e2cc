import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { readConfig } from '../catalogue/open.ts'
import type { NeededFile } from '../checks/define.ts'
import type { Context } from './context.ts'
import { configOption } from './options.ts'

export function validateCommand(context: Context): Command {
  return new Command('validate')
    .description('Validate the config file and list all of its faults.')
    .addOption(configOption(context))
    .action(async ({ config: file }: { config: string }) => {
      const { accounts, checks, keys } = await readConfig(file, context.env, { isThere: isIn(dirname(resolve(file))) })
      const counts = [counted(accounts.length, 'account'), counted(checks.length, 'check'), counted(keys.length, 'key')]
      context.stdout.write(`${file} is valid: ${counts.join(', ')}.\n`)
    })
}

function isIn(folder: string): (file: NeededFile) => boolean {
  return ({ path, kind }) => {
    const found = statSync(resolve(folder, path), { throwIfNoEntry: false })
    return (kind === 'file' ? found?.isFile() : found?.isDirectory()) === true
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

import { Command } from 'commander'
import { readConfig } from '../catalogue/open.ts'
import type { Context } from './context.ts'
import { configOption } from './options.ts'

export function validateCommand(context: Context): Command {
  return new Command('validate')
    .description('Tell whether the config file is right, or everything that is wrong in it.')
    .addOption(configOption(context))
    .action(async ({ config: file }: { config: string }) => {
      const { accounts, checks, keys } = await readConfig(file, context.env)
      const counts = [counted(accounts.length, 'account'), counted(checks.length, 'check'), counted(keys.length, 'key')]
      context.stdout.write(`${file} is right: ${counts.join(', ')}.\n`)
    })
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

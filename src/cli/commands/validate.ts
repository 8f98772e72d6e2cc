import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { listed } from '../../catalogue/config-file/change-text.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { readConfig } from '../../catalogue/open.ts'
import { type AlertGaps, alertGaps } from '../../catalogue/policies/coverage.ts'
import type { NeededFile } from '../../checks/define.ts'
import { timeoutOf } from '../../runner/attempt.ts'
import type { Context } from '../context.ts'
import { configOption } from '../options.ts'

export function validateCommand(context: Context): Command {
  return new Command('validate')
    .description('Validate the config file and list all errors.')
    .addOption(configOption(context))
    .action(async ({ config: file }: { config: string }) => {
      const config = await readConfig(file, context.env, { isThere: isIn(dirname(resolve(file))) })
      const { accounts, checks, keys } = config
      const counts = [counted(accounts.length, 'account'), counted(checks.length, 'check'), counted(keys.length, 'key')]
      for (const check of checks) if (isLong(check)) context.stderr.write(`${longTimeout(check)}\n`)
      for (const gaps of alertGaps(config)) for (const note of notesOf(gaps)) context.stderr.write(`Note: ${note}\n`)
      context.stdout.write(`${file} is valid: ${counts.join(', ')}.\n`)
    })
}

type Timed = Pick<CheckDefinition, 'id' | 'account' | 'everyMs' | 'timeoutMs' | 'checkType'>

const isLong = ({ timeoutMs, everyMs }: Timed) => timeoutMs !== null && timeoutMs > everyMs

/** A warning, not a fault: servers have always accepted such checks. */
function longTimeout(check: Timed): string {
  const { account, id, everyMs, timeoutMs, checkType } = check
  const effect = checkType.heavy ? 'a longer run skips the next one' : `runs are ended after ${timeoutOf(check) / 1000} s`
  return `Warning: the timeout of ${account} ${id} (${(timeoutMs ?? 0) / 1000} s) is longer than its frequency (${everyMs / 1000} s): ${effect}.`
}

/** Notes, not faults: a check may be watched without alerts. */
function notesOf({ account, checks, channels, canaries, silentRules }: AlertGaps): readonly string[] {
  return [
    ...(checks.length === 0 ? [] : [`in ${account}, no alert rule covers failures of: ${listed(checks)}.`]),
    ...(channels.length === 0 ? [] : [`in ${account}, no alert rule uses these channels: ${listed(channels)}.`]),
    ...(canaries.length === 0 ? [] : [`in ${account}, no check runs at these locations of canary: ${listed(canaries)}.`]),
    ...(silentRules.length === 0
      ? []
      : [`in ${account}, these silence rules match no check that runs at a location: ${listed(silentRules)}.`]),
  ]
}

function isIn(folder: string): (file: NeededFile) => boolean {
  return ({ path, kind }) => {
    const found = statSync(resolve(folder, path), { throwIfNoEntry: false })
    return (kind === 'file' ? found?.isFile() : found?.isDirectory()) === true
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

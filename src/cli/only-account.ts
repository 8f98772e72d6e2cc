import type { Account } from '../catalogue/catalogue.ts'
import { nearest } from '../text/nearest.ts'
import { CommandFailure } from './context.ts'

/** The id of the account that is named, or of the only one there is. */
export function onlyAccount(accounts: readonly Account[], named: string | undefined): string {
  const ids = accounts.map(({ id }) => id)
  if (named !== undefined && !ids.includes(named))
    throw new CommandFailure(`There is no account ${named} in the config file. Nearest: ${nearest(named, ids).join(', ') || 'none'}.`)
  const [only, ...others] = ids
  if (named === undefined && (only === undefined || others.length > 0))
    throw new CommandFailure(`Say which account with --account: ${ids.join(', ')}.`)
  return named ?? only ?? ''
}

import type { Account } from '../../catalogue/catalogue.ts'
import { similar } from '../../text/nearest.ts'
import { CommandFailure } from '../context.ts'

/** The id of the named account, or of the only account. */
export function resolveAccount(accounts: readonly Account[], named: string | undefined): string {
  const ids = accounts.map(({ id }) => id)
  if (named !== undefined && !ids.includes(named))
    throw new CommandFailure(`No account ${named} in the config file. Nearest: ${similar(named, ids).join(', ') || 'none'}.`)
  const [only, ...others] = ids
  if (named === undefined && (only === undefined || others.length > 0))
    throw new CommandFailure(`Choose an account with --account: ${ids.join(', ')}.`)
  return named ?? only ?? ''
}

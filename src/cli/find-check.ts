import type { Config } from '../catalogue/parse.ts'
import { nearest } from '../text/nearest.ts'
import { CommandFailure } from './context.ts'

type Where = { readonly config: string; readonly account?: string }

/** The check of the config file that a person means by an id or a name. */
export function findCheck({ checks }: Config, wanted: string, { account, config: file }: Where): Config['checks'][number] {
  const possible = checks.filter((check) => account === undefined || check.account === account)
  const byId = possible.filter(({ id }) => id === wanted)
  const found = byId.length > 0 ? byId : possible.filter(({ name }) => name === wanted)
  const [first, second] = found
  if (first && !second) return first
  if (first) {
    throw new CommandFailure(
      `There are several such checks: ${found.map((one) => `${one.account} ${one.id}`).join(', ')}. Use --account or an id.`,
      2,
    )
  }
  const near = nearest(
    wanted,
    possible.flatMap(({ id, name }) => [name, id]),
  )
  throw new CommandFailure(`There is no check ${wanted} in ${file}. Nearest: ${near.join(', ') || 'none'}.`, 2)
}

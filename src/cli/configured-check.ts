import type { ListedCheck } from '../catalogue/inventory.ts'
import { similar } from '../text/nearest.ts'
import { CommandFailure, unknownCheckExit } from './context.ts'

type Where = { readonly config: string; readonly account?: string }

export function findConfiguredCheck<C extends ListedCheck>(
  { checks }: { readonly checks: readonly C[] },
  wanted: string,
  { account, config: file }: Where,
): C {
  const possible = checks.filter((check) => account === undefined || check.account === account)
  const byId = possible.filter(({ id }) => id === wanted)
  const matches = byId.length > 0 ? byId : possible.filter(({ name }) => name === wanted)
  const [first, second] = matches
  if (first && !second) return first
  if (first) {
    throw new CommandFailure(
      `Several checks match: ${matches.map((one) => `${one.account} ${one.id}`).join(', ')}. Use --account or an id.`,
      unknownCheckExit,
    )
  }
  const near = similar(
    wanted,
    possible.flatMap(({ id, name }) => [name, id]),
  )
  throw new CommandFailure(`No check ${wanted} in ${file}. Nearest: ${near.join(', ') || 'none'}.`, unknownCheckExit)
}

/** `what` names the unknown item; the message suggests similar names. */
export function unknownName(what: string, name: string, known: readonly string[]): CommandFailure {
  return new CommandFailure(`${what}. Nearest: ${similar(name, known).join(', ') || 'none'}.`, unknownCheckExit)
}

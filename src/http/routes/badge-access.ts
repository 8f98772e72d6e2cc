import type { Account, Catalogue, Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import type { Caller } from '../route.ts'

/** Who wants a badge: someone with a key, or anyone, who may say of which account. */
type Asker = { readonly caller: Caller | null; readonly account: string | null }

/** The check with that id that this asker may see. What is not public looks the same as what is not there. */
export function badgeCheck(catalogue: Catalogue, { caller, account }: Asker, id: string): Check {
  if (caller) {
    const check = catalogue.check(caller.account.id, id)
    if (!check) throw apiError('CHECK_NOT_FOUND')
    return check
  }
  const check = account === null ? publicChecks(catalogue).byId.get(id) : catalogue.check(account, id)
  if (!check || !isPublic(catalogue, check.account)) throw apiError('MISSING_KEY', {}, { 'www-authenticate': 'Bearer' })
  return check
}

/** The account whose tags this asker means. */
export function badgeAccount(catalogue: Catalogue, { caller, account }: Asker): Account {
  if (caller) return caller.account
  const open = publicChecks(catalogue).accounts
  if (account === null && open.length > 1)
    throw apiError('MISSING_PARAMETER', { name: 'account', expected: 'the account that has the tag' })
  const meant = account === null ? open[0] : catalogue.account(account)
  if (!meant?.publicBadges) throw apiError('MISSING_KEY', {}, { 'www-authenticate': 'Bearer' })
  return meant
}

type Public = { readonly byId: ReadonlyMap<string, Check>; readonly accounts: readonly Account[] }

/** One index for each state of the config file: its list of checks is the same object as long as nothing changes. */
const indexes = new WeakMap<readonly Check[], Public>()

function publicChecks(catalogue: Catalogue): Public {
  const all = catalogue.allChecks()
  const known = indexes.get(all)
  if (known) return known
  const open = all.filter(({ account }) => isPublic(catalogue, account))
  const index = {
    byId: new Map(open.toReversed().map((check) => [check.id, check])),
    accounts: [...new Set(open.map(({ account }) => account))].flatMap((id) => catalogue.account(id) ?? []),
  }
  indexes.set(all, index)
  return index
}

function isPublic(catalogue: Catalogue, account: string): boolean {
  return catalogue.account(account)?.publicBadges ?? false
}

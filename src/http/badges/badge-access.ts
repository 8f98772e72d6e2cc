import { lruCache } from '../../cache/cache.ts'
import type { Account, Catalogue, Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import type { Caller } from '../route.ts'

/** The requester of a badge: a caller with a key, or an anonymous one that may name the account. */
type Requester = { readonly caller: Caller | null; readonly account: string | null }

/** Finds a check that the requester may see. To anonymous requesters, a private check looks the same as a missing one. */
export function badgeCheck(catalogue: Catalogue, { caller, account }: Requester, id: string): Check {
  if (caller) {
    const check = catalogue.check(caller.account.id, id)
    if (!check) throw apiError('CHECK_NOT_FOUND')
    return check
  }
  const check = account === null ? publicChecks(catalogue).byId.get(id) : catalogue.check(account, id)
  if (!check || !isPublic(catalogue, check.account)) throw apiError('MISSING_KEY', {}, { 'www-authenticate': 'Bearer' })
  return check
}

/** The account whose tags are requested. */
export function badgeAccount(catalogue: Catalogue, { caller, account }: Requester): Account {
  if (caller) return caller.account
  const { accounts } = publicChecks(catalogue)
  if (account === null && accounts.length > 1)
    throw apiError('MISSING_PARAMETER', { name: 'account', expected: 'the account that has the tag' })
  const owner = account === null ? accounts[0] : catalogue.account(account)
  if (!owner?.publicBadges) throw apiError('MISSING_KEY', {}, { 'www-authenticate': 'Bearer' })
  return owner
}

type PublicChecks = { readonly byId: ReadonlyMap<string, Check>; readonly accounts: readonly Account[] }

/** Keyed by the list of checks, which is the same object until the config changes. */
const indexes = lruCache<readonly Check[], PublicChecks>(1)

function publicChecks(catalogue: Catalogue): PublicChecks {
  const all = catalogue.allChecks()
  return indexes.getOrCreate(all, () => publicIndex(all, catalogue))
}

function publicIndex(all: readonly Check[], catalogue: Catalogue): PublicChecks {
  const visible = all.filter(({ account }) => isPublic(catalogue, account))
  return {
    byId: new Map(visible.toReversed().map((check) => [check.id, check])),
    accounts: [...new Set(visible.map(({ account }) => account))].flatMap((id) => catalogue.account(id) ?? []),
  }
}

function isPublic(catalogue: Catalogue, account: string): boolean {
  return catalogue.account(account)?.publicBadges ?? false
}

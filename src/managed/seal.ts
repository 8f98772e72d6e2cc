import type { Account } from '../catalogue/catalogue.ts'
import { type GroupDefinition, sealedName } from '../catalogue/managed/check-group.ts'
import type { Vault } from '../catalogue/managed/vault.ts'
import { invalidDefinition } from './writing.ts'

export const missingKeyText =
  'a secret variable is stored encrypted, and the server has no key for that: set TIDEMARK_SECRET_KEY, or TIDEMARK_SECRET_KEY_FILE, to 64 hex digits, as openssl rand -hex 32 makes them, and start it again'

/** A secret, encrypted; one that is encrypted already and stays the same is not encrypted anew. */
export function sealed(
  value: string,
  place: { readonly account: Account; readonly name: string; readonly pointer: string },
  { vault, previous }: { readonly vault: Vault | null; readonly previous: string | undefined },
): string {
  if (!vault) throw invalidDefinition([{ pointer: place.pointer, message: missingKeyText }])
  const where = { account: place.account.id, name: place.name }
  return previous !== undefined && vault.open(previous, where) === value ? previous : vault.seal(value, where)
}

/** A group with its secret variables encrypted; those that it keeps of the one before are already. */
export function sealGroup(group: GroupDefinition, account: Account, vault: Vault | null, previous?: GroupDefinition): GroupDefinition {
  const { environment = {}, secret = [] } = group
  if (secret.length === 0) return group
  const before = (key: string) => (previous?.secret?.includes(key) ? previous.environment?.[key] : undefined)
  const textOf = (key: string, value: string) => {
    if (!secret.includes(key) || value === before(key)) return value
    return sealed(value, { account, name: sealedName(key), pointer: '/environmentVariables' }, { vault, previous: before(key) })
  }
  return { ...group, environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, textOf(key, value)])) }
}

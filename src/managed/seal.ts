import type { Account } from '../catalogue/catalogue.ts'
import type { GroupDefinition } from '../catalogue/managed/check-group.ts'
import { ownVariableFindings } from '../catalogue/managed/group-findings.ts'
import { sealedName, type VariableOwner } from '../catalogue/managed/variables.ts'
import type { Vault } from '../catalogue/managed/vault.ts'
import { type VariableSet, variablesOf, type WrittenDefinition } from '../catalogue/written-definition.ts'
import { invalidDefinition } from './writing.ts'

const missingKeyText =
  'a secret variable is stored encrypted, and the server has no key for that: set TIDEMARK_SECRET_KEY, or TIDEMARK_SECRET_KEY_FILE, to 64 hex digits, as openssl rand -hex 32 makes them, and start it again'

/** Encrypts a secret; keeps the ciphertext if the value is unchanged. */
export function sealed(
  value: string,
  place: { readonly account: Pick<Account, 'id'>; readonly name: string; readonly pointer: string },
  { vault, previous }: { readonly vault: Vault | null; readonly previous: string | undefined },
): string {
  if (!vault) throw invalidDefinition([{ pointer: place.pointer, message: missingKeyText }])
  const where = { account: place.account.id, name: place.name }
  return previous !== undefined && vault.open(previous, where) === value ? previous : vault.seal(value, where)
}

/** A group with its secret variables encrypted; unchanged ones keep their ciphertext. */
export function sealGroup(group: GroupDefinition, account: Account, vault: Vault | null, previous?: GroupDefinition): GroupDefinition {
  return sealVariables(group, previous, { owner: 'check-group', account, vault, pointerOf: () => '/environmentVariables' })
}

/** Like `sealGroup`, for the variables of a check. */
export function sealCheck(
  definition: WrittenDefinition,
  { account, vault, previous, inBody = (pointer) => pointer }: CheckSealing,
): WrittenDefinition {
  const variables = variablesOf(definition)
  if (!variables || ownVariableFindings(definition, []).length > 0) return definition
  const pointerOf = (key: string) => inBody(`/variables/environment/${key}`)
  const own = sealVariables(variables, previous && variablesOf(previous), { owner: 'check', account, vault, pointerOf })
  return { ...definition, variables: own }
}

type CheckSealing = {
  readonly account: Pick<Account, 'id'>
  readonly vault: Vault | null
  /** The definition that it replaces. */
  readonly previous: WrittenDefinition | undefined
  /** Maps a pointer into the definition to one into the body. */
  readonly inBody?: (pointer: string) => string
}

type Sealing = {
  readonly owner: VariableOwner
  readonly account: Pick<Account, 'id'>
  readonly vault: Vault | null
  readonly pointerOf: (key: string) => string
}

function sealVariables<T extends VariableSet>(set: T, previous: VariableSet | undefined, { owner, account, vault, pointerOf }: Sealing): T {
  const { environment = {}, secret = [] } = set
  if (secret.length === 0) return set
  const before = (key: string) => (previous?.secret?.includes(key) ? previous.environment?.[key] : undefined)
  const textOf = (key: string, value: string) => {
    if (!secret.includes(key) || value === before(key)) return value
    return sealed(value, { account, name: sealedName(owner, key), pointer: pointerOf(key) }, { vault, previous: before(key) })
  }
  return { ...set, environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, textOf(key, value)])) }
}

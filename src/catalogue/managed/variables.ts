import type { Env } from '../../config.ts'
import { shortened } from '../../text/shortened.ts'
import type { Account } from '../catalogue.ts'
import { FileFault } from '../config-file/config-folder.ts'
import type { Variables } from '../config-file/interpolate.ts'
import type { VariableSet } from '../written-definition.ts'
import { type ManagedResource, noResources, type Resources } from './resources.ts'
import type { Vault } from './vault.ts'

export const variableKind = 'variable'

/** A stored variable with its value, or with the encrypted value in `sealed`. */
export type StoredVariable = {
  readonly key: string
  readonly value?: string
  readonly sealed?: string
  readonly locked: boolean
  readonly secret: boolean
}

export type VariableOwner = 'check' | 'check-group'

/** The name that the ciphertext of a secret variable is bound to. */
export const sealedName = (owner: VariableOwner, key: string) => `${owner} ${key}`

/** The variable for the address of a group, in its checks. */
export const groupAddress = 'GROUP_BASE_URL'

export type VariableSources = {
  readonly account: Pick<Account, 'id' | 'managedVariables'>
  readonly env: Env
  readonly resources?: Resources | undefined
  /** Null if the server has no key for secrets. */
  readonly vault?: Vault | null | undefined
}

type NearerVariables = { readonly check?: VariableSet | null | undefined; readonly group?: VariableSet | null | undefined }

/** Limits the characters that variables add to one check: a definition can repeat a long variable thousands of times. */
const maxCharacters = 65_536

type Resolved = { readonly env: Env; readonly secretNames: ReadonlySet<string>; readonly unreadable: ReadonlySet<string> }

const noVariables: Resolved = { env: {}, secretNames: new Set(), unreadable: new Set() }

/** `name` is the one that the ciphertext is bound to. */
type NamedVariable = { readonly variable: StoredVariable; readonly name: string }

/**
 * Resolves `${NAME}` in a managed check: its own variables come first, then its group's, then the account's. Names in `managedVariables` of
 * the config file always refer to the environment of the server. Other environment variables and files cannot be read: a key that may write
 * checks could send them anywhere.
 */
export function managedVariables(sources: VariableSources, nearer: NearerVariables = {}): Variables {
  const { account, env } = sources
  const { check, group } = nearer
  const ofGroup = group ? over(variablesIn(group, 'check-group', sources), ofAccount(sources)) : ofAccount(sources)
  const given = check ? over(variablesIn(check, 'check', sources), ofGroup) : ofGroup
  const open = new Set(account.managedVariables)
  const fromServer = Object.fromEntries([...open].flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])))
  return {
    env: { ...Object.fromEntries(Object.entries(given.env).filter(([name]) => !open.has(name))), ...fromServer },
    secretNames: new Set([...given.secretNames].filter((name) => !open.has(name))),
    maxCharacters,
    fileText: () => {
      throw new FileFault('files can be referenced only in the config file')
    },
    unset(name) {
      const variable = `\${${shortened(name)}}`
      if (name === groupAddress)
        return `${variable} is the url of the group of a check: there is none, or it is too long to stand here so often`
      if (open.has(name)) return `${variable} is not set in the environment`
      if (given.unreadable.has(name)) return `${variable} cannot be decrypted: the server does not have its encryption key`
      return `${variable} is no variable of this check, its group or account, and not open to managed checks: managedVariables of the account in the config file lists those of the server that are. Where an answer shows a hidden value so, send the value itself`
    },
  }
}

/** Merges two sets; `nearer` takes precedence. */
function over(nearer: Resolved, farther: Resolved): Resolved {
  const isLeft = (name: string) => !Object.hasOwn(nearer.env, name) && !nearer.unreadable.has(name)
  const both = (names: 'secretNames' | 'unreadable') => new Set([...[...farther[names]].filter(isLeft), ...nearer[names]])
  const left = Object.entries(farther.env).filter(([name]) => isLeft(name))
  return { env: { ...Object.fromEntries(left), ...nearer.env }, secretNames: both('secretNames'), unreadable: both('unreadable') }
}

function variablesIn(
  { environment = {}, locked = [], secret = [] }: VariableSet,
  owner: VariableOwner,
  { account, vault = null }: Pick<VariableSources, 'account' | 'vault'>,
): Resolved {
  const given = Object.entries(environment).map(([key, text]) => {
    const isSecret = secret.includes(key)
    const variable = { key, ...(isSecret ? { sealed: text } : { value: text }), locked: locked.includes(key), secret: isSecret }
    return { variable, name: sealedName(owner, key) }
  })
  return resolveVariables(given, account.id, vault)
}

function resolveVariables(given: readonly NamedVariable[], account: string, vault: Vault | null): Resolved {
  const values = given.map(({ variable, name }) => {
    const { key, value, sealed } = variable
    return [key, sealed === undefined ? (value ?? '') : (vault?.open(sealed, { account, name }) ?? null)] as const
  })
  return {
    env: Object.fromEntries(values.filter(([, value]) => value !== null)) as Env,
    secretNames: new Set(given.flatMap(({ variable: { key, locked, secret } }) => (locked || secret ? [key] : []))),
    unreadable: new Set(values.flatMap(([key, value]) => (value === null ? [key] : []))),
  }
}

function ofAccount({ account, resources = noResources, vault = null }: VariableSources): Resolved {
  const list = resources.list(variableKind, account.id)
  if (list.length === 0) return noVariables
  const known = resolved.get(list)
  if (known && known.vault === vault) return known.variables
  const stored = list.map(({ definition }) => definition as StoredVariable)
  const variables = resolveVariables(
    stored.map((variable) => ({ variable, name: variable.key })),
    account.id,
    vault,
  )
  resolved.set(list, { vault, variables })
  return variables
}

/** Keyed by the list, which stays the same object until a variable changes: thousands of checks are parsed with the same variables. */
const resolved = new WeakMap<readonly ManagedResource[], { readonly vault: Vault | null; readonly variables: Resolved }>()

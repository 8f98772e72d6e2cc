import type { Env } from '../../config.ts'
import { shortened } from '../../text/shortened.ts'
import type { Account } from '../catalogue.ts'
import { FileFault } from '../config-file/config-folder.ts'
import type { Variables } from '../config-file/interpolate.ts'
import type { VariableSet } from '../written-definition.ts'
import { type ManagedResource, noResources, type Resources } from './resources.ts'
import type { Vault } from './vault.ts'

export const variableKind = 'variable'

/** A variable as it is stored: its value, or the same encrypted. */
export type StoredVariable = {
  readonly key: string
  readonly value?: string
  readonly sealed?: string
  readonly locked: boolean
  readonly secret: boolean
}

/** Whose variables they are. */
export type VariableOwner = 'check' | 'check-group'

/** What a secret variable is encrypted for. */
export const sealedName = (owner: VariableOwner, key: string) => `${owner} ${key}`

/** The name that checks of a group have its address by. */
export const groupAddress = 'GROUP_BASE_URL'

export type VariableSources = {
  readonly account: Pick<Account, 'id' | 'managedVariables'>
  readonly env: Env
  readonly resources?: Resources | undefined
  /** Null where the server has no key for secrets. */
  readonly vault?: Vault | null | undefined
}

type NearerVariables = { readonly check?: VariableSet | null | undefined; readonly group?: VariableSet | null | undefined }

/** Characters of all variables in one check: a definition may name a long one thousands of times. */
const maxCharacters = 65_536

type Resolved = { readonly env: Env; readonly secretNames: ReadonlySet<string>; readonly unreadable: ReadonlySet<string> }

const noVariables: Resolved = { env: {}, secretNames: new Set(), unreadable: new Set() }

/** A variable with the name that its secret is encrypted for. */
type NamedVariable = { readonly variable: StoredVariable; readonly name: string }

/**
 * What `${NAME}` in a managed check stands for: its own variables, those of its group, then the account's. A name that the config file
 * opens always means the server's environment. No other variable of the server, and no file, can be read this way: a key that may write
 * checks could send it anywhere.
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
      throw new FileFault('files can be named only in the config file')
    },
    unset(name) {
      const variable = `\${${shortened(name)}}`
      if (name === groupAddress)
        return `${variable} is the url of the group of a check: there is none, or it is too long to stand here so often`
      if (open.has(name)) return `${variable} is not set in the environment`
      if (given.unreadable.has(name)) return `${variable} cannot be decrypted: the server lacks the key that it was encrypted with`
      return `${variable} is no variable of this check, its group or account, and not open to managed checks: managedVariables of the account in the config file lists those of the server that are. Where an answer shows a hidden value so, send the value itself`
    },
  }
}

/** Two sets of variables as one. */
function over(nearer: Resolved, farther: Resolved): Resolved {
  const isLeft = (name: string) => !Object.hasOwn(nearer.env, name) && !nearer.unreadable.has(name)
  const both = (names: 'secretNames' | 'unreadable') => new Set([...[...farther[names]].filter(isLeft), ...nearer[names]])
  const left = Object.entries(farther.env).filter(([name]) => isLeft(name))
  return { env: { ...Object.fromEntries(left), ...nearer.env }, secretNames: both('secretNames'), unreadable: both('unreadable') }
}

/** The variables of a group, or of a check. */
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

/** Decrypts variables. */
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

/** By the list, which is the same until one of them changes: thousands of checks are parsed with the same variables. */
const resolved = new WeakMap<readonly ManagedResource[], { readonly vault: Vault | null; readonly variables: Resolved }>()

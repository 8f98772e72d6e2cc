import type { Account } from '../../../catalogue/catalogue.ts'
import type { Resources } from '../../../catalogue/managed/resources.ts'
import { type StoredVariable, sealedName, type VariableOwner, variableKind } from '../../../catalogue/managed/variables.ts'
import type { Vault } from '../../../catalogue/managed/vault.ts'
import { isNamedSecret } from '../../../catalogue/secrets.ts'
import { mapTexts, type VariableSet } from '../../../catalogue/written-definition.ts'
import type { Env } from '../../../config.ts'
import { variableReferences } from '../../../text/variable-references.ts'
import type { VariableNames } from './variable-names.ts'

type Variable = { readonly key: string; readonly value: string | null; readonly isSecret: boolean; readonly owner: string }

/** Variables in scope of an account or group: managed ones (`kept`), and variables of the server that are open to it. */
export type VariableScope = {
  readonly kept: ReadonlyMap<string, Variable>
  readonly open: ReadonlySet<string>
  /** All managed variables by owner and name, and whether they have been used. */
  readonly isUsed: Map<string, { readonly variable: Variable; readonly used: boolean }>
}

type Sources = { readonly account: Pick<Account, 'id' | 'managedVariables'>; readonly resources: Resources; readonly vault: Vault | null }

export function accountScope({ account: { id: account, managedVariables = [] }, resources, vault }: Sources): VariableScope {
  const stored = resources.list(variableKind, account).map(({ definition }) => definition as StoredVariable)
  const kept = new Map(
    stored.map(({ key, value, sealed, locked, secret }) => {
      const plain = sealed === undefined ? (value ?? '') : (vault?.open(sealed, { account, name: key }) ?? null)
      return [key, { key, value: plain, isSecret: locked || secret, owner: account }]
    }),
  )
  const scope = { kept, open: new Set(managedVariables), isUsed: new Map() }
  for (const variable of kept.values()) mark(scope, variable, false)
  return scope
}

function mark({ isUsed }: Pick<VariableScope, 'isUsed'>, variable: Variable, used: boolean): void {
  const id = `${variable.owner} ${variable.key}`
  isUsed.set(id, { variable, used: used || (isUsed.get(id)?.used ?? false) })
}

type Owner = {
  readonly kind: VariableOwner
  /** Disambiguates variables of the same name. */
  readonly owner: string
  readonly account: string
  readonly outer: VariableScope
  readonly vault: Vault | null
}

/** Adds variables of a group or check, which take precedence. */
export function nearerScope({ environment = {}, locked = [], secret = [] }: VariableSet, nearer: Owner): VariableScope {
  const own = Object.entries(environment).map(([key, text]): [string, Variable] => {
    const isSealed = secret.includes(key)
    const value = isSealed ? (nearer.vault?.open(text, { account: nearer.account, name: sealedName(nearer.kind, key) }) ?? null) : text
    return [key, { key, value, isSecret: isSealed || locked.includes(key), owner: nearer.owner }]
  })
  for (const [, variable] of own) mark(nearer.outer, variable, false)
  return { ...nearer.outer, kept: new Map([...nearer.outer.kept, ...own]) }
}

type Renaming = { readonly scope: VariableScope; readonly names: VariableNames; readonly owner: string }

/** Renames variables in a part of a definition to their names in the exported file. */
export function renameVariables<T>(part: T, { scope, names, owner }: Renaming): T {
  const renamed = (whole: string, doubled: string, name?: string, otherwise?: string) => {
    if (doubled || name === undefined || scope.open.has(name)) return whole
    const found = scope.kept.get(name)
    if (found) {
      mark(scope, found, true)
      return `\${${names.nameOf({ name, ...found })}${otherwise === undefined ? '' : `:-${otherwise}`}}`
    }
    if (otherwise === undefined) return whole
    // Managed checks cannot see variables of the server, so the default applies. In the file, this reference could find one of them.
    if (!isNamedSecret({ name }) && !otherwise.includes('$')) return otherwise
    return `\${${names.nameOf({ name, owner, value: otherwise, isSecret: isNamedSecret({ name }) })}}`
  }
  return mapTexts(part, '', (text) => text.replace(variableReferences, renamed)) as T
}

/** Variables of a definition that have no value in this environment. */
export function unknownValues(part: unknown, { kept, open }: VariableScope, env: Env): readonly string[] {
  const found = [...JSON.stringify(part).matchAll(variableReferences)].flatMap(([, doubled, name]) => (doubled || !name ? [] : [name]))
  const isUnknown = (name: string) => (open.has(name) ? !Object.hasOwn(env, name) : kept.get(name)?.value === null)
  return [...new Set(found.filter(isUnknown))]
}

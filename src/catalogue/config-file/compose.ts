import type { CheckType } from '../../checks/define.ts'
import { isMapping, type Mapping } from '../../collections/mapping.ts'
import { Type } from '../../schema/typebox.ts'
import { compositionFields, IncludePattern } from './composition-schema.ts'
import type { ConfigFolder } from './config-folder.ts'
import { createExpansion, type ExpandedCheck } from './expand-checks.ts'
import type { Finding, FoundIn, Path } from './faults.ts'
import { type Included, readIncluded } from './included-files.ts'
import { defaultsFindings, type Layer, type SourcePath } from './inherit.ts'
import { interpolateText, type Variables } from './interpolate.ts'
import { structureFindings } from './structure.ts'

/** A config file with all checks in `accounts[].checks`, including checks of groups, included files and `forEach`. */
export type Composed = {
  /** Before variables are replaced. */
  readonly value: unknown
  readonly found: readonly FoundIn[]
  /** By account, in the order of `accounts[].checks`; null if the file only has checks that are written out there. */
  readonly expanded: readonly (readonly ExpandedCheck[])[] | null
  readonly included: Pick<Included, 'faults' | 'sources'>
}

type ComposeContext = {
  readonly folder: ConfigFolder
  readonly variables: Variables
  readonly checkTypes: readonly CheckType[]
  readonly usesEach: boolean
}

/** Fields that the main schema does not validate, because expansion removes them. */
const OfFile = Type.Object({
  defaults: compositionFields.defaults,
  include: Type.Optional(Type.Array(IncludePattern, { uniqueItems: true })),
})
const OfAccount = Type.Object({ ...OfFile.properties, groups: compositionFields.groups })

export function compose(value: unknown, context: ComposeContext): Composed {
  const accounts = isMapping(value) && Array.isArray(value.accounts) ? (value.accounts as readonly unknown[]) : []
  if (!isMapping(value) || !(context.usesEach || isComposed(value) || accounts.some(isComposed)))
    return { value, found: [], expanded: null, included: { faults: [], sources: new Map() } }
  const { folder, variables, checkTypes } = context
  const structure = [
    structureFindings(OfFile, only(value, ofFile), []),
    ...accounts.map((account, index) => accountStructure(account, index)),
  ].flat()
  const ids = accounts.map((account) => idOf(account, variables))
  const included = readIncluded(value, { accounts: ids, folder })
  const expansion = createExpansion({ variables, checkTypes })
  const top = layersIn(value, { file: null, path: [] })
  const expanded = accounts.map((owner, account) => {
    if (!isMapping(owner)) return []
    const place: SourcePath = { file: null, path: ['accounts', account] }
    const layers = [...layersIn(owner, place), ...top]
    const own = expansion.checksOf({ owner, place, layers, account })
    const ofFiles = included.parts
      .filter((part) => part.account === account)
      .map(({ file, contents }) => {
        const root: SourcePath = { file, path: [] }
        return expansion.checksOf({ owner: contents, place: root, layers: [...layersIn(contents, root), ...layers], account })
      })
    return [...own, ...ofFiles.flat()]
  })
  const defaults = [
    ...defaultsIn(value, { file: null, path: [] }),
    ...included.parts.flatMap(({ file, contents }) => defaultsIn(contents, { file, path: [] })),
  ]
  const ofDefaults = defaults.flatMap(({ defaults: given, place }) =>
    defaultsFindings(given, place.path, checkTypes).map((finding) => ({ file: place.file, finding })),
  )
  const found = [...structure.map((finding) => ({ file: null, finding })), ...included.found, ...ofDefaults, ...expansion.found()]
  return {
    value: { ...without(value, ofFile), accounts: accounts.map((account, index) => withChecks(account, expanded[index] ?? [])) },
    found,
    expanded,
    included,
  }
}

const ofFile = Object.keys(OfFile.properties)
const ofAccount = Object.keys(OfAccount.properties)

const isComposed = (owner: unknown) =>
  isMapping(owner) &&
  (ofAccount.some((name) => Object.hasOwn(owner, name)) ||
    (Array.isArray(owner.checks) && owner.checks.some((check) => isMapping(check) && Object.hasOwn(check, 'forEach'))))

const only = (owner: Mapping, names: readonly string[]): Mapping =>
  Object.fromEntries(Object.entries(owner).filter(([name]) => names.includes(name)))

const without = (owner: Mapping, names: readonly string[]): Mapping =>
  Object.fromEntries(Object.entries(owner).filter(([name]) => !names.includes(name)))

function accountStructure(account: unknown, index: number): readonly Finding[] {
  return isMapping(account) ? structureFindings(OfAccount, only(account, ofAccount), ['accounts', index]) : []
}

function idOf(account: unknown, variables: Variables): string {
  return isMapping(account) && typeof account.id === 'string' ? interpolateText(account.id, variables).text : ''
}

function withChecks(account: unknown, checks: readonly ExpandedCheck[]): unknown {
  if (!isMapping(account)) return account
  // Left unchanged, so that the schema reports it.
  if (account.checks !== undefined && !Array.isArray(account.checks)) return without(account, ofAccount)
  return {
    ...without(account, ofAccount),
    ...((account.checks !== undefined || checks.length > 0) && { checks: checks.map(({ check }) => check) }),
  }
}

function layersIn(owner: Mapping, { file, path }: SourcePath): readonly Layer[] {
  return isMapping(owner.defaults) ? [{ defaults: owner.defaults, place: { file, path: [...path, 'defaults'] } }] : []
}

/** All `defaults` of a file, including those of its accounts and groups. */
function defaultsIn(value: Mapping, { file, path }: SourcePath): readonly Layer[] {
  const listed = (owner: unknown, name: string, at: Path) =>
    isMapping(owner) && Array.isArray(owner[name])
      ? owner[name].flatMap((entry: unknown, index) => defaultsIn(isMapping(entry) ? entry : {}, { file, path: [...at, name, index] }))
      : []
  return [...layersIn(value, { file, path }), ...listed(value, 'groups', path), ...listed(value, 'accounts', path)]
}

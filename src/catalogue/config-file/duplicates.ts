import type { Key } from '../catalogue.ts'
import type { CheckDefinition } from '../definitions.ts'
import type { Link } from '../links.ts'
import { type Finding, type Path, pathText } from './faults.ts'

/** An account with its keys, links and checks in file order; null for a check with faults. */
export type AccountPart = {
  readonly id: string
  readonly pingKeyHash?: string
  readonly keys: readonly Key[]
  readonly links: readonly Link[]
  readonly checks: readonly (CheckDefinition | null)[]
}

export function duplicateFindings(accounts: readonly AccountPart[]): readonly Finding[] {
  const ids = accounts.map(({ id }, index) => ({ path: ['accounts', index, 'id'], value: id }))
  const keys = withPaths(accounts, 'keys')
  const links = withPaths(accounts, 'links')
  const checks = withPaths(accounts, 'checks')
  const pingKeys = accounts.flatMap(({ pingKeyHash: value }, index) =>
    value === undefined ? [] : [{ path: ['accounts', index, 'pingKey'], value }],
  )
  return [
    ...duplicatesOf('the id', ids),
    ...duplicatesOf(
      'the name',
      keys.map(({ path, item }) => ({ path: [...path, 'name'], value: JSON.stringify([item.account, item.name]) })),
    ),
    ...duplicatesOf(
      'the hash',
      keys.map(({ path, item }) => ({ path: [...path, 'hash'], value: item.hash })),
    ),
    ...duplicatesOf(
      'the name',
      links.map(({ path, item }) => ({ path: [...path, 'name'], value: JSON.stringify([item.account, item.name]) })),
    ),
    ...duplicatesOf(
      'the id',
      links.map(({ path, item }) => ({ path: [...path, 'id'], value: item.id })),
    ),
    ...duplicatesOf(
      'the id (or, without ids, the name)',
      checks.map(({ path, item }) => ({ path, value: JSON.stringify([item.account, item.id]) })),
    ),
    ...duplicatesOf('the ping token', [
      ...checks.flatMap(({ path, item }) =>
        item.checkType.pingSettings ? [{ path, value: item.checkType.pingSettings(item.settings).tokenHash }] : [],
      ),
      ...pingKeys,
    ]),
  ]
}

type WithPath<Item> = { readonly path: Path; readonly item: Item }

function withPaths<Name extends 'keys' | 'links' | 'checks'>(
  accounts: readonly AccountPart[],
  name: Name,
): readonly WithPath<NonNullable<AccountPart[Name][number]>>[] {
  return accounts.flatMap((account, index) =>
    account[name].flatMap((item, position) => (item === null ? [] : [{ path: ['accounts', index, name, position], item }])),
  )
}

export function duplicatesOf(what: string, things: readonly { readonly path: Path; readonly value: string }[]): readonly Finding[] {
  const first = new Map<string, Path>()
  return things.flatMap(({ path, value }) => {
    const earlier = first.get(value)
    if (!earlier) first.set(value, path)
    return earlier ? [{ path, at: 'value', text: `${pathText(path)} repeats ${what} of ${pathText(earlier)}` }] : []
  })
}

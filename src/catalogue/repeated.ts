import type { Key } from './catalogue.ts'
import type { CheckDefinition } from './definitions.ts'
import { type Finding, type Path, pathText } from './faults.ts'

/** An account of the file, with its keys and checks in the file's order; null stands for a check that has a fault. */
export type AccountPart = {
  readonly id: string
  readonly keys: readonly Key[]
  readonly checks: readonly (CheckDefinition | null)[]
}

/** Things that must be there once, but are there again. */
export function repeatedFindings(accounts: readonly AccountPart[]): readonly Finding[] {
  const ids = accounts.map(({ id }, index) => ({ path: ['accounts', index, 'id'], value: id }))
  const keys = placed(accounts, 'keys')
  const checks = placed(accounts, 'checks')
  return [
    ...again('the id', ids),
    ...again(
      'the name',
      keys.map(({ path, item }) => ({ path: [...path, 'name'], value: JSON.stringify([item.account, item.name]) })),
    ),
    ...again(
      'the hash',
      keys.map(({ path, item }) => ({ path: [...path, 'hash'], value: item.hash })),
    ),
    ...again(
      'the id (or, without ids, the name)',
      checks.map(({ path, item }) => ({ path, value: JSON.stringify([item.account, item.id]) })),
    ),
    ...again(
      'the ping token',
      checks.flatMap(({ path, item }) => (item.checkType.pinged ? [{ path, value: item.checkType.pinged(item.settings).tokenHash }] : [])),
    ),
  ]
}

type Placed<Item> = { readonly path: Path; readonly item: Item }

function placed<Name extends 'keys' | 'checks'>(
  accounts: readonly AccountPart[],
  name: Name,
): readonly Placed<NonNullable<AccountPart[Name][number]>>[] {
  return accounts.flatMap((account, index) =>
    account[name].flatMap((item, place) => (item === null ? [] : [{ path: ['accounts', index, name, place], item }])),
  )
}

function again(what: string, things: readonly { readonly path: Path; readonly value: string }[]): readonly Finding[] {
  const first = new Map<string, Path>()
  return things.flatMap(({ path, value }) => {
    const earlier = first.get(value)
    if (!earlier) first.set(value, path)
    return earlier ? [{ path, at: 'value', text: `${pathText(path)} has ${what} of ${pathText(earlier)} again` }] : []
  })
}

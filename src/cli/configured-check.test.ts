import { describe, expect, test } from 'vitest'
import type { Account } from '../catalogue/catalogue.ts'
import type { ListedCheck } from '../catalogue/inventory.ts'
import { findConfiguredCheck, unknownName } from './configured-check.ts'
import { resolveAccount } from './remote/resolve-account.ts'

const listed = (account: string, id: string, name: string) => ({ account, id, name }) as unknown as ListedCheck
const checks = [
  listed('acme', 'shop', 'Shop'),
  listed('acme', 'twin-1', 'Twin'),
  listed('acme', 'twin-2', 'Twin'),
  listed('acme', 'bait', 'shop'),
  listed('beta', 'shop', 'Another shop'),
  listed('beta', 'blog', 'Blog'),
]
const find = (wanted: string, account?: string) =>
  findConfiguredCheck({ checks }, wanted, { config: 'tidemark.yaml', ...(account !== undefined && { account }) })
const refusal = (message: string) => expect.objectContaining({ exitCode: 2, message })

describe('a check of the config file', () => {
  test.each([
    ['an id', 'blog', undefined, 'beta blog'],
    ['a name', 'Blog', undefined, 'beta blog'],
    ['an id, even if another check has that name', 'shop', 'acme', 'acme shop'],
    ['an id that another account has, too', 'shop', 'beta', 'beta shop'],
  ])('is found by %s', (_, wanted, account, found) => {
    const { account: own, id } = find(wanted, account)
    expect(`${own} ${id}`).toBe(found)
  })

  test.each([
    ['shop', undefined, 'Several checks match: acme shop, beta shop. Use --account or an id.'],
    ['Twin', 'acme', 'Several checks match: acme twin-1, acme twin-2. Use --account or an id.'],
    ['blogg', undefined, 'No check blogg in tidemark.yaml. Nearest: Blog, blog.'],
    ['Blog', 'acme', 'No check Blog in tidemark.yaml. Nearest: none.'],
  ])('is not guessed for %s of the account %s', (wanted, account, message) => {
    expect(() => find(wanted, account)).toThrow(refusal(message))
  })
})

test('an unknown name is reported with similar names', () => {
  expect(unknownName('No check has the tag shopp', 'shopp', ['web', 'shop'])).toEqual(refusal('No check has the tag shopp. Nearest: shop.'))
  expect(unknownName('No check has the tag x', 'x', [])).toEqual(refusal('No check has the tag x. Nearest: none.'))
})

describe('the account of a command', () => {
  const accounts = (...ids: readonly string[]) => ids.map((id) => ({ id, name: id })) as unknown as readonly Account[]
  test('is the given one, or the only one', () => {
    expect(resolveAccount(accounts('acme', 'beta'), 'beta')).toBe('beta')
    expect(resolveAccount(accounts('acme'), undefined)).toBe('acme')
  })
  test.each([
    [['acme', 'beta'], undefined, 'Choose an account with --account: acme, beta.'],
    [[], undefined, 'Choose an account with --account: .'],
    [['acme'], 'acmee', 'No account acmee in the config file. Nearest: acme.'],
    [[], 'acme', 'No account acme in the config file. Nearest: none.'],
  ])('is not guessed for %j and %s', (ids, named, message) => {
    expect(() => resolveAccount(accounts(...ids), named)).toThrow(expect.objectContaining({ exitCode: 1, message }))
  })
})

import { expect, test } from 'vitest'
import { account, service, testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { buildCatalogue } from './build.ts'

/** A catalogue of checks by these ids, in file order, each created at the given time. */
function catalogueOf(...created: readonly (readonly [id: string, createdAt: number])[]) {
  const checks = created.map(([id]) => ({ ...testCheck(anyRunType(), { id }), fingerprint: id }))
  const lifetimes = created.map(([, createdAt]) => ({ createdAt, updatedAt: createdAt }))
  const accounts = [{ id: account, name: account, publicBadges: false }]
  return buildCatalogue({ service, accounts, keys: [], checks, policies: new Map() }, lifetimes)
}

const ids = (checks: readonly { readonly id: string }[]) => checks.map(({ id }) => id)

test('older checks come first, whatever their ids and their order in the file', () => {
  const catalogue = catalogueOf(['a', 300], ['c', 100], ['b', 200])
  expect(ids(catalogue.checks(account))).toEqual(['c', 'b', 'a'])
  expect(ids(catalogue.allChecks())).toEqual(['c', 'b', 'a'])
})

test('checks that were created at the same time are ordered by id', () => {
  const catalogue = catalogueOf(['b', 200], ['d', 100], ['a', 200], ['c', 200])
  expect(ids(catalogue.checks(account))).toEqual(['d', 'a', 'b', 'c'])
})

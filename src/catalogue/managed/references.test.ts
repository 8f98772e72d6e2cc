import { expect, test } from 'vitest'
import { account, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import type { Catalogue } from '../catalogue.ts'
import { parseManagedCheck } from './parse-managed.ts'
import { referenceFaults, usersOf } from './references.ts'

const count = 60
const idOf = (index: number) => `check-${index}`
/** Each check depends on all earlier ones. */
const checks = Array.from({ length: count }, (_, index) =>
  testCheck(anyRunType(), { id: idOf(index), dependsOn: Array.from({ length: index }, (_, earlier) => idOf(earlier)) }),
)
const catalogue = testCatalogue({ checks })

function checkWith(id: string, dependsOn: readonly string[]) {
  const parsed = parseManagedCheck({ ...exampleCheck(anyRunType()), id, dependsOn }, { account: { id: account }, env: {} })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.check
}

/** A catalogue that counts lookups of checks. */
function counting(): { readonly catalogue: Catalogue; readonly lookedUp: () => number } {
  let lookedUp = 0
  const check: Catalogue['check'] = (...args) => {
    lookedUp++
    return catalogue.check(...args)
  }
  return { catalogue: { ...catalogue, check }, lookedUp: () => lookedUp }
}

test('cycles are found in one walk, however many checks it depends on', () => {
  const counted = counting()
  expect(
    referenceFaults(
      checkWith(
        'new',
        checks.map(({ id }) => id),
      ),
      counted.catalogue,
    ),
  ).toEqual([])
  expect(counted.lookedUp()).toBeLessThan(3 * count)
})

test('existing dependencies are not walked again', () => {
  const counted = counting()
  const last = checks.at(-1)
  expect(referenceFaults(checkWith(last?.id ?? '', last?.dependsOn ?? []), counted.catalogue)).toEqual([])
  expect(counted.lookedUp()).toBeLessThanOrEqual(count)
})

test('a cycle over several checks is found', () => {
  expect(referenceFaults(checkWith(idOf(0), [idOf(count - 1)]), catalogue)).toEqual([
    { pointer: '/dependsOn/0', message: expect.stringContaining('cycle') },
  ])
  expect(referenceFaults(checkWith('new', ['new']), catalogue)).toHaveLength(1)
})

test('dependents of a check are found without listing all checks', () => {
  const unsorted: Catalogue = {
    ...catalogue,
    checks: () => {
      throw new Error('all checks were listed')
    },
  }
  expect(usersOf({ account, id: idOf(count - 3) }, unsorted)).toEqual([`check ${idOf(count - 2)}`, `check ${idOf(count - 1)}`])
})

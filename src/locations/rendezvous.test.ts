import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownersOf } from './rendezvous.ts'

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

function loadsOf(owners: ReadonlyMap<string, string>, instances: readonly string[]): readonly number[] {
  return instances.map((instance) => [...owners.values()].filter((owner) => owner === instance).length)
}

/** Checks and agents with arbitrary ids, in any number. */
const dealings = fc.record({
  keys: fc.uniqueArray(fc.string(), { maxLength: 120 }),
  instances: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 }),
})

test('every key has one owner, and no instance has more than a quarter above the average, rounded up', () => {
  fc.assert(
    fc.property(dealings, ({ keys, instances }) => {
      const owners = ownersOf(keys, instances)
      expect([...owners.keys()].toSorted()).toEqual(keys.toSorted())
      const most = Math.max(...loadsOf(owners, instances))
      expect(most).toBeLessThanOrEqual(Math.ceil((1.25 * keys.length) / instances.length))
    }),
  )
})

test('19 checks are not split 15 to 4 between two agents, whatever the ids', () => {
  for (let round = 0; round < 200; round++) {
    const instances = [`a${round}`, `b${round}`]
    expect(Math.max(...loadsOf(ownersOf(named('check', 19), instances), instances))).toBeLessThanOrEqual(12)
  }
})

test('the order of keys and instances does not matter', () => {
  fc.assert(
    fc.property(dealings, ({ keys, instances }) => {
      expect(ownersOf(keys.toReversed(), instances.toReversed())).toEqual(ownersOf(keys, instances))
    }),
  )
})

test.each([
  [19, 2],
  [60, 3],
  [200, 5],
  [1000, 20],
])('when one of %i keys or %i instances is added or removed, few other keys move', (keyCount, instanceCount) => {
  const rounds = 20
  let moved = 0
  let movedByKey = 0
  for (let round = 0; round < rounds; round++) {
    const keys = named(`check-${round}`, keyCount)
    const instances = named(`agent-${round}`, instanceCount + 1)
    const added = instances.at(-1)
    const [fewer, more] = [ownersOf(keys, instances.slice(0, -1)), ownersOf(keys, instances)]
    const withoutKey = ownersOf(keys.slice(1), instances)
    moved += keys.filter((key) => more.get(key) !== added && more.get(key) !== fewer.get(key)).length
    movedByKey += keys.slice(1).filter((key) => more.get(key) !== withoutKey.get(key)).length
  }
  expect(moved / rounds).toBeLessThan(Math.max(1, 0.02 * keyCount))
  expect(movedByKey / rounds).toBeLessThan(2)
})

test('without instances no key has an owner', () => {
  expect(ownersOf(['check'], [])).toEqual(new Map())
})

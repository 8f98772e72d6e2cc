import { expect, test } from 'vitest'
import { ownerOf } from './rendezvous.ts'

const keys = Array.from({ length: 600 }, (_, i) => `check-${i}`)
const dealt = (...instances: string[]) => keys.map((key) => ownerOf(key, instances))

test('keys are spread evenly, whatever the order of the instances', () => {
  const owners = dealt('a', 'b', 'c')
  for (const instance of ['a', 'b', 'c']) expect(owners.filter((owner) => owner === instance).length).toBeGreaterThan(150)
  expect(dealt('c', 'a', 'b')).toEqual(owners)
})

test('when an instance goes, only its keys move; when one comes, keys move only to it', () => {
  const [before, after] = [dealt('a', 'b', 'c'), dealt('a', 'c')]
  expect(before.every((owner, i) => owner === 'b' || owner === after[i])).toBe(true)
})

test('without instances a key belongs to none', () => {
  expect(ownerOf('check', [])).toBeUndefined()
})

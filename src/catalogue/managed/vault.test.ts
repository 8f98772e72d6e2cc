import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVault } from './vault.ts'

const vault = createVault(Buffer.alloc(32, 1))
const place = { account: 'acme', name: 'TOKEN' }

test('a sealed value can be opened only with the same key and in the same place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const sealed = vault.seal(value, place)
      expect(vault.open(sealed, place)).toBe(value)
      expect(vault.open(sealed, { ...place, account: 'other' })).toBeNull()
      expect(vault.open(sealed, { ...place, name: 'OTHER' })).toBeNull()
      expect(createVault(Buffer.alloc(32, 2)).open(sealed, place)).toBeNull()
      expect(vault.seal(value, place)).not.toBe(sealed)
    }),
  )
})

test('an altered or invalid value cannot be opened', () => {
  const sealed = vault.seal('a-secret', place)
  for (const text of ['', 'a-secret', 'v1:', 'v2:abc', sealed.slice(0, -2), `${sealed.slice(0, 10)}x${sealed.slice(11)}`, sealed.slice(1)])
    expect(vault.open(text, place)).toBeNull()
})

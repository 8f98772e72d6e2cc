import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { grouped } from '../collections/lists.ts'
import { newKey } from './keys.ts'

test('a key has a prefix, an id of 8 characters, 32 random characters and a checksum', () => {
  const { id, key } = newKey(randomBytes)
  expect(key).toMatch(/^tdm_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
  expect(key.split('_')[1]).toBe(id)
})

test('keys are unique', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newKey(randomBytes).key)).size).toBe(1000)
})

test('the checksum covers everything before it, so that a scanner can verify a key', () => {
  const body = `tdm_${'0'.repeat(8)}_${'0'.repeat(32)}`
  const { key } = newKey((size) => new Uint8Array(size))
  expect(key).toBe(`${body}_0umoT8`)
})

test('every character of a key is equally likely: each is the image of the same number of bytes', () => {
  const characters = Array.from({ length: 256 }, (_, byte) => characterOf(byte)).filter((character) => character !== null)
  const counts = grouped(characters, (character) => character)
  expect(counts.size).toBe(62)
  expect(new Set([...counts.values()].map(({ length }) => length))).toEqual(new Set([4]))
})

/** The character for a random byte; null if the byte is skipped, so that more are drawn. */
function characterOf(byte: number): string | null {
  let draws = 0
  const { id } = newKey((size) => new Uint8Array(size).fill(draws++ === 0 ? byte : 0))
  return draws === 2 ? id.charAt(0) : null
}

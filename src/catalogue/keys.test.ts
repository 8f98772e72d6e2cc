import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { isKey, newKey } from './keys.ts'

test('a key says what it is, has 8 characters to find it by, 32 random ones and a checksum', () => {
  const { id, key } = newKey(randomBytes)
  expect(key).toMatch(/^tdm_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
  expect(key.split('_')[1]).toBe(id)
  expect(isKey(key)).toBe(true)
})

test('no two keys are the same', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newKey(randomBytes).key)).size).toBe(1000)
})

test('a mistyped or cut key is none', () => {
  const { key } = newKey(randomBytes)
  for (let place = 0; place < key.length; place++) {
    const other = key[place] === 'a' ? 'b' : 'a'
    expect(isKey(`${key.slice(0, place)}${other}${key.slice(place + 1)}`)).toBe(false)
    expect(isKey(key.slice(0, place))).toBe(false)
  }
})

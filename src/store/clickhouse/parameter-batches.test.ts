import { expect, test } from 'vitest'
import { parameterBatches } from './parameter-batches.ts'

const sizesOf = (texts: readonly string[], most = 1000) => parameterBatches(texts, most, (text) => [text]).map(({ length }) => length)

test('items are cut by their number', () => {
  expect(sizesOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([2, 2, 1])
  expect(sizesOf([])).toEqual([])
})

test('items are cut where their texts would be more than the server takes in a parameter, with their escapes', () => {
  expect(sizesOf(Array(500).fill('x'.repeat(397)))).toEqual([250, 250])
  expect(sizesOf(Array(500).fill('é'.repeat(197)))).toEqual([251, 249])
  expect(sizesOf(Array(500).fill("'".repeat(197)))).toEqual([251, 249])
})

test('an item that is too long by itself is a group of its own', () => {
  expect(sizesOf(['a', 'x'.repeat(200_000), 'b'])).toEqual([1, 1, 1])
})

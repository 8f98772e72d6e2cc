import { expect, test } from 'vitest'
import { parameterBatches } from './parameter-batches.ts'

const sizesOf = (texts: readonly string[], most = 1000) => parameterBatches(texts, most, (text) => [text]).map(({ length }) => length)

test('items are split by number', () => {
  expect(sizesOf(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([2, 2, 1])
  expect(sizesOf([])).toEqual([])
})

test('items are split where their texts, with escapes, would exceed the limit of a parameter', () => {
  expect(sizesOf(Array(500).fill('x'.repeat(397)))).toEqual([250, 250])
  expect(sizesOf(Array(500).fill('é'.repeat(197)))).toEqual([251, 249])
  expect(sizesOf(Array(500).fill("'".repeat(197)))).toEqual([251, 249])
})

test('an item that is too long is a batch on its own', () => {
  expect(sizesOf(['a', 'x'.repeat(200_000), 'b'])).toEqual([1, 1, 1])
})

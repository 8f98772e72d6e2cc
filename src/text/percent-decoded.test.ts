import { expect, test } from 'vitest'
import { percentDecoded } from './percent-decoded.ts'

test('invalid percent-encoding is kept', () => {
  expect(['a%20b', '100%', '%ff'].map(percentDecoded)).toEqual(['a b', '100%', '%ff'])
})

import { expect, test } from 'vitest'
import { percentDecoded } from './percent-decoded.ts'

test('what is not valid percent-encoding stays as it is', () => {
  expect(['a%20b', '100%', '%ff'].map(percentDecoded)).toEqual(['a b', '100%', '%ff'])
})

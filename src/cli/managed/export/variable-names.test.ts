import { expect, test } from 'vitest'
import { createVariableNames } from './variable-names.ts'

const wanted = (name: string, owner: string, value: string | null, isSecret = false) => ({ name, owner, value, isSecret })

test.each([
  [
    'a name is kept, and shared by those of the same value',
    [
      ['HOST', 'acme', 'a'],
      ['HOST', 'shop', 'a'],
    ],
    ['HOST', 'HOST'],
  ],
  [
    'another value gets the owner in front',
    [
      ['HOST', 'acme', 'a'],
      ['HOST', 'shop', 'b'],
      ['HOST', 'cart', 'a'],
    ],
    ['HOST', 'SHOP_HOST', 'HOST'],
  ],
  [
    'further values of one owner are counted',
    [
      ['HOST', 'shop', 'a'],
      ['HOST', 'shop', 'b'],
      ['HOST', 'shop', 'c'],
      ['HOST', 'shop', 'd'],
      ['HOST', 'shop', 'c'],
    ],
    ['HOST', 'SHOP_HOST', 'SHOP_2_HOST', 'SHOP_3_HOST', 'SHOP_2_HOST'],
  ],
  [
    'what cannot be read is shared by nobody',
    [
      ['HOST', 'acme', null],
      ['HOST', 'shop', null],
    ],
    ['HOST', 'SHOP_HOST'],
  ],
  ['a variable of the server is never taken', [['OPEN', 'acme', 'a']], ['ACME_OPEN']],
  ['nor is one with a meaning of its own', [['TIDEMARK_KEY', 'acme', 'a']], ['ACME_TIDEMARK_KEY']],
  [
    'a secret is called so',
    [
      ['HOST', 'acme', 'a', true],
      ['API_TOKEN', 'acme', 'b', true],
    ],
    ['HOST_SECRET', 'API_TOKEN'],
  ],
  [
    'a digit does not come first',
    [
      ['HOST', 'acme', 'a'],
      ['HOST', '1-shop', 'b'],
    ],
    ['HOST', '_1_SHOP_HOST'],
  ],
] as const)('%s', (_, all, names) => {
  const variables = createVariableNames(new Set(['OPEN']))
  expect(all.map(([name, owner, value, isSecret]) => variables.nameOf(wanted(name, owner, value, isSecret)))).toEqual(names)
  const values = new Map(names.map((name, i) => [name as string, all[i]?.[2] ?? null]))
  expect(variables.values()).toEqual(values)
  expect([variables.isOpen('OPEN'), variables.isOpen('HOST')]).toEqual([true, false])
})

// @slow
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { triesOf } from '../../../test/support/tries.ts'
import { readSource } from './source.ts'
import { openYamlDocument } from './yaml-document.ts'

const scalars = fc.oneof(
  fc.string(),
  fc.constantFrom('yes', '012', '0b1', '0o17', '1_000', '02:00', '2026-11-20', '1e3', '~', '.inf', 'null', 'a: b', '# c', '- d', '<<'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(tie('value')), fc.dictionary(fc.string({ minLength: 1 }), tie('value'))),
})).value

test('the parser for files without faults reads the same values as the one that knows lines', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-w]{1,8}$/), values),
      fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
      (value, style) => {
        const text = stringify(value, { defaultStringType: style, aliasDuplicateObjects: false })
        expect({ value: readSource(text.replaceAll('${', '$'), {}).value }).toEqual(openYamlDocument(text.replaceAll('${', '$')).read)
      },
    ),
    { numRuns: triesOf(100) },
  )
})

test.each([
  'a: 0b101\nb: 0o17\nc: 0x1f\nd: 1_000',
  'e: 2026-11-20\nf: yes\ng: ~\nh: .inf',
  'i: 1e3\nj: 012\nm: 02:00',
  'n: |\n  two\n  lines',
  '"1": x',
])('both parsers give plain scalars the same type: %j', (text) => {
  expect({ value: readSource(text, {}).value }).toEqual(openYamlDocument(text).read)
})

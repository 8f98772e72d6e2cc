import { expect, test } from 'vitest'
import { fieldChanges, removedFields } from './field-changes.ts'

const plain = (value: unknown) => ({ value, shown: value })

test('long texts are shown from where they differ', () => {
  const text = (middle: string) => `${'a'.repeat(5000)}${middle}${'z'.repeat(5000)}`
  const [change] = fieldChanges(plain({ script: text('one') }), plain({ script: text('two') }))
  expect(change).toEqual({ pointer: '/script', before: expect.stringContaining('one'), after: expect.stringContaining('two') })
  expect(String(change?.after).length).toBeLessThan(1010)
})

test('a text that is the longer one of two is shown at its end', () => {
  const [change] = fieldChanges(plain({ script: 'a'.repeat(5000) }), plain({ script: `${'a'.repeat(5000)} more` }))
  expect(change?.after).toMatch(/^…a+ more$/)
})

test('many long values are cut short, so that no write has more than some', () => {
  const fields = (letter: string) => plain(Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, letter.repeat(3000)])))
  const changes = fieldChanges(fields('a'), fields('b'))
  expect(changes).toHaveLength(90)
  expect(JSON.stringify(changes).length).toBeLessThan(40_000)
})

test('long names of fields are cut short, however many changes are below them', () => {
  const fields = (letter: string) =>
    plain({ ['n'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, letter])) })
  expect(JSON.stringify(fieldChanges(fields('a'), fields('b'))).length).toBeLessThan(100_000)
})

test('a secret is shown as it is shown elsewhere', () => {
  const before = { value: { key: 'hush-one' }, shown: { key: `$\{KEY}` } }
  const after = { value: { key: 'hush-two' }, shown: { key: `$\{KEY}` } }
  expect(fieldChanges(before, after)).toEqual([{ pointer: '/key', before: `$\{KEY}`, after: `$\{KEY}` }])
  expect(removedFields(before)).toEqual([{ pointer: '/key', before: `$\{KEY}` }])
})

import { expect, test } from 'vitest'
import { fieldChanges, removedFields } from './field-changes.ts'

const plain = (value: unknown) => ({ value, shown: value })

test('long texts are shown from their first difference', () => {
  const text = (middle: string) => `${'a'.repeat(5000)}${middle}${'z'.repeat(5000)}`
  const [change] = fieldChanges(plain({ script: text('one') }), plain({ script: text('two') }))
  expect(change).toEqual({ pointer: '/script', before: expect.stringContaining('one'), after: expect.stringContaining('two') })
  expect(String(change?.after).length).toBeLessThan(1010)
})

test('a text that was appended to is shown at its end', () => {
  const [change] = fieldChanges(plain({ script: 'a'.repeat(5000) }), plain({ script: `${'a'.repeat(5000)} more` }))
  expect(change?.after).toMatch(/^…a+ more$/)
})

test('many long values are truncated, so that the changes of a write are limited', () => {
  const fields = (letter: string) => plain(Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, letter.repeat(3000)])))
  const changes = fieldChanges(fields('a'), fields('b'))
  expect(changes).toHaveLength(90)
  expect(JSON.stringify(changes).length).toBeLessThan(40_000)
})

test('long names of fields are truncated, however many changes are below them', () => {
  const fields = (letter: string) =>
    plain({ ['n'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, letter])) })
  expect(JSON.stringify(fieldChanges(fields('a'), fields('b'))).length).toBeLessThan(100_000)
})

test('secrets stay redacted', () => {
  const before = { value: { key: 'hush-one' }, shown: { key: `$\{KEY}` } }
  const after = { value: { key: 'hush-two' }, shown: { key: `$\{KEY}` } }
  expect(fieldChanges(before, after)).toEqual([{ pointer: '/key', before: `$\{KEY}`, after: `$\{KEY}` }])
  expect(removedFields(before)).toEqual([{ pointer: '/key', before: `$\{KEY}` }])
})

test.each<[string, object | null, object | null, readonly object[]]>([
  ['nothing', { a: 1, b: [1] }, { a: 1, b: [1] }, []],
  ['what is the same as another kind of number', { a: Number.NaN }, { a: Number.NaN }, []],
  ['a value', { a: 1 }, { a: 2 }, [{ pointer: '/a', before: 1, after: 2 }]],
  ['a new value', { a: 1 }, { a: 1, b: null }, [{ pointer: '/b', after: null }]],
  ['a value less', { a: 1, b: 2 }, { a: 1 }, [{ pointer: '/b', before: 2 }]],
  ['a value within', { r: { u: 1, v: 2 } }, { r: { u: 1, v: 3 } }, [{ pointer: '/r/v', before: 2, after: 3 }]],
  [
    'items of a list',
    { l: [1, 2, 3] },
    { l: [1, 4] },
    [
      { pointer: '/l/1', before: 2, after: 4 },
      { pointer: '/l/2', before: 3 },
    ],
  ],
  ['a list for an object', { a: [] }, { a: {} }, [{ pointer: '/a', before: [], after: {} }]],
  ['null for an object', { a: {} }, { a: null }, [{ pointer: '/a', before: {}, after: null }]],
  ['names with signs of pointers', {}, { 'a/b~c': 1 }, [{ pointer: '/a~1b~0c', after: 1 }]],
  [
    'the order of variables, which clients list',
    { variables: { environment: { A: '1', B: '2' } } },
    { variables: { environment: { B: '2', A: '1' } } },
    [{ pointer: '/variables/environment', before: ['A', 'B'], after: ['B', 'A'] }],
  ],
  [
    'variables of which some are new or gone',
    { environment: { A: '1', B: '2' } },
    { environment: { B: '2', C: '3' } },
    [
      { pointer: '/environment/A', before: '1' },
      { pointer: '/environment/C', after: '3' },
    ],
  ],
  ['the same fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['all of what is new', null, { a: 1 }, [{ pointer: '', after: { a: 1 } }]],
  ['all of what is gone', { a: 1 }, null, [{ pointer: '', before: { a: 1 } }]],
])('the changes of %s are listed', (_, before, after, changes) => {
  expect(fieldChanges(before && plain(before), after && plain(after))).toEqual(changes)
})

test('up to a hundred changes are listed', () => {
  const fields = (value: number) => plain(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, value])))
  expect(fieldChanges(fields(1), fields(2))).toHaveLength(100)
})

test('short values are not truncated, and truncation does not split characters', () => {
  const [whole, cut] = [1000, 1001].map((length) => fieldChanges(plain({}), plain({ text: 'x'.repeat(length) }))[0]?.after)
  expect([whole, String(cut).length <= 1001, String(cut).endsWith('…')]).toEqual(['x'.repeat(1000), true, true])
  const text = (end: string) => `${'😀'.repeat(1500)}${end}`
  for (const more of ['', 'a']) {
    const [change] = fieldChanges(plain({ text: `${more}${text('b')}` }), plain({ text: `${more}${text('c')}` }))
    expect(change?.after).toMatch(/^…(?:😀)+c$/u)
  }
  const [subtree] = fieldChanges(plain({}), plain({ list: Array(500).fill('abc') }))
  expect(subtree?.after).toMatch(/^\["abc",.*…$/)
})

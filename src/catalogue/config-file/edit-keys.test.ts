import { expect, test } from 'vitest'
import { sha256 } from '../../ids/sha256.ts'
import { withKey, withoutKey } from './edit-keys.ts'
import { parseConfig } from './parse.ts'

const entry = (name: string) => ({ id: 'Ab3dE9xQ', name, hash: sha256(name), scopes: ['read' as const] })
const line = (name: string) => `{ id: "Ab3dE9xQ", name: "${name}", hash: "${entry(name).hash}", scopes: [read] }`

function namesOf(text: string): readonly string[] {
  const parsed = parseConfig(text, {})
  return 'config' in parsed ? parsed.config.keys.map(({ name }) => name) : []
}

test('the first key of an account adds a block and changes nothing else', () => {
  const text = 'retention:   30d   # keep\naccounts:\n- id: other\n- id: acme     # us\n  name: "Acme"\n'
  expect(withKey(text, 'acme', entry('a'))).toBe(
    `retention:   30d   # keep\naccounts:\n- id: other\n- id: acme     # us\n  keys:\n    - ${line('a')}\n  name: "Acme"\n`,
  )
})

test('another key adds one line after the last', () => {
  const text = `accounts:\n  - id: acme\n    keys:\n      # for charts\n      - ${line('a')}  # until May\n    name: Acme`
  const twice = withKey(text, 'acme', entry('b'))
  expect(twice).toBe(text.replace('# until May\n', `# until May\n      - ${line('b')}\n`))
  expect(withoutKey(twice, 'acme', 'b')).toBe(text)
})

test('removing the last key leaves an empty list and the comments', () => {
  const text = `# ours\naccounts:\n  - id: acme # us\n    keys:\n      - ${line('a')}\n    # what we check\n    checks: []\n`
  const none = withoutKey(text, 'acme', 'a')
  expect(namesOf(none)).toEqual([])
  for (const comment of ['# ours', '# us', '# what we check']) expect(none).toContain(comment)
  expect(namesOf(withKey(none, 'acme', entry('b')))).toEqual(['b'])
})

test.each([
  ['an empty list', 'accounts:\n  - id: acme # us\n    keys: []\n'],
  ['nothing', 'accounts:\n  - id: acme # us\n    keys:\n'],
  ['a flow list', `accounts: [{ id: acme, keys: [${line('z')}] }] # us\n`],
  ['no last newline', 'accounts:\n  - id: acme # us'],
  [
    'keys over several lines',
    `accounts:\n  - id: acme # us\n    keys:\n      - name: z\n        hash: ${entry('z').hash}\n        scopes:\n          - read\n`,
  ],
])('a key is added and removed where keys are %s', (_, text) => {
  const before = namesOf(text)
  const after = withKey(text, 'acme', entry('a'))
  expect(namesOf(after)).toEqual([...before, 'a'])
  expect(after).toContain('# us')
  expect(namesOf(withoutKey(after, 'acme', 'a'))).toEqual(before)
  for (const name of before) expect(namesOf(withoutKey(after, 'acme', name))).toEqual(['a'])
})

test('a JSON file remains JSON', () => {
  const text = JSON.stringify({ accounts: [{ id: 'acme' }] })
  const after = withKey(text, 'acme', entry('a'))
  expect(JSON.parse(after)).toEqual({ accounts: [{ id: 'acme', keys: [entry('a')] }] })
  expect(JSON.parse(withoutKey(after, 'acme', 'a'))).toEqual({ accounts: [{ id: 'acme', keys: [] }] })
})

test('an unknown account or key is an error', () => {
  for (const text of ['accounts:\n  - id: other\n', 'accounts: 5\n', 'retention: 30d\n']) {
    expect(() => withKey(text, 'acme', entry('a'))).toThrow(RangeError)
    expect(() => withoutKey(text, 'acme', 'a')).toThrow(RangeError)
  }
  expect(() => withoutKey('accounts:\n  - id: acme\n', 'acme', 'a')).toThrow(RangeError)
  expect(() => withoutKey(`accounts:\n  - id: acme\n    keys:\n      - ${line('b')}\n`, 'acme', 'a')).toThrow(RangeError)
})

test('several scopes, and a key without an id, are written in their canonical form', () => {
  const { id: _, ...plain } = entry('a')
  const text = withKey('accounts:\n  - id: acme\n', 'acme', { ...plain, scopes: ['read', 'ingest'] })
  expect(text).toContain(`    - { name: "a", hash: "${plain.hash}", scopes: [read, ingest] }\n`)
})

test('long lines and comments elsewhere are kept where the file must be rewritten', () => {
  const long = `a text of ${'many '.repeat(40)}words`
  const text = `# ${'long '.repeat(40)}\naccounts:\n  - { id: acme, keys: [${line('z')}] }\n  - id: other\n    name: ${long}\n`
  const after = withKey(text, 'acme', entry('a'))
  expect(namesOf(after)).toEqual(['z', 'a'])
  expect(after).toContain(`    name: ${long}\n`)
  expect(after).toContain(`# ${'long '.repeat(40)}`.trimEnd())
})

test('the id of an account need not come first', () => {
  const text = 'accounts:\n  - name: Acme\n    id: acme\n    publicBadges: true\n'
  expect(withKey(text, 'acme', entry('a'))).toBe(
    `accounts:\n  - name: Acme\n    id: acme\n    keys:\n      - ${line('a')}\n    publicBadges: true\n`,
  )
})

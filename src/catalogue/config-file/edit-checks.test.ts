import { expect, test } from 'vitest'
import { withoutEntries } from './edit-checks.ts'

const text = `accounts:
  - id: acme  # the shop
    checks:
      # first
      - {name:   A}
      - name: B
        tags: [x]   # of B
    groups:
      - name: G
        checks:
        - name:   C
# end
`

test('entries are removed with their lines, in any order, and nothing else changes', () => {
  const [b, c] = [
    ['accounts', 0, 'checks', 1],
    ['accounts', 0, 'groups', 0, 'checks', 0],
  ]
  const left = `accounts:
  - id: acme  # the shop
    checks:
      # first
      - {name:   A}
    groups:
      - name: G
        checks: []
# end
`
  expect(withoutEntries(text, [b, c])).toBe(left)
  expect(withoutEntries(text, [c, b])).toBe(left)
})

test('an entry behind an alias cannot be removed', () => {
  const aliased = 'checks: &all\n  - name: A\nothers:\n  checks: *all\n'
  expect(() => withoutEntries(aliased, [['others', 'checks', 0]])).toThrow('others.checks.0 is part of an alias')
})

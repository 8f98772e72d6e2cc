import { expect, test } from 'vitest'
import { withMaintenance } from './edit-maintenance.ts'
import { parsePolicies } from './parse-policies.ts'

const from = Date.UTC(2026, 10, 20, 22)
const move = { name: 'Move "db"', from, to: from + 7_200_000, checks: [], tags: [] }
const file = 'accounts:\n  - id: acme   # us\n    name: Acme\n'

function maintenanceIn(text: string) {
  const parsed = parsePolicies(text, {})
  return 'accounts' in parsed ? parsed.accounts[0]?.policies.maintenance : parsed.faults
}

test('a maintenance window is added in one line, and nothing else changes', () => {
  expect(withMaintenance(file, 'acme', move)).toBe(
    [
      'accounts:',
      '  - id: acme   # us',
      '    maintenance:',
      '      - { name: "Move \\"db\\"", from: 2026-11-20T22:00:00Z, to: 2026-11-21T00:00:00Z }',
      '    name: Acme',
      '',
    ].join('\n'),
  )
})

test('a window may select checks and tags, and begin at any millisecond', () => {
  const checks = 'accounts:\n  - id: acme\n    checks: [{ id: a, name: A }, { id: b, name: B }]\n'
  const added = withMaintenance(checks, 'acme', { ...move, from: from + 1, checks: ['a', 'b'], tags: ['shop, web'] })
  expect(added).toContain('from: 2026-11-20T22:00:00.001Z, to: 2026-11-21T00:00:00Z, checks: ["a", "b"], tags: ["shop, web"] }')
  const parsed = withMaintenance(checks, 'acme', { ...move, from: from + 1, checks: ['a', 'b'], tags: ['shop'] })
  expect(maintenanceIn(parsed)).toEqual([{ ...move, from: from + 1, checks: ['a', 'b'], tags: ['shop'] }])
})

test('a second window follows the first', () => {
  const twice = withMaintenance(withMaintenance(file, 'acme', move), 'acme', { ...move, name: 'Again' })
  expect(maintenanceIn(twice)).toEqual([move, { ...move, name: 'Again' }])
})

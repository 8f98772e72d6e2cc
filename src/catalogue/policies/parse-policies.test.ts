import { expect, test } from 'vitest'
import { exampleCheck } from '../../../test/support/example-config.ts'
import { checkTypes } from '../../checks/registry.ts'
import { parsePolicies } from './parse-policies.ts'

const [checkType] = checkTypes
const hours = '{ name: office, days: [mon], from: "08:00", to: "20:00" }'

test('accounts, checks and policies are read even if checks have faults and variables are not set', () => {
  const checks = [
    { ...(checkType && exampleCheck(checkType)), id: 'shop', tags: ['web', 7], frequency: 'often', name: `$\{ABSENT}` },
    { name: 'unnamed', type: 'NOPE', tags: 'web' },
  ]
  const parsed = parsePolicies(`accounts:\n  - { id: acme, name: Acme, serviceHours: [${hours}], checks: ${JSON.stringify(checks)} }`, {})
  expect(parsed).toMatchObject({
    accounts: [
      {
        account: { id: 'acme', name: 'Acme', publicBadges: false },
        checks: [
          { id: 'shop', tags: ['web'], checkType },
          { id: expect.stringMatching(/^[0-9a-f-]{36}$/), tags: [], checkType: undefined },
        ],
        policies: { maintenance: [], slos: [], serviceHours: [{ name: 'office' }] },
      },
    ],
  })
})

test('channels with unset variables are ignored', () => {
  const parsed = parsePolicies(
    `accounts:\n  - { id: acme, channels: [{ id: ops, type: nope, url: "$\{ABSENT}" }], alerts: [{ id: all }] }`,
    {},
  )
  expect(parsed).toMatchObject({ accounts: [{ policies: { maintenance: [] } }] })
})

test.each([
  ['is empty', '', [[1, 'the file is empty']]],
  ['is invalid YAML', 'accounts: [', [[1, expect.stringMatching('invalid YAML')]]],
  [
    'has faults in its accounts and policies',
    `accounts:\n  - id: acme\n    serviceHours:\n      - { name: office }\n    keys: 5\nretention: 7`,
    [
      [4, expect.stringMatching('days is missing')],
      [4, expect.stringMatching('from is missing')],
      [4, expect.stringMatching('to is missing')],
      [5, expect.stringMatching('keys must be a list')],
      [6, expect.stringMatching('retention must be')],
    ],
  ],
])('a file that %s is reported with lines', (_, text, expected) => {
  const parsed = parsePolicies(text, {})
  expect('faults' in parsed && parsed.faults.map(({ line, text: words }) => [line, words])).toEqual(expected)
})

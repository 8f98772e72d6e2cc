import { expect, test } from 'vitest'
import { ConfigFaults, pathText } from './faults.ts'
import { parseConfig } from './parse.ts'

function shownOf(text: string, env = {}): ConfigFaults {
  const parsed = parseConfig(text, env)
  return new ConfigFaults('tidemark.yaml', 'faults' in parsed ? parsed.faults : [])
}

test('a fault that echoes a megabyte is truncated in the middle, after redaction', () => {
  const secret = 'correct-horse-'.repeat(100)
  const text = `accounts:\n- id: acme\n  checks:\n  - name: \${A_TOKEN}\n    type: ${'x'.repeat(1_000_000)}\${A_TOKEN}\n`
  const { message } = shownOf(text, { A_TOKEN: secret })
  expect(message.length).toBeLessThan(3000)
  expect(message).toMatch(/unknown check type x+…x+•••; supported: /)
  expect(message).not.toContain('horse')
})

test('names of a file are truncated in the path of a fault', () => {
  expect(pathText(['accounts', 0, 'x'.repeat(1_000_000)])).toBe(`accounts[0].${'x'.repeat(60)}…`)
  expect(shownOf(`accounts: []\n${'x'.repeat(1_000_000)}: 1\n`).message.length).toBeLessThan(500)
})

test('only the first hundred faults are shown, with the number of further ones', () => {
  const { message, faults } = shownOf(`accounts:\n${'- 1\n'.repeat(5000)}`)
  expect(faults).toHaveLength(100)
  expect(message.split('\n')).toHaveLength(101)
  expect(message).toMatch(/\ntidemark\.yaml: and 4900 more$/)
})

import { expect, test } from 'vitest'
import type { CheckType } from '../api/answers.ts'
import { configText, simplest } from './config-text.ts'

const type = (name: string, more: Partial<CheckType>): CheckType => ({
  checkType: name,
  label: name,
  endpoint: '',
  metrics: [],
  duration: null,
  phases: [],
  groupBy: [],
  filterByStatus: [],
  example: `- name: ${name}\n`,
  files: [],
  pinged: false,
  createAt: '',
  hasVariables: false,
  acceptsCode: true,
  ...more,
})

test('an example becomes a check of the account', () => {
  expect(configText('acme', '- name: Homepage\n  frequency: 1m\n')).toBe(
    'accounts:\n  - id: acme   # keep its keys\n    checks:\n      - name: Homepage\n        frequency: 1m\n',
  )
})

test('the simplest type needs no file, and preferably measures phases', () => {
  const long = type('long', { phases: ['wait'], example: '- name: a long example\n' })
  const short = type('short', { phases: ['wait'] })
  const plain = type('p', {})
  const scripted = type('s', { phases: ['wait'], files: ['a.spec.ts'] })
  expect(simplest([scripted, plain, long, short])).toBe(short)
  expect(simplest([scripted, plain])).toBe(plain)
  expect(simplest([scripted])).toBeUndefined()
})

import { expect, test } from 'vitest'
import { shieldsEndpoint } from './shields.ts'

test('the shields endpoint has label, message and colour, and a style only if requested', () => {
  const badge = { label: 'Homepage', message: 'passing', tone: 'passing' } as const
  const endpoint = { schemaVersion: 1, label: 'Homepage', message: 'passing', color: '#1a7f3e' }
  expect(shieldsEndpoint(badge, null)).toEqual(endpoint)
  expect(shieldsEndpoint(badge, 'plastic')).toEqual({ ...endpoint, style: 'plastic' })
})

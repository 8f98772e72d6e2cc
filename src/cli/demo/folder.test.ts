import { expect, test } from 'vitest'
import { checkTypes } from '../../checks/registry.ts'
import { isDemoCheck } from './folder.ts'

const target = { url: 'http://127.0.0.1:8788', hostname: '127.0.0.1', tcpPort: 8789, dnsPort: 8790, pingToken: 'a-token' }

test('a check of the demo is distinguished from one that somebody added or pointed elsewhere', () => {
  const [demo] = checkTypes.filter(({ phases }) => phases.length > 0).map((checkType) => checkType.demo)
  if (demo === undefined) throw new Error('No type has phases.')
  const id = demo.name.toLowerCase().replaceAll(' ', '-')
  expect(isDemoCheck({ id, settings: demo.settings(target) }, target)).toBe(true)
  expect(isDemoCheck({ id: 'gift-cards', settings: demo.settings(target) }, target)).toBe(true)
  expect(isDemoCheck({ id: 'mine', settings: demo.settings(target) }, target)).toBe(false)
  const elsewhere = { ...target, url: 'https://example.com', hostname: 'example.com' }
  expect(isDemoCheck({ id, settings: demo.settings(elsewhere) }, target)).toBe(false)
})

import { expect, test } from 'vitest'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { checkTypes } from '../../checks/registry.ts'
import { demoConfig, isDemoCheck } from './folder.ts'

const target = { url: 'http://127.0.0.1:8788', hostname: '127.0.0.1', tcpPort: 8789, dnsPort: 8790, pingToken: 'a-token-of-the-demo' }

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

test('the config file of a demo is valid, with a check of each type and some that are not well', async () => {
  const text = demoConfig({ id: 'Ab3dE9xQ', name: 'demo', hash: `sha256:${'0'.repeat(64)}`, scopes: ['read'] }, target)
  const parsed = parseConfig(text, {})
  expect('faults' in parsed ? parsed.faults : []).toEqual([])
  await expect(text).toMatchFileSnapshot('../../../test/golden/demo.yaml')
})

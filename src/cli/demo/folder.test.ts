import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { readConfig } from '../../catalogue/open.ts'
import { checkTypes } from '../../checks/registry.ts'
import { sha256 } from '../../ids/sha256.ts'
import { demoConfig, isDemoCheck, openDemoFolder } from './folder.ts'

const target = { url: 'http://127.0.0.1:8788', hostname: '127.0.0.1', tcpPort: 8789, dnsPort: 8790, pingToken: 'a-token-of-the-demo' }

test('a check of the demo is distinguished from one that was added or changed', () => {
  const [demo] = checkTypes.filter(({ phases }) => phases.length > 0).map((checkType) => checkType.demo)
  if (demo === undefined) throw new Error('No type has phases.')
  const id = demo.name.toLowerCase().replaceAll(' ', '-')
  expect(isDemoCheck({ id, settings: demo.settings(target) }, target)).toBe(true)
  expect(isDemoCheck({ id: 'gift-cards', settings: demo.settings(target) }, target)).toBe(true)
  expect(isDemoCheck({ id: 'mine', settings: demo.settings(target) }, target)).toBe(false)
  const elsewhere = { ...target, url: 'https://example.com', hostname: 'example.com' }
  expect(isDemoCheck({ id, settings: demo.settings(elsewhere) }, target)).toBe(false)
})

test('the config file of a demo is valid, with a check of each type and some problems', async () => {
  const text = demoConfig({ id: 'Ab3dE9xQ', name: 'demo', hash: `sha256:${'0'.repeat(64)}`, scopes: ['read'] }, target)
  const parsed = parseConfig(text, {})
  expect('faults' in parsed ? parsed.faults : []).toEqual([])
  await expect(text).toMatchFileSnapshot('../../../test/golden/demo.yaml')
})

test('the folder of a demo is created once, only for its owner, and reused', async () => {
  const folder = join(temporaryFolder(), 'demo-data')
  const opened = await openDemoFolder(folder, 1_794_650_400_000)
  expect(opened).toMatchObject({
    configFile: join(folder, 'tidemark.yaml'),
    dataDir: join(folder, 'data'),
    key: expect.stringMatching(/^tdm_\w{8}_\w{32}_\w{6}$/),
    end: 1_794_650_400_000,
    target: { hostname: '127.0.0.1', pingToken: expect.stringMatching(/^[0-9a-f]{32}$/) },
  })
  expect(await openDemoFolder(folder, 0)).toEqual(opened)
  for (const name of ['tidemark.yaml', 'demo.json']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  const { keys, checks } = await readConfig(opened.configFile, {})
  expect(keys).toMatchObject([{ name: 'demo', account: 'demo', scopes: expect.arrayContaining(['read', 'ingest', 'write', 'operate']) }])
  expect(readFileSync(opened.configFile, 'utf8')).toContain(sha256(opened.key))
  expect(checks.length).toBeGreaterThan(checkTypes.length)
  for (const [path, text] of checkTypes.flatMap(({ demo }) => Object.entries(demo.files)))
    expect(readFileSync(join(folder, path), 'utf8')).toBe(text)
})

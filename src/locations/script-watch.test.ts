import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { checkTypeOf, passed } from '../../test/support/checks.ts'
import { folderWith } from '../../test/support/scripts.ts'
import type { CheckType } from '../checks/define.ts'
import { Type } from '../schema.ts'
import { decodeBundle } from './script-bundle.ts'
import { createScriptWatch } from './script-watch.ts'

/** A type whose settings name a script and a folder. */
const checkType: CheckType = {
  ...checkTypeOf(async () => passed),
  settings: Type.Object({ script: Type.Optional(Type.String()), directory: Type.Optional(Type.String()) }),
  files: (settings) =>
    (['script', 'directory'] as const).flatMap((setting) => {
      const path = (settings as Readonly<Record<string, string>>)[setting]
      return path === undefined ? [] : [{ setting, path, kind: setting === 'script' ? ('file' as const) : ('folder' as const) }]
    }),
}

const checkWith = (settings: Readonly<Record<string, string>>) => testCheck(checkType, { settings })

async function world(files: Readonly<Record<string, string>>) {
  const folder = await folderWith({ 'etc/tidemark.yaml': 'accounts: []', ...files })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const watch = createScriptWatch(join(folder, 'etc/tidemark.yaml'))
  const sent = async (settings: Readonly<Record<string, string>>) => {
    const check = checkWith(settings)
    await watch.refresh([check])
    return watch.of(check)
  }
  const contents = async (settings: Readonly<Record<string, string>>) => {
    const found = await sent(settings)
    if (!found || !('bundle' in found)) throw new Error(JSON.stringify(found))
    const { configDir, files: bundled } = decodeBundle(watch.bundle(found.bundle) ?? '')
    return { configDir, files: Object.fromEntries(bundled.map(({ path, content }) => [path, content.toString()])) }
  }
  return { folder, write, watch, sent, contents }
}

const commonjs = JSON.stringify({ type: 'commonjs' })
const module = JSON.stringify({ type: 'module' })

test('a script is sent with what it imports, and with whether it is a module', async () => {
  const { contents } = await world({
    'etc/checks/login.spec.ts': `import { user } from '../lib/user'`,
    'etc/lib/user.ts': 'export const user = 1',
    'etc/lib/package.json': module,
    'etc/checks/other.spec.ts': 'secret',
  })
  expect(await contents({ script: 'checks/login.spec.ts' })).toEqual({
    configDir: '',
    files: {
      'checks/login.spec.ts': `import { user } from '../lib/user'`,
      'checks/package.json': commonjs,
      'lib/user.ts': 'export const user = 1',
      'lib/package.json': module,
    },
  })
})

test('a folder is sent with its files, except packages and what test runs write', async () => {
  const { contents } = await world({
    'etc/suite/playwright.config.ts': `import './tests/a.spec'`,
    'etc/suite/package.json': '{"name": "suite"}',
    'etc/suite/tests/a.spec.ts': 'a',
    'etc/suite/node_modules/x/index.js': 'x',
    'etc/suite/test-results/trace.zip': 'x',
  })
  expect(Object.keys((await contents({ directory: 'suite' })).files)).toEqual([
    'suite/package.json',
    'suite/playwright.config.ts',
    'suite/tests/a.spec.ts',
  ])
})

test('what lies beside the folder of the config file keeps its place relative to it', async () => {
  const { contents, folder, watch } = await world({ 'shared/a.spec.ts': 'a' })
  const expected = { configDir: 'etc', files: { 'shared/a.spec.ts': 'a', 'shared/package.json': commonjs } }
  expect(await contents({ script: '../shared/a.spec.ts' })).toEqual(expected)
  const absolute = { script: join(folder, 'shared/a.spec.ts') }
  expect(await contents(absolute)).toEqual(expected)
  expect(watch.settings(checkWith(absolute))).toEqual({ script: '../shared/a.spec.ts' })
})

test('equal files have an equal name, and a change of any of them another', async () => {
  const { sent, write, folder } = await world({ 'etc/a.spec.ts': `import './b'`, 'etc/b.ts': '1' })
  const settings = { script: 'a.spec.ts' }
  const first = await sent(settings)
  utimesSync(join(folder, 'etc/b.ts'), 1, 1)
  expect(await sent(settings)).toEqual(first)
  write('etc/b.ts', '22')
  expect(await sent(settings)).not.toEqual(first)
  write('etc/b.ts', '1')
  expect(await sent(settings)).toEqual(first)
})

test('refresh tells whether something that is sent has changed', async () => {
  const { watch, write } = await world({ 'etc/suite/playwright.config.ts': '' })
  const checks = [checkWith({ directory: 'suite' })]
  expect(await watch.refresh(checks)).toBe(true)
  expect(await watch.refresh(checks)).toBe(false)
  write('etc/suite/added.spec.ts', '')
  expect(await watch.refresh(checks)).toBe(true)
})

test('a check without files has no scripts, and one that was not read yet is not known', async () => {
  const { watch } = await world({})
  expect(watch.of(checkWith({}))).toBeNull()
  expect(watch.of(checkWith({ script: 'a.spec.ts' }))).toBeUndefined()
})

test.each([
  ['a missing script', { script: 'missing.spec.ts' }, 'they cannot be read (ENOENT)'],
  ['the folder of the config file', { directory: '.' }, 'the config file is among them'],
  ['a large folder', { directory: 'large' }, 'they have more than 4 MiB together'],
  ['a folder with many files', { directory: 'many' }, 'there are more than 500 of them'],
])('%s is not sent, with the reason', async (_, settings, reason) => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (__, i) => [`etc/many/${i}.txt`, '']))
  const { sent } = await world({ 'etc/large/video.webm': 'x'.repeat(4 * 1024 * 1024 + 1), ...many })
  expect(await sent(settings)).toEqual({ problem: expect.stringContaining(reason) })
})

test('a problem is gone once its cause is', async () => {
  const { sent, write, folder } = await world({ 'etc/large/sub/video.webm': 'x'.repeat(4 * 1024 * 1024 + 1) })
  const settings = { directory: 'large' }
  expect(await sent(settings)).toHaveProperty('problem')
  rmSync(join(folder, 'etc/large/sub/video.webm'))
  write('etc/large/sub/a.spec.ts', '')
  expect(await sent(settings)).toHaveProperty('bundle')
})

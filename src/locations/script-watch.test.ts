import { linkSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { checkTypeOf, passed } from '../../test/support/checks.ts'
import { folderWith } from '../../test/support/scripts.ts'
import type { CheckType } from '../checks/define.ts'
import { Type } from '../schema/typebox.ts'
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

test('a script is sent with its imports, and with its module type', async () => {
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

test('a folder is sent with its files, except packages and the output of test runs', async () => {
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

test('files outside the folder of the config file keep their relative path', async () => {
  const { contents, folder, watch } = await world({ 'shared/a.spec.ts': 'a' })
  const expected = { configDir: 'etc', files: { 'shared/a.spec.ts': 'a', 'shared/package.json': commonjs } }
  expect(await contents({ script: '../shared/a.spec.ts' })).toEqual(expected)
  const absolute = { script: join(folder, 'shared/a.spec.ts') }
  expect(await contents(absolute)).toEqual(expected)
  expect(watch.settings(checkWith(absolute))).toEqual({ script: '../shared/a.spec.ts' })
})

test('the same files have the same hash, and a change of any of them another one', async () => {
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

test('refresh returns whether something that is sent has changed', async () => {
  const { watch, write } = await world({ 'etc/suite/playwright.config.ts': '', 'etc/a.spec.ts': '' })
  const checks = [checkWith({ script: 'a.spec.ts' }), checkWith({ directory: 'suite' })]
  expect(await watch.refresh([])).toBe(false)
  expect(await watch.refresh(checks)).toBe(true)
  expect(await watch.refresh(checks)).toBe(false)
  write('etc/suite/added.spec.ts', '')
  expect(await watch.refresh(checks)).toBe(true)
})

test('a check without files has no scripts, and those of one that was not read yet are unknown', async () => {
  const { watch } = await world({})
  expect(watch.of(checkWith({}))).toBeNull()
  expect(watch.of(checkWith({ script: 'a.spec.ts' }))).toBeUndefined()
})

test.each([
  ['a missing script', { script: 'missing.spec.ts' }, 'they cannot be read (ENOENT)'],
  ['the folder of the config file', { directory: '.' }, 'the config file is among them'],
  ['a large folder', { directory: 'large' }, 'they exceed 4 MiB in total'],
  ['a folder with many files', { directory: 'many' }, 'there are more than 500 of them'],
])('%s is not sent, with the reason', async (_, settings, reason) => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (__, i) => [`etc/many/${i}.txt`, '']))
  const { sent } = await world({ 'etc/large/video.webm': 'x'.repeat(4 * 1024 * 1024 + 1), ...many })
  expect(await sent(settings)).toEqual({ problem: expect.stringContaining(reason) })
})

test('a problem disappears with its cause', async () => {
  const { sent, write, folder } = await world({ 'etc/large/sub/video.webm': 'x'.repeat(4 * 1024 * 1024 + 1) })
  const settings = { directory: 'large' }
  expect(await sent(settings)).toHaveProperty('problem')
  rmSync(join(folder, 'etc/large/sub/video.webm'))
  write('etc/large/sub/a.spec.ts', '')
  expect(await sent(settings)).toHaveProperty('bundle')
})

/** A suite next to secrets that must not be sent to agents. */
async function linked() {
  const base = await world({
    'etc/suite/playwright.config.ts': '',
    'etc/suite/lib/user.ts': 'user',
    'etc/secrets.env': 'sesame',
    'etc/other/keys/a.ts': 'sesame',
    'etc/suite-2/a.ts': 'sesame',
  })
  const link = (target: string, path: string) => symlinkSync(target, join(base.folder, path))
  return { ...base, link }
}

test.each([
  ['to the config file', '../tidemark.yaml', 'the config file is among them'],
  ['to a file outside its folder', '../secrets.env', 'stolen.ts is a symbolic link that leaves its folder'],
  ['to a folder with a similar name', '../suite-2/a.ts', 'stolen.ts is a symbolic link that leaves its folder'],
  ['to a system file', '/etc/hostname', 'stolen.ts is a symbolic link that leaves its folder'],
  ['to a missing file', './missing.ts', 'they cannot be read (ENOENT)'],
  ['to itself', './stolen.ts', 'they cannot be read (ELOOP)'],
])('a suite with a link %s is not sent, with the reason', async (_, target, reason) => {
  const { sent, link } = await linked()
  link(target, 'etc/suite/stolen.ts')
  expect(await sent({ directory: 'suite' })).toEqual({ problem: expect.stringContaining(reason) })
})

test('a suite with an absolute link, a chain of links or a hard link to the config file is not sent', async () => {
  const reason = { problem: expect.stringMatching('the config file is among them') }
  const absolute = await linked()
  absolute.link(join(absolute.folder, 'etc/tidemark.yaml'), 'etc/suite/stolen.ts')
  expect(await absolute.sent({ directory: 'suite' })).toEqual(reason)
  const chain = await linked()
  chain.link('../other/second', 'etc/suite/stolen.ts')
  chain.link('../tidemark.yaml', 'etc/other/second')
  expect(await chain.sent({ directory: 'suite' })).toEqual(reason)
  const hard = await linked()
  linkSync(join(hard.folder, 'etc/tidemark.yaml'), join(hard.folder, 'etc/suite/stolen.ts'))
  expect(await hard.sent({ directory: 'suite' })).toEqual(reason)
})

test('files behind a link to another folder are not sent, even if a script imports them', async () => {
  const { sent, contents, link, write } = await linked()
  link('../other/keys', 'etc/suite/keys')
  expect(Object.values((await contents({ directory: 'suite' })).files)).not.toContain('sesame')
  write('etc/suite/playwright.config.ts', `import './keys/a'`)
  expect(await sent({ directory: 'suite' })).toEqual({ problem: expect.stringContaining('is a symbolic link that leaves its folder') })
})

test('a script that is a link out of its folder, or imports one, is not sent', async () => {
  const { sent, link, write } = await linked()
  const problem = { problem: expect.stringContaining('is a symbolic link that leaves its folder') }
  link('../secrets.env', 'etc/suite/stolen.spec.ts')
  expect(await sent({ script: 'suite/stolen.spec.ts' })).toEqual(problem)
  link('../secrets.env', 'etc/other/linked.ts')
  write('etc/suite/a.spec.ts', `import '../other/linked'`)
  expect(await sent({ script: 'suite/a.spec.ts' })).toEqual(problem)
})

test('a link to a file in the same folder is sent as the file, and a folder may itself be a link', async () => {
  const { contents, link, folder } = await linked()
  link('./lib/user.ts', 'etc/suite/user.ts')
  link('lib', 'etc/suite/linked')
  renameSync(join(folder, 'etc/suite'), join(folder, 'elsewhere'))
  link('../elsewhere', 'etc/suite')
  const { files } = await contents({ directory: 'suite' })
  expect(files).toMatchObject({ 'suite/user.ts': 'user', 'suite/lib/user.ts': 'user' })
  expect(Object.keys(files).filter((path) => path.startsWith('suite/linked'))).toEqual([])
})

test('a link that is changed to point elsewhere is noticed', async () => {
  const { sent, link, folder } = await linked()
  link('./lib/user.ts', 'etc/suite/user.ts')
  expect(await sent({ directory: 'suite' })).toHaveProperty('bundle')
  rmSync(join(folder, 'etc/suite/user.ts'))
  link('../secrets.env', 'etc/suite/user.ts')
  expect(await sent({ directory: 'suite' })).toHaveProperty('problem')
})

test('imports of a large file are not read', async () => {
  const { sent } = await world({ 'etc/large/a.ts': `import './missing'\n${'x'.repeat(4 * 1024 * 1024)}` })
  expect(await sent({ script: 'large/a.ts' })).toEqual({ problem: 'they exceed 4 MiB in total' })
})

test('a file whose name would be a path on another system is not sent, with the reason', async () => {
  const { sent } = await world({ 'etc/suite/..\\a.ts': '' })
  expect(await sent({ directory: 'suite' })).toEqual({ problem: expect.stringContaining('is not a portable file name') })
})

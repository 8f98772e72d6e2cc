import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../../test/support/scripts.ts'
import { importedFiles } from './imported-files.ts'

test.each<readonly [string, string]>([
  [`import { a } from './a'`, 'a.ts'],
  [`import { a } from "./a.ts"`, 'a.ts'],
  [`import './a.js'`, 'a.ts'],
  [`export * from './lib'`, 'lib/index.ts'],
  [`const a = require('./a.cjs')`, 'a.cjs'],
  [`const a = await import('./a.mjs')`, 'a.mjs'],
  [`import data from './data.json' with { type: 'json' }`, 'data.json'],
  [`import {\n  a,\n} from '../shared/a'`, '../shared/a.ts'],
  [`import '.'`, 'index.ts'],
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'].map((extension) => [`import './b'`, `b${extension}`] as const),
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'].map((extension) => [`import './b'`, `b/index${extension}`] as const),
  [`import './a.js'`, 'a.tsx'],
  [`import './a.jsx'`, 'a.tsx'],
  [`import './a.mjs'`, 'a.mts'],
  [`import './a.cjs'`, 'a.cts'],
])('%s imports %s', async (source, imported) => {
  const folder = await folderWith({ 'checks/script.ts': source, [join('checks', imported)]: '' })
  expect(await importedFiles(join(folder, 'checks/script.ts'))).toEqual([join(folder, 'checks', imported)])
})

test('packages, missing files and data have no imports', async () => {
  const source = `import { test } from '@playwright/test'\nimport './missing'\nconst path = './a' + 'b'`
  const folder = await folderWith({ 'script.ts': source, 'data.json': `{"from": "./script"}` })
  expect(await importedFiles(join(folder, 'script.ts'))).toEqual([])
  expect(await importedFiles(join(folder, 'data.json'))).toEqual([])
})

test('many blanks after a keyword are read in linear time', async () => {
  const folder = await folderWith({ 'script.ts': `import${' '.repeat(1_000_000)}x` })
  expect(await importedFiles(join(folder, 'script.ts'))).toEqual([])
})

test.each(['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'])('a script may have the extension %s', async (extension) => {
  const folder = await folderWith({ [`script${extension}`]: `import './a'`, 'a.ts': '' })
  expect(await importedFiles(join(folder, `script${extension}`))).toEqual([join(folder, 'a.ts')])
})

test('an existing file has precedence over its source, and over a folder of the same name', async () => {
  const folder = await folderWith({ 'script.ts': `import './a.js'\nimport './b'`, 'a.js': '', 'a.ts': '', 'b.js': '', 'b/index.ts': '' })
  expect(await importedFiles(join(folder, 'script.ts'))).toEqual(['a.js', 'b.js'].map((name) => join(folder, name)))
})

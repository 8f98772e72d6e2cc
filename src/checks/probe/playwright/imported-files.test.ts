import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../../test/support/scripts.ts'
import { importedFiles } from './imported-files.ts'

test.each([
  [`import { a } from './a'`, 'a.ts'],
  [`import { a } from "./a.ts"`, 'a.ts'],
  [`import './a.js'`, 'a.ts'],
  [`export * from './lib'`, 'lib/index.ts'],
  [`const a = require('./a.cjs')`, 'a.cjs'],
  [`const a = await import('./a.mjs')`, 'a.mjs'],
  [`import data from './data.json' with { type: 'json' }`, 'data.json'],
  [`import {\n  a,\n} from '../shared/a'`, '../shared/a.ts'],
  [`import '.'`, 'index.ts'],
])('%s imports %s', async (source, imported) => {
  const folder = await folderWith({ 'checks/script.ts': source, [join('checks', imported)]: '' })
  expect(await importedFiles(join(folder, 'checks/script.ts'))).toEqual([join(folder, 'checks', imported)])
})

test('packages, missing files and data import nothing', async () => {
  const source = `import { test } from '@playwright/test'\nimport './missing'\nconst path = './a' + 'b'`
  const folder = await folderWith({ 'script.ts': source, 'data.json': `{"from": "./script"}` })
  expect(await importedFiles(join(folder, 'script.ts'))).toEqual([])
  expect(await importedFiles(join(folder, 'data.json'))).toEqual([])
})

test('a long run of blanks after a keyword is read once, not once for each of its characters', async () => {
  const folder = await folderWith({ 'script.ts': `import${' '.repeat(1_000_000)}x` })
  expect(await importedFiles(join(folder, 'script.ts'))).toEqual([])
})

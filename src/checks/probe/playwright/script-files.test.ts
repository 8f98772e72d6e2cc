import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../../test/support/scripts.ts'
import { bundledPlaywright, playwrightFrom, playwrightVersion, type Script, scriptTest, writeScript } from './script-files.ts'

const extend = '(test) => test'

/** The files of a script run by name, its arguments, and its configuration. */
async function written(script: Partial<Script> & Pick<Script, 'test'>, inFolder?: string) {
  const folder = inFolder ?? (await folderWith({}))
  const workspace = {
    folder,
    reportFile: '/report.json',
    proxyUrl: 'http://proxy',
    deadEndUrl: 'http://dead-end',
    chromium: '/chromium',
    testTimeoutMs: 5000,
    globalTimeoutMs: 6000,
  }
  const call = await writeScript({ extend, ...script }, workspace)
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const config = JSON.parse((await read('playwright.config.cjs')).replace('module.exports = ', ''))
  return { folder, call, read, config }
}

test('settings name a file next to the config file, or have the text of a script, with or without its imports', () => {
  expect(scriptTest({ script: 'a/check.js' }, '/config')).toEqual({ file: '/config/a/check.js' })
  expect(scriptTest({ inlineScript: 'text' }, '/config')).toEqual({ text: 'text' })
  expect(scriptTest({ inlineScript: 'text', inlineScriptPath: 'a.ts', inlineFiles: { 'b.ts': 'other' } }, '/config')).toEqual({
    path: 'a.ts',
    files: { 'b.ts': 'other', 'a.ts': 'text' },
  })
  expect(scriptTest({}, '/config')).toBeNull()
})

test('a text becomes a TypeScript file, which the bundled Playwright runs once within the limits of the run', async () => {
  const { folder, call, read, config } = await written({ test: { text: 'the script' }, baseUrl: 'https://shop.example' })
  expect(call).toEqual({
    cli: bundledPlaywright().cli,
    cwd: folder,
    args: [`--config=${folder}/playwright.config.cjs`, `--tsconfig=${folder}/tsconfig.json`],
  })
  expect(await read('check.spec.ts')).toBe('the script')
  expect(JSON.parse(await read('tsconfig.json'))).toEqual({
    compilerOptions: { allowJs: true, baseUrl: '.', paths: { '@playwright/test': ['./playwright-test.cjs'] } },
  })
  expect(config).toMatchObject({
    testDir: folder,
    testMatch: 'check.spec.ts',
    outputDir: join(folder, 'output'),
    workers: 1,
    retries: 0,
    timeout: 5000,
    globalTimeout: 6000,
    reporter: [['json', { outputFile: '/report.json' }]],
    use: { proxy: { server: 'http://proxy' }, baseURL: 'https://shop.example', launchOptions: { executablePath: '/chromium' } },
  })
})

test('without a base URL none is configured, and a generated source is CommonJS', async () => {
  const { read, config } = await written({ test: { source: 'generated' } })
  expect(config.use).not.toHaveProperty('baseURL')
  expect([config.testMatch, await read('check.spec.cjs')]).toEqual(['check.spec.cjs', 'generated'])
})

test('the module that a script imports has the extended test, and everything else of Playwright', async () => {
  const { read } = await written({ test: { text: '' }, extend: '(test) => extended(test)' })
  const lines = (await read('playwright-test.cjs')).split('\n')
  expect(lines.slice(0, 3)).toEqual([
    `const playwright = require(${JSON.stringify(bundledPlaywright().library)})`,
    'exports.test = ((test) => extended(test))(playwright.test)',
    'exports.default = exports.test',
  ])
  for (const name of ['expect', 'request', 'chromium', 'firefox', 'webkit', 'devices', 'selectors', 'errors', 'mergeTests', 'mergeExpects'])
    expect(lines).toContain(`exports.${name} = playwright.${name}`)
})

test('an ES module is imported, and other files are required', async () => {
  const folder = await folderWith({ 'check.mjs': 'export {}', 'check.cjs': '' })
  const ofModule = await written({ test: { file: join(folder, 'check.mjs') } })
  expect(await ofModule.read('check.spec.mjs')).toBe(`import "file://${folder}/check.mjs"\n`)
  const other = await written({ test: { file: join(folder, 'check.cjs') } })
  expect(await other.read('check.spec.cjs')).toBe(`require("${folder}/check.cjs")\n`)
  const missing = join(folder, 'none.js')
  await expect(written({ test: { file: missing } })).rejects.toThrow(`there is no script ${missing}`)
})

test('the files of a script are in a separate folder, in which none can escape or replace another', async () => {
  const files = { 'a/check.mjs': 'script', 'lib/deep/page.mjs': 'page' }
  const { folder, read } = await written({ test: { path: 'a/check.mjs', files } })
  expect([await read('files/a/check.mjs'), await read('files/lib/deep/page.mjs')]).toEqual(['script', 'page'])
  expect(await read('check.spec.mjs')).toBe(`import "file://${folder}/files/a/check.mjs"\n`)
  await expect(written({ test: { path: 'a.js', files: { '../a.js': '' } } })).rejects.toThrow('../a.js leaves its folder')
  await expect(written({ test: { path: 'a', files: { a: '', 'a/b': '' } } })).rejects.toThrow('a/b of inlineFiles cannot be written')
  await expect(written({ test: { path: 'a/check.mjs', files } }, folder)).rejects.toThrow('a/check.mjs of inlineFiles cannot be written')
})

test('Playwright is resolved from a file as an import would', async () => {
  expect(playwrightFrom('/nowhere/check.js')).toBeNull()
  const { cli, library, moduleLibrary } = bundledPlaywright()
  expect([cli, library, moduleLibrary].map((path) => path.split('@playwright/test')[1])).toEqual(['/cli.js', '/index.js', '/index.mjs'])
  expect(playwrightVersion()).toMatch(/^\d+\.\d+\.\d+/)
})

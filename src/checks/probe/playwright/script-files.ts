import { access, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ProbeFault } from '../failures.ts'
import { launchOptions } from './chromium.ts'
import type { Call, Workplace } from './run.ts'

export type Script = {
  /** The test file; or its text, for one that we write. */
  readonly test: { readonly file: string } | { readonly source: string }
  /** The source of an expression that makes of Playwright's `test` the one which the script is given. */
  readonly extend: string
  readonly baseUrl?: string | undefined
}

/** Playwright's program, and its library as `require` and as `import` load it. */
export type Playwright = { readonly cli: string; readonly library: string; readonly moduleLibrary: string }

/** The Playwright that a file would import. */
export function playwrightFrom(file: string): Playwright | null {
  try {
    const folder = dirname(createRequire(file).resolve('@playwright/test/package.json'))
    return { cli: join(folder, 'cli.js'), library: join(folder, 'index.js'), moduleLibrary: join(folder, 'index.mjs') }
  } catch {
    return null
  }
}

/** The Playwright that Tidemark brings. */
export function ownPlaywright(): Playwright {
  const own = playwrightFrom(import.meta.url)
  if (own === null) throw new ProbeFault('@playwright/test is not installed beside Tidemark')
  return own
}

/** Writes what runs one test file: a file that calls it, a configuration, and the `@playwright/test` that the script will import. */
export async function writeScript(script: Script, workplace: Workplace): Promise<Call> {
  const { folder } = workplace
  const { cli, library } = ownPlaywright()
  const [caller, source] = await callerOf(script.test)
  const config = join(folder, 'playwright.config.cjs')
  const tsconfig = join(folder, 'tsconfig.json')
  await Promise.all([
    writeFile(join(folder, caller), source),
    writeFile(join(folder, 'playwright-test.cjs'), librarySource(library, script.extend)),
    writeFile(tsconfig, tsconfigSource('./playwright-test.cjs')),
    writeFile(config, `module.exports = ${JSON.stringify(scriptConfig(caller, script.baseUrl, workplace))}\n`),
  ])
  return { cli, cwd: folder, args: [`--config=${config}`, `--tsconfig=${tsconfig}`] }
}

/** By this, files that have no Playwright of their own beside them import ours. */
export function tsconfigSource(library: string): string {
  return JSON.stringify({ compilerOptions: { allowJs: true, baseUrl: '.', paths: { '@playwright/test': [library] } } })
}

/** Whether Node takes a file for an ES module. */
export async function isModule(file: string): Promise<boolean> {
  const extension = extname(file)
  if (/^\.m[jt]s$/.test(extension)) return true
  if (/^\.c[jt]s$/.test(extension)) return false
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)
    if (text !== null) return /"type"\s*:\s*"module"/.test(text)
    if (dirname(folder) === folder) return false
  }
}

async function callerOf(test: Script['test']): Promise<readonly [string, string]> {
  if ('source' in test) return ['check.spec.cjs', test.source]
  await access(test.file).catch(() => {
    throw new ProbeFault(`there is no script ${test.file}`)
  })
  return (await isModule(test.file))
    ? ['check.spec.mjs', `import ${JSON.stringify(pathToFileURL(test.file).href)}\n`]
    : ['check.spec.cjs', `require(${JSON.stringify(test.file)})\n`]
}

const exported = ['expect', 'request', 'chromium', 'firefox', 'webkit', 'devices', 'selectors', 'errors', 'mergeTests', 'mergeExpects']

function librarySource(library: string, extend: string): string {
  const lines = [
    `const playwright = require(${JSON.stringify(library)})`,
    `exports.test = (${extend})(playwright.test)`,
    'exports.default = exports.test',
    ...exported.map((name) => `exports.${name} = playwright.${name}`),
  ]
  return `${lines.join('\n')}\n`
}

function scriptConfig(caller: string, baseUrl: string | undefined, workplace: Workplace) {
  const { folder, reportFile, proxyUrl, deadEndUrl, chromium, testTimeoutMs, globalTimeoutMs } = workplace
  return {
    testDir: folder,
    testMatch: caller,
    outputDir: join(folder, 'output'),
    workers: 1,
    retries: 0,
    timeout: testTimeoutMs,
    globalTimeout: globalTimeoutMs,
    reporter: [['json', { outputFile: reportFile }]],
    use: {
      proxy: { server: proxyUrl },
      launchOptions: launchOptions(chromium, deadEndUrl),
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
    },
  }
}

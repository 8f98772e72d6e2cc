import { access, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { staysInFolder } from '../../../files/stays-in-folder.ts'
import { ProbeFault } from '../failures.ts'
import type { InlineSettings } from '../settings.ts'
import { launchOptions } from './chromium.ts'
import { isModule } from './is-module.ts'
import type { CliCall, Workspace } from './run.ts'

export type Script = {
  /** A test file, generated source, or text from the definition, with or without the files that it imports. */
  readonly test: { readonly file: string } | { readonly source: string } | { readonly text: string } | InlineTest
  /** The source of a function that extends Playwright's `test` for the script. */
  readonly extend: string
  readonly baseUrl?: string | undefined
}

/** Texts by their paths in one folder. */
type InlineTest = { readonly path: string; readonly files: Readonly<Record<string, string>> }

/** The test that the settings refer to or contain. */
export function scriptTest(settings: InlineSettings & { readonly script?: string }, configDir: string): Script['test'] | null {
  const { script, inlineScript, inlineScriptPath, inlineFiles } = settings
  if (script !== undefined) return { file: resolve(configDir, script) }
  if (inlineScript === undefined) return null
  if (inlineScriptPath === undefined) return { text: inlineScript }
  return { path: inlineScriptPath, files: { ...inlineFiles, [inlineScriptPath]: inlineScript } }
}

/** Playwright's program, and its library for `require` and for `import`. */
type Playwright = { readonly cli: string; readonly library: string; readonly moduleLibrary: string }

/** The Playwright that a file would import. */
export function playwrightFrom(file: string): Playwright | null {
  try {
    const folder = dirname(createRequire(file).resolve('@playwright/test/package.json'))
    return { cli: join(folder, 'cli.js'), library: join(folder, 'index.js'), moduleLibrary: join(folder, 'index.mjs') }
  } catch {
    return null
  }
}

/** The Playwright that is installed with Tidemark. */
export function bundledPlaywright(): Playwright {
  const own = playwrightFrom(import.meta.url)
  if (own === null) throw new ProbeFault('@playwright/test is not installed next to Tidemark')
  return own
}

/** The version of the Playwright that is installed with Tidemark. */
export function playwrightVersion(): string {
  return createRequire(import.meta.url)('@playwright/test/package.json').version
}

/** Writes the files of a script run: an entry file that imports the script, a configuration, and the `@playwright/test` that it imports. */
export async function writeScript(script: Script, workspace: Workspace): Promise<CliCall> {
  const { folder } = workspace
  const { cli, library } = bundledPlaywright()
  const [entry, source] = await entryOf('files' in script.test ? await writeInline(script.test, folder) : script.test)
  const config = join(folder, 'playwright.config.cjs')
  const tsconfig = join(folder, 'tsconfig.json')
  await Promise.all([
    writeFile(join(folder, entry), source),
    writeFile(join(folder, 'playwright-test.cjs'), librarySource(library, script.extend)),
    writeFile(tsconfig, tsconfigSource('./playwright-test.cjs')),
    writeFile(config, `module.exports = ${JSON.stringify(scriptConfig(entry, script.baseUrl, workspace))}\n`),
  ])
  return { cli, cwd: folder, args: [`--config=${config}`, `--tsconfig=${tsconfig}`] }
}

/** Maps imports of `@playwright/test` to this library. */
export function tsconfigSource(library: string): string {
  return JSON.stringify({ compilerOptions: { allowJs: true, baseUrl: '.', paths: { '@playwright/test': [library] } } })
}

/** Writes the files into a separate folder. Validation has already rejected paths that leave it. */
async function writeInline({ path, files }: InlineTest, folder: string): Promise<{ readonly file: string }> {
  const root = join(folder, 'files')
  for (const [name, text] of Object.entries(files)) {
    if (!staysInFolder(name)) throw new ProbeFault(`${name} leaves its folder`)
    const file = join(root, name)
    const written = mkdir(dirname(file), { recursive: true }).then(() => writeFile(file, text, { flag: 'wx' }))
    await written.catch(() => {
      throw new ProbeFault(`${name} of inlineFiles cannot be written`)
    })
  }
  return { file: join(root, path) }
}

async function entryOf(test: Exclude<Script['test'], InlineTest>): Promise<readonly [string, string]> {
  if ('source' in test) return ['check.spec.cjs', test.source]
  if ('text' in test) return ['check.spec.ts', test.text]
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

function scriptConfig(entry: string, baseUrl: string | undefined, workspace: Workspace) {
  const { folder, reportFile, proxyUrl, deadEndUrl, chromium, testTimeoutMs, globalTimeoutMs } = workspace
  return {
    testDir: folder,
    testMatch: entry,
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

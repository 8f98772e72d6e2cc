import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Static } from '../../schema/typebox.ts'
import { ProbeFault } from '../probe/failures.ts'
import { launchOptions } from '../probe/playwright/chromium.ts'
import { decodeCodeBundle } from '../probe/playwright/code-bundle.ts'
import { failureScreenshot, type ScreenshotLimits } from '../probe/playwright/failure-screenshot.ts'
import { isModule } from '../probe/playwright/is-module.ts'
import { type CliCall, runPlaywright, type Workspace } from '../probe/playwright/run.ts'
import { annotationsOf, measuredNumber } from '../probe/playwright/script-annotation.ts'
import { bundledPlaywright, playwrightFrom, tsconfigSource } from '../probe/playwright/script-files.ts'
import type { RunFunction } from '../probe/run.ts'
import { keepScreenshots } from './keep-screenshots.ts'
import { overrideConfig } from './override-config.ts'
import type { metrics, PlaywrightSettings } from './shape.ts'

type Settings = Static<typeof PlaywrightSettings>

export const run: RunFunction<Settings, typeof metrics> = async (settings, context) => {
  const { screenshotBytes = 0, secrets } = context
  const { report, screenshot, failure, broken, assertions, notes, steps } = await runPlaywright(
    {
      browser: 'if there',
      variables: settings.environment ?? {},
      prepare: async (workspace) => {
        const directory = await suiteFolder(settings, context.configDir, workspace)
        return writeSuite({ settings, directory, screenshots: { screenshotBytes, secrets } }, workspace)
      },
    },
    context,
  )
  const annotations = annotationsOf(report, 'web-vitals')
  return {
    metrics: {
      responseTime: report === null || report.tests.length === 0 ? null : report.durationMs,
      TTFB: mean(annotations, 'TTFB'),
      FCP: mean(annotations, 'FCP'),
      LCP: mean(annotations, 'LCP'),
      CLS: mean(annotations, 'CLS'),
      TBT: mean(annotations, 'TBT'),
    },
    failure,
    broken,
    assertions,
    notes,
    steps,
    screenshot,
  }
}

/** The folder of the suite; a bundle is unpacked into the folder of the run. */
async function suiteFolder(
  { directory = '', bundle, bundleFolder = '' }: Settings,
  configDir: string,
  { folder }: Workspace,
): Promise<string> {
  if (bundle === undefined) return resolve(configDir, directory)
  const root = join(folder, 'suite')
  for (const { path, content } of await filesOf(bundle)) {
    const file = join(root, path)
    const written = mkdir(dirname(file), { recursive: true }).then(() => writeFile(file, content, { flag: 'wx' }))
    await written.catch(() => {
      throw new ProbeFault(`${path} of the bundle cannot be written`)
    })
  }
  return join(root, bundleFolder)
}

async function filesOf(bundle: string) {
  try {
    return await decodeCodeBundle(bundle)
  } catch (error) {
    if (error instanceof RangeError) throw new ProbeFault(`the bundle cannot be run: ${error.message}`)
    throw error
  }
}

type Suite = { readonly settings: Settings; readonly directory: string; readonly screenshots: ScreenshotLimits }

/** Writes a configuration that imports the suite's own and overrides reporter, proxy, browser and screenshots. */
async function writeSuite({ settings, directory, screenshots }: Suite, workspace: Workspace): Promise<CliCall> {
  const { folder, reportFile, proxyUrl, deadEndUrl, chromium, globalTimeoutMs } = workspace
  const file = await findConfig(directory, settings)
  const module = await isModule(file)
  const config = join(folder, module ? 'playwright.config.mjs' : 'playwright.config.cjs')
  const overrides = {
    directory: dirname(file),
    outputDir: join(folder, 'output'),
    reportFile,
    proxyUrl,
    globalTimeoutMs,
    launchOptions: launchOptions(chromium, deadEndUrl),
    screenshot: screenshots.screenshotBytes > 0 ? { mode: 'only-on-failure', ofFailure: true } : null,
  }
  const installed = playwrightFrom(file)
  const { cli, library } = installed ?? bundledPlaywright()
  await writeFile(config, configSource({ file, module, library, overrides, screenshots }))
  const imported = installed === null ? await mapToBundledPlaywright(folder, module) : []
  return {
    cli,
    cwd: directory,
    args: [`--config=${config}`, ...imported, ...selectionArgs(settings)],
  }
}

type Config = {
  readonly file: string
  readonly module: boolean
  /** The path of Playwright's library for `require`. */
  readonly library: string
  readonly overrides: Parameters<typeof overrideConfig>[1]
  readonly screenshots: ScreenshotLimits
}

function configSource({ file, module, library, overrides, screenshots }: Config): string {
  const lines = [
    module
      ? `import * as own from ${JSON.stringify(pathToFileURL(file).href)}\nimport { createRequire } from 'node:module'`
      : `const own = require(${JSON.stringify(file)})`,
    module ? 'const load = createRequire(import.meta.url)' : 'const load = require',
    `const screenshots = ${JSON.stringify(screenshots)}`,
    `const keep = { ...screenshots, writeFile: load('node:fs/promises').writeFile, failureScreenshot: ${failureScreenshot} }`,
    `if (screenshots.screenshotBytes > 0) (${keepScreenshots})(load(${JSON.stringify(library)}), keep)`,
    `${module ? 'export default' : 'module.exports ='} (${overrideConfig})(own, ${JSON.stringify(overrides)}, load('node:path').resolve)`,
  ]
  return `${lines.join('\n')}\n`
}

/** Lets a suite without its own Playwright import the bundled one. */
async function mapToBundledPlaywright(folder: string, module: boolean): Promise<readonly string[]> {
  const { library, moduleLibrary } = bundledPlaywright()
  const tsconfig = join(folder, 'tsconfig.json')
  await writeFile(tsconfig, tsconfigSource(module ? moduleLibrary : library))
  return [`--tsconfig=${tsconfig}`]
}

function selectionArgs({ project, grep }: Settings): readonly string[] {
  return [...(project === undefined ? [] : [`--project=${project}`]), ...(grep === undefined ? [] : [`--grep=${grep}`])]
}

async function findConfig(directory: string, { directory: name = 'the bundle', bundleConfig }: Settings): Promise<string> {
  if (bundleConfig !== undefined) return join(directory, bundleConfig)
  for (const extension of ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs']) {
    const file = join(directory, `playwright.config.${extension}`)
    const there = await access(file).then(
      () => true,
      () => false,
    )
    if (there) return file
  }
  throw new ProbeFault(`there is no playwright.config.ts or .js in ${name}`)
}

function mean(annotations: readonly Readonly<Record<string, unknown>>[], name: string): number | null {
  const values = annotations.map((one) => measuredNumber(one[name])).filter((value) => value !== null)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

import { access, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Static } from 'typebox'
import { ProbeFault } from '../probe/failures.ts'
import { launchOptions } from '../probe/playwright/chromium.ts'
import { isModule } from '../probe/playwright/is-module.ts'
import { type CliCall, runPlaywright, type Workspace } from '../probe/playwright/run.ts'
import { annotationsOf, measuredNumber } from '../probe/playwright/script-annotation.ts'
import { bundledPlaywright, playwrightFrom, tsconfigSource } from '../probe/playwright/script-files.ts'
import type { RunFunction } from '../probe/run.ts'
import { overrideConfig } from './override-config.ts'
import type { metrics, PlaywrightSettings } from './shape.ts'

type Settings = Static<typeof PlaywrightSettings>

export const run: RunFunction<Settings, typeof metrics> = async (settings, context) => {
  const directory = resolve(context.configDir, settings.directory)
  const { report, failure, broken, assertions, notes, steps } = await runPlaywright(
    {
      browser: 'if there',
      variables: settings.environment ?? {},
      prepare: (workspace) => writeSuite(settings, directory, workspace),
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
  }
}

/** Writes a configuration that imports the suite's own and overrides reporter, proxy and browser. */
async function writeSuite(settings: Settings, directory: string, workspace: Workspace): Promise<CliCall> {
  const { folder, reportFile, proxyUrl, deadEndUrl, chromium, globalTimeoutMs } = workspace
  const file = await findConfig(directory, settings.directory)
  const module = await isModule(file)
  const config = join(folder, module ? 'playwright.config.mjs' : 'playwright.config.cjs')
  const overrides = {
    directory,
    outputDir: join(folder, 'output'),
    reportFile,
    proxyUrl,
    globalTimeoutMs,
    launchOptions: launchOptions(chromium, deadEndUrl),
  }
  const own = module ? `import * as own from ${JSON.stringify(pathToFileURL(file).href)}` : `const own = require(${JSON.stringify(file)})`
  const path = module ? `import * as path from 'node:path'` : `const path = require('node:path')`
  const overridden = `(${overrideConfig})(own, ${JSON.stringify(overrides)}, path.resolve)`
  await writeFile(config, `${own}\n${path}\n${module ? 'export default' : 'module.exports ='} ${overridden}\n`)
  const installed = playwrightFrom(file)
  const imported = installed === null ? await mapToBundledPlaywright(folder, module) : []
  return {
    cli: (installed ?? bundledPlaywright()).cli,
    cwd: directory,
    args: [`--config=${config}`, ...imported, ...selectionArgs(settings)],
  }
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

async function findConfig(directory: string, name: string): Promise<string> {
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

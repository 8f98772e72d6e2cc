import { access, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Static } from 'typebox'
import { ProbeFault } from '../probe/failures.ts'
import { launchOptions } from '../probe/playwright/chromium.ts'
import { type Call, runPlaywright, type Workplace } from '../probe/playwright/run.ts'
import { annotated, measuredNumber } from '../probe/playwright/script-annotation.ts'
import { isModule, ownPlaywright, playwrightFrom, tsconfigSource } from '../probe/playwright/script-files.ts'
import type { Run } from '../probe/run.ts'
import { layOver } from './override-config.ts'
import type { metrics, PlaywrightSettings } from './shape.ts'

type Settings = Static<typeof PlaywrightSettings>

export const run: Run<Settings, typeof metrics> = async (settings, context) => {
  const directory = resolve(context.configDir, settings.directory)
  const { report, failure, broken, assertions, notes } = await runPlaywright(
    {
      browser: 'if there',
      variables: settings.environment ?? {},
      prepare: (workplace) => writeSuite(settings, directory, workplace),
    },
    context,
  )
  const told = annotated(report, 'web-vitals')
  return {
    metrics: {
      responseTime: report === null || report.tests.length === 0 ? null : report.durationMs,
      TTFB: mean(told, 'TTFB'),
      FCP: mean(told, 'FCP'),
      LCP: mean(told, 'LCP'),
      CLS: mean(told, 'CLS'),
      TBT: mean(told, 'TBT'),
    },
    failure,
    broken,
    assertions,
    notes,
  }
}

/** The suite keeps its own configuration; one of ours takes it over and lays the report, the proxy and the browser over it. */
async function writeSuite(settings: Settings, directory: string, workplace: Workplace): Promise<Call> {
  const { folder, reportFile, proxyUrl, deadEndUrl, chromium, globalTimeoutMs } = workplace
  const file = await configOf(directory, settings.directory)
  const module = await isModule(file)
  const config = join(folder, module ? 'playwright.config.mjs' : 'playwright.config.cjs')
  const over = {
    directory,
    outputDir: join(folder, 'output'),
    reportFile,
    proxyUrl,
    globalTimeoutMs,
    launchOptions: launchOptions(chromium, deadEndUrl),
  }
  const own = module ? `import * as own from ${JSON.stringify(pathToFileURL(file).href)}` : `const own = require(${JSON.stringify(file)})`
  const path = module ? `import * as path from 'node:path'` : `const path = require('node:path')`
  const given = `(${layOver})(own, ${JSON.stringify(over)}, path.resolve)`
  await writeFile(config, `${own}\n${path}\n${module ? 'export default' : 'module.exports ='} ${given}\n`)
  const suites = playwrightFrom(file)
  const imported = suites === null ? await lendPlaywright(folder, module) : []
  return { cli: (suites ?? ownPlaywright()).cli, cwd: directory, args: [`--config=${config}`, ...imported, ...chosen(settings)] }
}

/** A suite without a Playwright beside it imports the one that Tidemark brings. */
async function lendPlaywright(folder: string, module: boolean): Promise<readonly string[]> {
  const { library, moduleLibrary } = ownPlaywright()
  const tsconfig = join(folder, 'tsconfig.json')
  await writeFile(tsconfig, tsconfigSource(module ? moduleLibrary : library))
  return [`--tsconfig=${tsconfig}`]
}

function chosen({ project, grep }: Settings): readonly string[] {
  return [...(project === undefined ? [] : [`--project=${project}`]), ...(grep === undefined ? [] : [`--grep=${grep}`])]
}

async function configOf(directory: string, name: string): Promise<string> {
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

function mean(told: readonly Readonly<Record<string, unknown>>[], name: string): number | null {
  const values = told.map((one) => measuredNumber(one[name])).filter((value) => value !== null)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

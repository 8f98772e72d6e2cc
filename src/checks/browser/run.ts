import type { Static } from '../../schema/typebox.ts'
import { failureScreenshot } from '../probe/playwright/failure-screenshot.ts'
import { runPlaywright } from '../probe/playwright/run.ts'
import { annotationsOf, annotationType, measuredNumber, total } from '../probe/playwright/script-annotation.ts'
import { type Script, scriptTest, writeScript } from '../probe/playwright/script-files.ts'
import type { Measured, RunFunction } from '../probe/run.ts'
import { bindingName, inPageScript } from './in-page.ts'
import { observePages } from './observe-pages.ts'
import type { BrowserSettings, metrics } from './shape.ts'

type Settings = Static<typeof BrowserSettings>
type Pages = NonNullable<Measured<typeof metrics>['pages']>

export const run: RunFunction<Settings, typeof metrics> = async (settings, context) => {
  const test = testOf(settings, context.configDir)
  if (test === null) return { ...measured([]), failure: 'the check has neither a url nor a script', broken: true }
  const { screenshotBytes = 0, secrets } = context
  const observation = JSON.stringify({ annotationType, bindingName, inPage: inPageScript(), screenshotBytes, secrets })
  const extend = `(test) => (${observePages})(test, ${observation}, ${failureScreenshot})`
  const { report, clean, failure, broken, assertions, notes, steps } = await runPlaywright(
    {
      browser: 'needed',
      variables: settings.environment ?? {},
      prepare: (workspace) => writeScript({ test, extend, baseUrl: settings.url }, workspace),
    },
    context,
  )
  const annotations = annotationsOf(report, annotationType)
  return {
    ...measured(annotations, clean),
    failure,
    broken,
    assertions,
    notes: [...notes, ...annotations.flatMap(({ messages }) => stringsIn(messages)).map(clean)],
    steps,
    screenshot: screenshotIn(annotations),
  }
}

function testOf(settings: Settings, configDir: string): Script['test'] | null {
  return scriptTest(settings, configDir) ?? (settings.url === undefined ? null : { source: openUrl(settings.url) })
}

function openUrl(url: string): string {
  return [
    `const { test } = require('@playwright/test')`,
    `test('the page opens', async ({ page }) => {`,
    `  const response = await page.goto(${JSON.stringify(url)})`,
    '  const status = response?.status() ?? 0',
    `  if (status >= 400) throw new Error('status ' + status + ', expected below 400')`,
    '})',
    '',
  ].join('\n')
}

function measured(annotations: readonly Readonly<Record<string, unknown>>[], clean: (text: string) => string = String) {
  const pages = annotations.flatMap((one) => (Array.isArray(one.pages) ? one.pages : [])).slice(0, 100)
  return {
    metrics: {
      responseTime: total(annotations, 'responseTime'),
      consoleErrors: total(annotations, 'consoleErrors'),
      networkErrors: total(annotations, 'networkErrors'),
      userScriptErrors: total(annotations, 'userScriptErrors'),
      documentErrors: total(annotations, 'documentErrors'),
    },
    pages: pages.map((page) => asPage(page, clean)),
  }
}

function asPage(page: Readonly<Record<string, unknown>>, clean: (text: string) => string): Pages[number] {
  return {
    pageUrl: clean(String(page.pageUrl)).slice(0, 2000),
    TTFB: measuredNumber(page.TTFB),
    FCP: measuredNumber(page.FCP),
    LCP: measuredNumber(page.LCP),
    CLS: measuredNumber(page.CLS),
    TBT: measuredNumber(page.TBT),
  }
}

/** The screenshot of the last failed test. */
function screenshotIn(annotations: readonly Readonly<Record<string, unknown>>[]): Uint8Array | null {
  const encoded = annotations.map(({ screenshot }) => screenshot).findLast((text) => typeof text === 'string')
  return encoded === undefined ? null : Buffer.from(encoded, 'base64')
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

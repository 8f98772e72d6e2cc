import type { Browser, BrowserContext, Page, test as playwrightTest } from '@playwright/test'
import type { failureScreenshot, ScreenshotLimits } from '../probe/playwright/failure-screenshot.ts'

type Launch = () => Promise<Browser>
type Playwright = {
  readonly test: typeof playwrightTest
  readonly chromium: { launch: Launch }
  readonly firefox: { launch: Launch }
  readonly webkit: { launch: Launch }
}
type Options = NonNullable<Parameters<Page['screenshot']>[0]> & { readonly ofFailure?: boolean }

type Keep = ScreenshotLimits & {
  readonly failureScreenshot: typeof failureScreenshot
  readonly writeFile: (path: string, content: Uint8Array) => Promise<void>
}

/**
 * Replaces Playwright's screenshots of failures (those with the option `ofFailure`) with redacted ones.
 * Its source is written into the configuration of the run, which every worker of the suite loads, so it must be self-contained.
 */
export function keepScreenshots(playwright: Playwright, { failureScreenshot, writeFile, ...limits }: Keep): void {
  const hasFailed = () => playwright.test.info().status !== playwright.test.info().expectedStatus

  function watchPage(page: Page): void {
    const take = page.screenshot.bind(page)
    const replaced = async (options: Options = {}) => {
      if (!options.ofFailure) return take(options)
      const picture = hasFailed() ? await failureScreenshot(page, limits, take) : null
      if (picture === null) throw new Error('There is nothing to keep.')
      if (options.path !== undefined) await writeFile(options.path, picture)
      return picture
    }
    page.screenshot = replaced as Page['screenshot']
  }

  function watchBrowser(browser: Browser): Browser {
    const newContext = browser.newContext.bind(browser)
    browser.newContext = async (options): Promise<BrowserContext> => {
      const context = await newContext(options)
      context.on('page', watchPage)
      return context
    }
    return browser
  }

  for (const browserType of [playwright.chromium, playwright.firefox, playwright.webkit]) {
    const launch = browserType.launch.bind(browserType) as (...given: unknown[]) => Promise<Browser>
    browserType.launch = async (...given: unknown[]) => watchBrowser(await launch(...given))
  }
}

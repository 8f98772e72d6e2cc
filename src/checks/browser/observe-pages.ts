import type { Browser, BrowserContext, test as playwrightTest, Request } from '@playwright/test'
import type { failureScreenshot, ScreenshotLimits } from '../probe/playwright/failure-screenshot.ts'

type PageObservation = ScreenshotLimits & {
  readonly annotationType: string
  readonly bindingName: string
  /** Runs in every document before its own scripts. */
  readonly inPage: string
}

/**
 * Playwright's `test`, extended to observe every page that a script opens.
 * Its source is written into the process that runs the script, so it must be self-contained.
 */
export function observePages(test: typeof playwrightTest, observation: PageObservation, screenshotOf: typeof failureScreenshot) {
  const { annotationType, bindingName, inPage, screenshotBytes, secrets } = observation
  const maxPages = 100
  const maxMessages = 30
  const settleMs = 3000
  const screenshotMs = 5000

  function createObserver() {
    const pages = new Map<string, unknown>()
    const errors = { consoleErrors: 0, networkErrors: 0, userScriptErrors: 0, documentErrors: 0 }
    const messages: string[] = []
    const countError = (kind: keyof typeof errors, text: string) => {
      errors[kind] += 1
      if (messages.length < maxMessages) messages.push(`${kind}: ${text.slice(0, 500)}`)
    }
    const countFailedRequest = (request: Request, reason: string) =>
      countError(request.isNavigationRequest() ? 'documentErrors' : 'networkErrors', `${request.method()} ${request.url()} ${reason}`)
    const recordPage = (_: unknown, text: string) => {
      const { id, ...page } = JSON.parse(text)
      if (pages.has(id) || pages.size < maxPages) pages.set(id, page)
    }
    const observe = async (context: BrowserContext) => {
      context.on('console', (message) => {
        const isFailedRequest = message.args().length === 0 && message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !isFailedRequest) countError('consoleErrors', message.text())
      })
      context.on('weberror', (webError) => countError('userScriptErrors', String(webError.error())))
      context.on('response', (response) => {
        if (response.status() >= 400) countFailedRequest(response.request(), String(response.status()))
      })
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? ''
        if (reason !== 'net::ERR_ABORTED') countFailedRequest(request, reason)
      })
      await Promise.all([context.exposeBinding(bindingName, recordPage), context.addInitScript({ content: inPage })])
    }
    return { observe, summary: () => ({ ...errors, messages, pages: [...pages.values()] }) }
  }

  /** Waits a limited time until open pages have loaded and painted. */
  async function settle(browser: Browser) {
    const pages = browser.contexts().flatMap((context) => context.pages())
    const settled = pages.map(async (page) => {
      await page.waitForLoadState('networkidle', { timeout: settleMs })
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))')
    })
    const timeout = new Promise((done) => setTimeout(done, settleMs + 500).unref())
    await Promise.race([Promise.allSettled(settled), timeout])
  }

  /** Null if the page cannot be captured in time. */
  async function newestScreenshot(browser: Browser): Promise<string | null> {
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .at(-1)
    if (page === undefined || screenshotBytes === 0) return null
    const timeout = new Promise<null>((done) => setTimeout(done, screenshotMs, null).unref())
    const picture = await Promise.race([screenshotOf(page, { screenshotBytes, secrets }).catch(() => null), timeout])
    return picture?.toString('base64') ?? null
  }

  return test.extend<{ tidemark: undefined }>({
    tidemark: [
      // Depends on `page` so that timing starts when it exists.
      async ({ browser, context, page: _ }, use, testInfo) => {
        const { observe, summary } = createObserver()
        await observe(context)
        const observeNew = (created: BrowserContext) => void observe(created).catch(() => {})
        browser.on('context', observeNew)
        const startedAt = performance.now()
        await use(undefined)
        const responseTime = performance.now() - startedAt
        const screenshot = testInfo.status === testInfo.expectedStatus ? null : await newestScreenshot(browser)
        await settle(browser)
        browser.off('context', observeNew)
        testInfo.annotations.push({ type: annotationType, description: JSON.stringify({ responseTime, screenshot, ...summary() }) })
      },
      { auto: true, timeout: 15_000 },
    ],
  })
}

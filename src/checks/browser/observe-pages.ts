import type { Browser, BrowserContext, test as playwrightTest, Request } from '@playwright/test'

export type Observation = {
  readonly annotationType: string
  readonly bindingName: string
  /** Runs in every document before its own scripts. */
  readonly inPage: string
}

/**
 * Playwright's `test`, with an eye on every page that a script opens.
 * Its source is written into the process that runs the script, so it may use nothing from outside itself.
 */
export function observePages(test: typeof playwrightTest, { annotationType, bindingName, inPage }: Observation) {
  const mostPages = 100
  const mostMessages = 30
  const settleMs = 3000

  function watcher() {
    const pages = new Map<string, unknown>()
    const errors = { consoleErrors: 0, networkErrors: 0, userScriptErrors: 0, documentErrors: 0 }
    const messages: string[] = []
    const note = (kind: keyof typeof errors, text: string) => {
      errors[kind] += 1
      if (messages.length < mostMessages) messages.push(`${kind}: ${text.slice(0, 500)}`)
    }
    const noteRequest = (request: Request, reason: string) =>
      note(request.isNavigationRequest() ? 'documentErrors' : 'networkErrors', `${request.method()} ${request.url()} ${reason}`)
    const keep = (_: unknown, text: string) => {
      const { id, ...page } = JSON.parse(text)
      if (pages.has(id) || pages.size < mostPages) pages.set(id, page)
    }
    const watch = async (context: BrowserContext) => {
      context.on('console', (message) => {
        const ofTheBrowser = message.args().length === 0 && message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !ofTheBrowser) note('consoleErrors', message.text())
      })
      context.on('weberror', (webError) => note('userScriptErrors', String(webError.error())))
      context.on('response', (response) => {
        if (response.status() >= 400) noteRequest(response.request(), String(response.status()))
      })
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? ''
        if (reason !== 'net::ERR_ABORTED') noteRequest(request, reason)
      })
      await Promise.all([context.exposeBinding(bindingName, keep), context.addInitScript({ content: inPage })])
    }
    return { watch, told: () => ({ ...errors, messages, pages: [...pages.values()] }) }
  }

  /** Waits, but not for long, until what is still open has loaded and painted. */
  async function settle(browser: Browser) {
    const pages = browser.contexts().flatMap((context) => context.pages())
    const quiet = pages.map(async (page) => {
      await page.waitForLoadState('networkidle', { timeout: settleMs })
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))')
    })
    const enough = new Promise((done) => setTimeout(done, settleMs + 500).unref())
    await Promise.race([Promise.allSettled(quiet), enough])
  }

  return test.extend<{ tidemark: undefined }>({
    tidemark: [
      // `page` is asked for so that the clock starts when it is there.
      async ({ browser, context, page: _ }, use, testInfo) => {
        const { watch, told } = watcher()
        await watch(context)
        const watchLater = (later: BrowserContext) => void watch(later).catch(() => {})
        browser.on('context', watchLater)
        const startedAt = performance.now()
        await use(undefined)
        const responseTime = performance.now() - startedAt
        await settle(browser)
        browser.off('context', watchLater)
        testInfo.annotations.push({ type: annotationType, description: JSON.stringify({ responseTime, ...told() }) })
      },
      { auto: true, timeout: 15_000 },
    ],
  })
}

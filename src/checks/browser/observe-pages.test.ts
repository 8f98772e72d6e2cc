import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { observePages } from './observe-pages.ts'

type Use = (given: undefined) => Promise<void>
type Observe = (fixtures: object, use: Use, info: object) => Promise<void>

const options = { annotationType: 'own', bindingName: 'report', inPage: 'in page()', screenshotBytes: 1000, secrets: ['hush'] }

/** A fake of Playwright's browser context that records what is set up in it. */
class Context extends EventEmitter {
  readonly scripts: unknown[] = []
  readonly opened: object[] = []
  report: (source: unknown, text: string) => void = () => {}
  pages = () => this.opened
  exposeBinding = async (name: string, report: Context['report']) => {
    expect(name).toBe('report')
    this.report = report
  }
  addInitScript = async (script: unknown) => void this.scripts.push(script)
}

const request = (isNavigationRequest: boolean, errorText?: string) => ({
  isNavigationRequest: () => isNavigationRequest,
  method: () => 'GET',
  url: () => 'https://shop.example/',
  failure: () => (errorText === undefined ? null : { errorText }),
})
const response = (status: number, isNavigation = false) => ({ status: () => status, request: () => request(isNavigation) })
const message = (type: string, text: string, args: readonly unknown[] = ['x']) => ({ type: () => type, text: () => text, args: () => args })
const page = (more: object = {}) => ({ waitForLoadState: async () => {}, evaluate: async () => {}, ...more })

/** The annotation that a script reports. */
async function observed(
  script: (context: Context, browser: EventEmitter) => unknown,
  { more = {}, status = 'passed', shot = async () => Buffer.from('picture') } = {},
) {
  let observe: Observe = async () => {}
  const extend = (fixtures: { readonly tidemark: readonly [Observe, unknown] }) => {
    observe = fixtures.tidemark[0]
    expect(fixtures.tidemark[1]).toEqual({ auto: true, timeout: 15_000 })
  }
  observePages({ extend } as never, { ...options, ...more }, shot as never)
  const context = new Context()
  const browser = Object.assign(new EventEmitter(), { contexts: () => [context] })
  const info = { annotations: [] as { readonly type: string; readonly description: string }[], status, expectedStatus: 'passed' }
  await observe({ browser, context, page: null }, async () => void (await script(context, browser)), info)
  expect(browser.listenerCount('context')).toBe(0)
  const [annotation] = info.annotations
  expect(annotation?.type).toBe('own')
  return { context, reported: JSON.parse(annotation?.description ?? '{}') as Record<string, unknown> }
}

test('errors of a page are counted by kind, and reported', async () => {
  const { reported, context } = await observed((on) => {
    on.emit('console', message('error', 'x is undefined'))
    on.emit('console', message('warning', 'old'))
    on.emit('console', message('error', 'Failed to load resource: 404', []))
    on.emit('console', message('error', 'Failed to load resource: said by a script'))
    on.emit('console', message('error', 'other', []))
    on.emit('weberror', { error: () => new Error('boom') })
    for (const status of [200, 399, 400, 500]) on.emit('response', response(status))
    on.emit('response', response(404, true))
    on.emit('requestfailed', request(false, 'net::ERR_FAILED'))
    on.emit('requestfailed', request(false, 'net::ERR_ABORTED'))
    on.emit('requestfailed', request(true))
  })
  expect(reported).toMatchObject({
    consoleErrors: 3,
    networkErrors: 3,
    userScriptErrors: 1,
    documentErrors: 2,
    screenshot: null,
    pages: [],
  })
  expect(reported.messages).toEqual([
    'consoleErrors: x is undefined',
    'consoleErrors: Failed to load resource: said by a script',
    'consoleErrors: other',
    'userScriptErrors: Error: boom',
    'networkErrors: GET https://shop.example/ 400',
    'networkErrors: GET https://shop.example/ 500',
    'documentErrors: GET https://shop.example/ 404',
    'networkErrors: GET https://shop.example/ net::ERR_FAILED',
    'documentErrors: GET https://shop.example/ ',
  ])
  expect(context.scripts).toEqual([{ content: 'in page()' }])
})

test('all errors are counted, but only some of them are reported, truncated', async () => {
  const { reported } = await observed((on) => {
    for (let i = 0; i < 40; i++) on.emit('console', message('error', 'x'.repeat(1000)))
  })
  expect([reported.consoleErrors, reported.messages]).toEqual([40, Array(30).fill(`consoleErrors: ${'x'.repeat(500)}`)])
})

test('a page has its latest report, and only a limited number of pages is kept', async () => {
  const { reported } = await observed(({ report }) => {
    for (let id = 0; id < 101; id++) report(null, JSON.stringify({ id, url: `page ${id}` }))
    report(null, JSON.stringify({ id: 0, url: 'page 0, painted' }))
  })
  const pages = reported.pages as readonly unknown[]
  expect([pages.length, pages[0], pages.at(-1)]).toEqual([100, { url: 'page 0, painted' }, { url: 'page 99' }])
})

test('contexts opened by a script are observed, too', async () => {
  const other = new Context()
  const { reported } = await observed(async (_, browser) => {
    browser.emit('context', other)
    await new Promise(setImmediate)
    other.emit('weberror', { error: () => 'boom' })
  })
  expect([reported.userScriptErrors, other.scripts]).toEqual([1, [{ content: 'in page()' }]])
})

test('a failed script gets a screenshot of its newest page, if possible', async () => {
  const shown: unknown[] = []
  const shot = async (...given: readonly unknown[]) => {
    shown.push(given)
    return Buffer.from('picture')
  }
  const pages = [page(), page()]
  const open = (context: Context) => context.opened.push(...pages)
  expect((await observed(open, { status: 'failed', shot })).reported.screenshot).toBe(Buffer.from('picture').toString('base64'))
  expect(shown).toEqual([[pages[1], { screenshotBytes: 1000, secrets: ['hush'] }]])
  expect((await observed(open, { shot })).reported.screenshot).toBeNull()
  expect((await observed(() => {}, { status: 'failed', shot })).reported.screenshot).toBeNull()
  expect((await observed(open, { status: 'failed', shot, more: { screenshotBytes: 0 } })).reported.screenshot).toBeNull()
  expect((await observed(open, { status: 'failed', shot: () => Promise.reject(new Error('crashed')) })).reported.screenshot).toBeNull()
  expect(shown).toHaveLength(1)
})

test('pages have limited time to load and paint before they are reported', async () => {
  const waited: unknown[] = []
  const settling = page({
    waitForLoadState: async (...given: readonly unknown[]) => waited.push(given),
    evaluate: async () => waited.push('painted'),
  })
  await observed(({ opened }) => opened.push(settling, page({ waitForLoadState: () => Promise.reject(new Error('closed')) })))
  expect(waited).toEqual([['networkidle', { timeout: 3000 }], 'painted'])
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const endless = observed(({ opened }) => opened.push(page({ waitForLoadState: () => new Promise(() => {}) })), {
    status: 'failed',
    shot: () => new Promise(() => {}),
  })
  await vi.advanceTimersByTimeAsync(9000)
  expect((await endless).reported.screenshot).toBeNull()
})

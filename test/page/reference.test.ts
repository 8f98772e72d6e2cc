// @slow ci
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../support/catalogue.ts'
import { sharedChromium } from '../support/chromium.ts'
import { expectStill } from './layout-shift.ts'
import { eventually, expectAccessible, expectQuiet, inChromium, narrow, openReader, openVisitor } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('the reference page', inChromium, () => {
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ days: 0 })
  })
  afterAll(() => server?.close())

  test.each([narrow])('can be searched and tried out with the current key, at $width px, $scheme', async (look) => {
    const reader = await openReader(server.origin, look)
    const { page } = reader
    await page.getByRole('link', { name: /^API$/ }).click()
    await page.getByRole('heading', { name: 'Tidemark API', level: 1 }).waitFor()
    await page.getByText('Try it').first().waitFor()
    await expectStill(page)
    for (const name of ['Checks', 'Outages', 'SLOs', 'Locations'])
      await page.locator('header').getByRole('link', { name, exact: true }).first().waitFor()
    expect(await page.locator('.account b').textContent()).toBe(account)
    await page.getByLabel('Colours').selectOption('Light')
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light')
    await page.getByLabel('Colours').selectOption('Auto')
    const sections = page.locator('.reference section:visible')
    const all = await sections.count()
    expect(all).toBeGreaterThan(20)

    await page.getByLabel('Search').fill('statuses one')
    await eventually(() => sections.count()).toBeLessThan(all)
    const status = sections.filter({ hasText: '/v1/check-statuses/{id}' })
    await status.getByText('Try it').click()
    const [check] = server.checks
    expect(await status.getByLabel('id (required)').inputValue(), 'the id of a check of the account').toBe(check?.id)
    await status.getByRole('button', { name: `Send as ${account}` }).click()
    await status.getByText('200 OK').waitFor()
    expect(await status.locator('.try pre').textContent()).toContain(`"checkId": "${check?.id}"`)

    await page.getByLabel('Search').fill('in one query')
    const question = sections.filter({ hasText: '/v1/analytics/query' })
    // "Copied" is shown for two seconds, and a click may take that long on a busy machine.
    const copy = question.locator('.example').getByRole('button', { name: 'Copy' })
    await Promise.all([question.getByText('Copied').waitFor(), copy.click()])
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/v1/analytics/query')
    await question.getByText('Try it').click()
    expect(await question.getByLabel('format').locator('option').allTextContents()).toContain('csv')

    await page.getByLabel('Search').fill('xyzzy')
    await page.getByText('No matches.').waitFor()
    await page.getByLabel('Search').fill('')
    await eventually(() => sections.count()).toBe(all)
    await expectAccessible(page)
    await page.locator('header').getByRole('link', { name: 'Checks', exact: true }).click()
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor()
    expectQuiet(reader, server.origin)
  })

  test('sends a body, and offers to sign in if nobody is signed in', async () => {
    const { page } = await openVisitor(`${server.origin}/docs`)
    await page.getByLabel('Search').fill('in one query')
    const summary = page.locator('.reference section:visible', { hasText: '/v1/analytics/query' })
    await summary.getByText('Try it').click()
    await summary.getByRole('link', { name: 'Sign in' }).waitFor()
    await summary.getByLabel(/^Body/).fill('{"metrics":["availability"]}')
    await summary.getByRole('button', { name: 'Send' }).click()
    await summary.getByText('401 Unauthorized').waitFor()
  })

  test('is readable without scripts', async () => {
    const context = await (await sharedChromium()).newContext({ javaScriptEnabled: false, colorScheme: 'dark', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${server.origin}/docs`)
    expect(await page.locator('.reference section').count()).toBeGreaterThan(20)
    expect(await page.getByText('Try it').count()).toBe(0)
    await context.close()
  })
})

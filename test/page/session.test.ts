// @slow ci
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { account } from '../support/catalogue.ts'
import { sharedChromium } from '../support/chromium.ts'
import { expectAccessible, inChromium, signIn } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('a session', inChromium, () => {
  let server: PageServer
  let context: BrowserContext
  beforeAll(async () => {
    server = await startPageServer({ days: 0 })
  })
  afterAll(() => server?.close())
  beforeEach(async () => {
    context = await (await sharedChromium()).newContext({ reducedMotion: 'reduce' })
  })
  afterEach(() => context?.close())

  const openTab = async (path = '/locations') => {
    const tab = await context.newPage()
    await tab.goto(server.origin + path)
    return tab
  }
  const signedIn = (tab: Page) => tab.getByRole('button', { name: 'Sign out' }).waitFor()
  const signedOut = (tab: Page) => tab.getByLabel('API key').waitFor()
  /** The first form of the reference page: searching the whole page takes long. */
  const form = (tab: Page) => tab.locator('.try').first()
  const stored = (tab: Page) => tab.evaluate('[sessionStorage.length, localStorage.length]')

  test('is shared with new tabs, until the last of them is closed', async () => {
    const first = await openTab('/')
    await signIn(first)
    const typed = await openTab('/slos')
    await signedIn(typed)
    const opening = context.waitForEvent('page')
    await first.getByRole('link', { name: server.checks[0]?.name ?? '', exact: true }).click({ modifiers: ['ControlOrMeta'] })
    const clicked = await opening
    await clicked.getByRole('heading', { name: server.checks[0]?.name ?? '', level: 1 }).waitFor()
    expect(await stored(clicked)).toEqual([1, 0])
    for (const tab of [first, typed, clicked]) await tab.close()
    await signedOut(await openTab())
  })

  test('ends in every tab when signing out in one', async () => {
    const tabs = [await openTab(), await openTab()] as const
    await signIn(tabs[0])
    await signedIn(tabs[1])
    await tabs[1].getByRole('button', { name: 'Sign out' }).click()
    for (const tab of tabs) {
      await signedOut(tab)
      expect(await stored(tab)).toEqual([0, 0])
    }
  })

  test('of a one-time link can be kept, and a used link does not end it', async () => {
    const link = `/#code=${server.newCode()}`
    const first = await openTab(link)
    await signedIn(first)
    await expectAccessible(first)
    await first.getByRole('button', { name: 'Stay signed in' }).click()
    await first.close()
    const again = await openTab(link)
    await signedIn(again)
    expect(await again.getByRole('alert').count()).toBe(0)
    expect(await stored(again)).toEqual([0, 1])
  })

  test('that was kept stays when other tabs join it', async () => {
    const tabs = [await openTab(), await openTab()] as const
    await tabs[0].getByLabel('stay signed in').check()
    await signIn(tabs[0])
    await signedIn(tabs[1])
    for (const tab of tabs) await tab.close()
    await signedIn(await openTab())
  })

  test('is shared with the reference page, and from there with others', async () => {
    const reference = await openTab('/docs')
    await form(reference).getByText('Try it').click()
    const first = await openTab()
    await signIn(first)
    await form(reference)
      .getByRole('button', { name: `Send as ${account}` })
      .waitFor()
    const another = await openTab('/docs')
    await form(another).getByText('Try it').click()
    await form(another)
      .getByRole('button', { name: `Send as ${account}` })
      .waitFor()
    await first.close()
    const last = await openTab()
    await signedIn(last)
    await last.getByRole('button', { name: 'Sign out' }).click()
    await form(reference).getByRole('link', { name: 'Sign in' }).waitFor()
    expect(await stored(reference)).toEqual([0, 0])
  })

  test('of another tab is not ended by a used link', async () => {
    const first = await openTab()
    await signIn(first)
    await signedIn(await openTab('/#code=used'))
    await first.reload()
    await signedIn(first)
  })

  test('with a revoked key ends with a message', async () => {
    const tab = await openTab()
    await signIn(tab)
    await tab.evaluate(`sessionStorage.setItem('tidemark', sessionStorage.getItem('tidemark').replace('testread', 'revoked0'))`)
    await tab.reload()
    await tab.getByRole('alert').getByText('was revoked or replaced').waitFor()
    await signedOut(tab)
  })
})

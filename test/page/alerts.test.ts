// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/time.ts'
import { alertRule } from '../support/alert-world.ts'
import { testCheck } from '../support/catalogue.ts'
import { answers, channelReceiver } from '../support/channels.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import {
  eventually,
  expectAccessible,
  expectAccessibleInLooks,
  expectQuiet,
  inChromium,
  inSteps,
  openReader,
  type Reader,
  settled,
  show,
  stopAtFailure,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const secret = 'S3CRET-token'
const reason = 'status 503, expected <b>200</b>'
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop <1>', tags: ['web'], locations: ['here', 'there'], runParallel: true })
const blog = testCheck(anyRunType(), { id: 'blog', name: 'Blog', tags: [], locations: ['here'] })
const checks = [shop, blog]

/** A server whose rule notifies two webhooks: one that works, and one that is gone. */
async function openServer(scopes: readonly ('read' | 'operate')[]) {
  const [works, gone] = [await channelReceiver(), await channelReceiver(answers(410, { body: 'gone' }))]
  const channel = (id: string, url: string) => ({
    id,
    type: 'webhook',
    settings: { url: `${url}/${secret}`, headers: { 'X-Api-Key': secret } },
    secrets: [secret],
  })
  const step = { afterMs: 0, to: ['chat', 'pager'], during: null, outside: 'hold' } as const
  const policies = {
    channels: [channel('chat', works.url), channel('pager', gone.url)],
    alerts: [alertRule({ id: 'all', steps: [step] })],
  }
  const server = await startPageServer({ checks, days: 0, policies, scopes })
  const append = (check: typeof shop, hasFailures: boolean, startedAt = Date.now()) =>
    server.store.append([testResult(check, startedAt, { runLocation: 'here', hasFailures, error: hasFailures ? reason : null })])
  await append(shop, true, Date.now() - 2 * hourMs)
  await append(shop, false, Date.now() - 2 * hourMs + minuteMs)
  return { server, append }
}

describe('the journey of an alert', inSteps, () => {
  let server: PageServer
  let append: Awaited<ReturnType<typeof openServer>>['append']
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    ;({ server, append } = await openServer(['read', 'operate']))
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())
  stopAtFailure()

  const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
  const card = () => panel('open-alerts').locator('.alert-card')

  test('a new alert appears without a reload, with its check, location, reason and notified channels', async () => {
    await page.getByRole('link', { name: 'Alerts', exact: true }).click()
    await page.getByText('No open alerts.').waitFor()
    await append(shop, true)
    await card().getByRole('link', { name: 'Shop <1> is failing' }).waitFor()
    await eventually(() => card().textContent()).toContain(reason)
    await eventually(() => card().locator('.notified li').allTextContents()).toEqual([
      expect.stringMatching(/^chat .*\d$/),
      expect.stringMatching(/^pager is not notified yet: 410 gone, again .*\d$/),
    ])
    await expectAccessibleInLooks(page)
  })

  test('a button acknowledges the alert', async () => {
    await card().getByRole('button', { name: 'Acknowledge' }).click()
    await card().getByText('by tdm_testread').waitFor()
    expect(await card().getByRole('button', { name: 'Acknowledge' }).count()).toBe(0)
  })

  test('its check can be silenced for an hour or until a time, and the silence can be ended', async () => {
    await card().getByText('Silence …').click()
    await card().getByRole('button', { name: '1 h', exact: true }).click()
    await card().getByText('1 check silenced.').waitFor()
    const lines = panel('silences').locator('li')
    await eventually(() => lines.allTextContents()).toEqual([expect.stringMatching(/^shop until .*by tdm_testread/)])
    await card().getByLabel('until').fill('2099-01-01T10:00')
    await card().getByRole('button', { name: 'Silence', exact: true }).click()
    await card().getByRole('alert').getByText('at most 90 days ahead').waitFor()
    await expectAccessibleInLooks(card())
    await panel('silences').getByRole('button', { name: 'End the silence of shop' }).click()
    await page.getByText('No silences.').waitFor()
  })

  test('channels show whether they work, and can be tested', async () => {
    await eventually(() => panel('channels').locator('.state').allTextContents()).toEqual(['works', 'broken'])
    await panel('channels').getByRole('button', { name: 'Test chat' }).click()
    await panel('channels').getByText('The test was delivered: 200').waitFor()
  })

  test('a rule shows what it would have sent in 30 days', async () => {
    await page.getByRole('button', { name: 'What would they have sent in 30 days?' }).click()
    const replayed = panel('rules').getByText('It would have sent 6 messages in 30 days')
    await replayed.waitFor()
    await replayed.click()
    await eventually(() => panel('rules').locator('ol li').count()).toBe(6)
    await expectAccessibleInLooks(panel('rules'))
  })

  test('an alert has its own URL, with every message', async () => {
    await card().getByRole('link', { name: 'Shop <1> is failing' }).click()
    await page.getByRole('heading', { name: 'Shop <1> is failing', level: 1 }).waitFor()
    expect(page.url()).toMatch(/\/alerts\/[\w-]{36}$/)
    await page.reload()
    const rows = panel('messages').locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.allTextContents()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^chatopendelivered200 /),
        expect.stringMatching(/^pageropenwill be retried410 gone1/),
      ]),
    )
    await panel('members').getByRole('link', { name: reason }).waitFor()
    await expectAccessibleInLooks(page)
  })

  test('the page of the check says which alert is open, which channels were notified, and who acknowledged it', async () => {
    await panel('members').getByRole('link', { name: 'Shop <1>', exact: true }).click()
    const notes = page.getByRole('list', { name: 'Open alerts' })
    await notes.waitFor()
    expect(await notes.textContent()).toMatch(
      /^Shop <1> is failing critical by rule all, since .* ago, notified chat; pager could not be notified yet; acknowledged by tdm_testread$/,
    )
    await expectAccessibleInLooks(notes)
  })

  test('the overview shows open alerts and broken channels', async () => {
    await show(page, '/overview')
    await panel('alerts').getByRole('link', { name: '1 open alert' }).waitFor()
    await panel('alerts').getByText('Channel pager is broken: 410 gone').waitFor()
    await expectAccessibleInLooks(panel('alerts'))
  })

  test('a closed alert moves to the history without a reload', async () => {
    await show(page, '/alerts')
    await card().waitFor()
    await settled(page)
    const over = panel('history').getByRole('link', { name: 'Shop <1>' })
    const before = await over.count()
    await append(shop, false)
    await eventually(() => over.count()).toBe(before + 1)
    await page.getByText('No open alerts.').waitFor()
    await expectAccessibleInLooks(page)
    expect(await page.content()).not.toContain(secret)
  })

  test('there was no console error and no request to another origin', () => {
    const refused = reader.consoleErrors.filter((text) => text.includes('status of 400'))
    expect(refused).toHaveLength(1)
    expectQuiet({ ...reader, consoleErrors: reader.consoleErrors.filter((text) => !refused.includes(text)) }, server.origin)
  })
})

describe('alerts on the page', inChromium, () => {
  test('a read-only key shows alerts, and why they cannot be acknowledged', async () => {
    const { server, append } = await openServer(['read'])
    await append(shop, true)
    const { page } = await openReader(`${server.origin}/alerts`)
    await page.getByText('This key is read-only.').waitFor()
    await page.locator('.alert-card').waitFor()
    expect(await page.getByRole('button', { name: /Acknowledge|Test|End/ }).count()).toBe(0)
    await page.locator('.alert-card').getByRole('link', { name: 'Shop <1> is failing' }).click()
    await page.getByText('To acknowledge and silence, use a key with the operate scope.').waitFor()
    await show(page, '/alerts/none')
    await page.getByRole('alert').getByText('There is no such alert').waitFor()
    await page.getByRole('link', { name: 'All alerts of this account' }).click()
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
    await server.close()
  })

  test('an account without rules is shown how to start', async () => {
    const server = await startPageServer({ checks, days: 0 })
    const { page } = await openReader(`${server.origin}/alerts`)
    await page.getByText('this account has no alert rules').waitFor()
    expect(await page.locator('pre').textContent()).toContain('- { id: all, to: [ops] }')
    await expectAccessible(page)
    await server.close()
  })
})

describe('more open alerts than a page shows', inChromium, () => {
  test('are split into pages, and the count says that there are more', async () => {
    // Ten per rule are sent individually, each at its own location.
    const tags = Array.from({ length: 11 }, (_, i) => `tag-${i}`)
    const many = tags.flatMap((tag) =>
      Array.from({ length: 10 }, (_, i) => testCheck(anyRunType(), { id: `${tag}-${i}`, tags: [tag], locations: [`${tag}-${i}`] })),
    )
    const { url } = await channelReceiver()
    const policies = {
      channels: [{ id: 'chat', type: 'webhook', settings: { url }, secrets: [] }],
      alerts: tags.map((tag) => alertRule({ id: tag, tags: [tag] })),
    }
    const server = await startPageServer({ checks: many, days: 0, policies, scopes: ['read'] })
    onTestFinished(() => server.close())
    await server.store.append(many.map((check) => testResult(check, Date.now(), { runLocation: check.id, hasFailures: true })))
    const { page } = await openReader(server.origin)
    await page.getByRole('link', { name: 'Alerts', exact: true }).click()
    const cards = page.locator('.alert-card')
    await page.getByText('the newest 100').waitFor()
    expect(await cards.count()).toBe(100)
    await eventually(() => page.title()).toContain('more than 100 open alerts')
    await page.getByRole('link', { name: 'Older →' }).click()
    await eventually(() => cards.count()).toBe(10)
    await page.getByRole('link', { name: '← Newest' }).click()
    await eventually(() => cards.count()).toBe(100)
  })
})

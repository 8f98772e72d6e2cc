// @slow
import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { testCheck } from '../support/catalogue.ts'
import { measured, testResult } from '../support/results.ts'
import { boxOf, eventually, expectAccessible, inChromium, openReader, resize, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const [checkType] = checkTypes.filter(({ fields }) => fields.includes('statusCode'))
if (checkType === undefined) throw new Error('No check type has status codes.')
const url = (host: string) => ({
  settings: { ...testCheck(checkType).settings, request: { url: `https://${host}/health`, method: 'GET' } },
})
const check = (name: string, more = {}) =>
  testCheck(checkType, { id: name.toLowerCase(), name, tags: [], locations: ['eu-west-1'], ...more })

const failing = check('Alpha', { tags: ['web-shop', 'critical', 'payments', 'eu'] })
const passing = check('Beta', { muted: true, tags: ['web-shop'], ...url('orders.example.test') })
const degraded = check('Gamma', { locations: ['eu-west-1', 'ap-south-1'] })
const paused = check('Epsilon'.repeat(12), { activated: false })
const checks = [failing, passing, degraded, check('Delta', { tags: ['web-shop'] }), paused]

describe('the list of checks', inChromium, () => {
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    await server.store.append([
      testResult(failing, Date.now(), { hasFailures: true }),
      testResult(passing, Date.now(), { values: { ...measured(passing, Date.now()), sslDaysRemaining: 3 } }),
      testResult(degraded, Date.now(), { isDegraded: true, values: { ...measured(degraded, Date.now()), sslDaysRemaining: 61 } }),
    ])
    page = (await openReader(server.origin)).page
  })
  afterAll(() => server?.close())

  const counts = () => page.locator('.counts button').allTextContents()
  const names = () => page.locator('.checks .name > a').allTextContents()
  const search = (text: string) => page.getByLabel('Search').fill(text)

  test('counts every state, within the other filters', async () => {
    await eventually(counts).toEqual(['1 failing', '1 degraded', '1 passing', '1 unknown', '1 paused'])
    await page.getByLabel('Tag').selectOption('web-shop')
    await eventually(counts).toEqual(['1 failing', '1 passing', '1 unknown'])
    await page.getByRole('button', { name: '1 failing' }).click()
    await eventually(names).toEqual(['Alpha'])
    await eventually(counts).toEqual(['1 failing', '1 passing', '1 unknown'])
    await page.getByRole('button', { name: '1 failing' }).click()
    await eventually(names).toHaveLength(3)
    await page.getByLabel('Tag').selectOption('')
  })

  test('a check shows that it is muted, its tags and the remaining days of its certificate', async () => {
    await show(page, `/checks/${passing.id}`)
    const head = page.locator('.view-head')
    await head.getByText('muted', { exact: true }).waitFor()
    await head.getByText('certificate: 3 days left').waitFor()
    await head.getByRole('link', { name: 'web-shop' }).click()
    await eventually(names).toHaveLength(3)
    await show(page, `/checks/${degraded.id}`)
    await page.getByRole('heading', { name: degraded.name, level: 1 }).waitFor()
    expect(await head.getByText('certificate').count(), 'a certificate that lasts is no news').toBe(0)
    await show(page, '/')
    await page.locator('.checks tr', { hasText: 'Beta' }).getByText('muted').waitFor()
  })

  test('fits, with enough space between links, on both sides of every breakpoint', async () => {
    const styles = readdirSync('src/web/style').map((name) => readFileSync(`src/web/style/${name}`, 'utf8'))
    const widths = new Set(styles.flatMap((css) => [...css.matchAll(/@media \((?:min|max)-width: (\d+)px\)/g)].map(([, px]) => Number(px))))
    expect(widths.size).toBeGreaterThan(3)
    for (const width of [320, 700, ...[...widths].flatMap((px) => [px, px + 1])]) {
      await resize(page, { width, height: 800 })
      await expectAccessible(page)
    }
  })

  test('keeps name and state close together on the widest screen', async () => {
    await resize(page, { width: 2560, height: 800 })
    const row = page.locator('.checks tbody tr', { hasText: 'Alpha' })
    const [state, name] = [await boxOf(row.locator('.state')), await boxOf(row.locator('.name > a'))]
    expect(Math.abs(name.x - (state.x + state.width))).toBeLessThan(150)
    await resize(page, { width: 1280, height: 800 })
  })

  test('has long names that fit a narrow screen in every view', async () => {
    await resize(page, { width: 360, height: 800 })
    for (const path of ['/', `/checks/${paused.id}`, `/checks/${paused.id}/badge`]) {
      await show(page, path)
      await page.getByText(paused.name).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    }
    await resize(page, { width: 1280, height: 800 })
    await show(page, '/')
  })

  test('can be filtered by location', async () => {
    await page.getByLabel('Location').selectOption('ap-south-1')
    await eventually(names).toEqual(['Gamma'])
    await page.getByLabel('Location').selectOption('')
    await eventually(names).toHaveLength(checks.length)
  })

  test('can be searched by parts of names, tags and hosts', async () => {
    await search('shop')
    await eventually(names).toHaveLength(3)
    await search('orders.example')
    await eventually(names).toEqual(['Beta'])
    await search('amm')
    await eventually(names).toEqual(['Gamma'])
    await search('')
  })
})

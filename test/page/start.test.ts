// @slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { account } from '../support/catalogue.ts'
import { expectStill } from './layout-shift.ts'
import { copied, expectAccessible, expectQuiet, inChromium, looks, openVisitor, signIn } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('an account without checks', inChromium, () => {
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ checks: [] })
  })
  afterAll(() => server?.close())

  test.each(looks)('shows what to do next, with a config to paste, at $width px, $scheme', async (look) => {
    const reader = await openVisitor(server.origin, look)
    const { page } = reader
    await signIn(page)
    await page.getByRole('heading', { name: 'Add the first check', level: 1 }).waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByLabel('What to check').waitFor()
    await expectStill(page)
    const offered = await page.getByLabel('What to check').locator('option').allTextContents()
    expect(offered.length).toBeGreaterThan(3)
    for (const label of offered) {
      await page.getByLabel('What to check').selectOption(label)
      const parsed = parseConfig(await copied(page, 'For the config file'), {})
      expect('faults' in parsed ? parsed.faults : parsed.config.checks.map((check) => [check.account, check.checkType.label])).toEqual([
        [account, label],
      ])
    }
    await page.getByRole('link', { name: 'SLOs' }).click()
    const slos = parseConfig(await copied(page, 'For the config file'), {})
    expect('faults' in slos ? slos.faults : []).toEqual([])
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'How to add a check' }).click()
    await page.getByRole('heading', { name: 'Add the first check', level: 1 }).waitFor()
    expectQuiet(reader, server.origin)
  })
})

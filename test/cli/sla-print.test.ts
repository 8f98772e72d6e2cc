// @slow
import { describe, expect, onTestFinished, test } from 'vitest'
import { sheetHtml } from '../../src/cli/sla/html.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { sampleSheet } from '../support/sla-sheet.ts'

const a4 = { width: 794 - 2 * 68, height: 1123 }

describe('a printed sheet', { ...needing(await chromiumMissing()), timeout: 120_000 }, () => {
  test('fits the width of A4 whatever names it contains, leaves out its data, and makes no network requests', async () => {
    const [some] = sampleSheet.checks
    if (!some) throw new Error('the sheet has no checks')
    const long = {
      ...some,
      id: 'x'.repeat(128),
      name: 'W'.repeat(400),
      outages: some.outages.map((one) => ({ ...one, reason: 'W'.repeat(900) })),
    }
    const page = await openPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.setContent(sheetHtml({ ...sampleSheet, checks: [...sampleSheet.checks, long] }))
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(a4.width)
    expect(await page.locator('details').isVisible()).toBe(false)
    expect(requests).toEqual([])
  })

  test('starts the outages of each check on a new page', async () => {
    const page = await openPage()
    const [some] = sampleSheet.checks
    if (!some) throw new Error('the sheet has no checks')
    const pages = async (withOutages: number) => {
      const checks = Array.from({ length: 3 }, (_, i) => ({ ...some, id: `c${i}`, outages: i < withOutages ? some.outages : [] }))
      await page.setContent(sheetHtml({ ...sampleSheet, checks }))
      const pdf = await page.pdf({ preferCSSPageSize: true })
      return pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length ?? 0
    }
    expect((await pages(3)) - (await pages(1))).toBe(2)
  })
})

async function openPage() {
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  return browser.newPage({ viewport: a4 })
}

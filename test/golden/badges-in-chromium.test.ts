// @slow
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { badgeThemes, styles } from '../../src/badges/themes.ts'
import { badgeSheet, imageOf } from '../support/badge-sheet.ts'
import { chromiumMissing, sharedChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'

describe('in Chromium, as an image', needing(await chromiumMissing()), () => {
  test.each(styles)('only the default theme follows the dark mode of the reader: %s', async (style) => {
    const looks = await Promise.all(badgeThemes.map(async (theme) => [theme, await pictures(imageOf(badge, style, theme))] as const))
    for (const [theme, { day, night }] of looks) expect(day.equals(night)).toBe(theme !== 'default')
  })

  test.each(styles)('in dark mode the default theme looks like the dark one: %s', async (style) => {
    const [adapted, dark] = [await pictures(imageOf(badge, style, 'default')), await pictures(imageOf(badge, style, 'dark'))]
    expect(adapted.night.equals(dark.night)).toBe(true)
  })

  test.runIf(process.env.UPDATE_GOLDEN === '1')('all badges are rendered on one sheet for review', async () => {
    const page = await (await sharedChromium()).newPage({ viewport: { width: 1600, height: 900 } })
    await page.setContent(badgeSheet())
    const box = await page.locator('body').boundingBox()
    if (!box) throw new Error('the sheet is empty')
    await page.setViewportSize({ width: Math.ceil(box.width), height: Math.ceil(box.height) })
    await page.screenshot({ path: fileURLToPath(new URL('../../docs/badges.png', import.meta.url)) })
  })

  const badge = { label: 'Homepage', message: 'degraded | 231 ms', tone: 'degraded' } as const

  type Pictures = { readonly day: Buffer; readonly night: Buffer }
  const taken = new Map<string, Promise<Pictures>>()
  function pictures(src: string): Promise<Pictures> {
    const pending = taken.get(src) ?? takePictures(src)
    taken.set(src, pending)
    return pending
  }

  async function takePictures(src: string): Promise<Pictures> {
    const page = await (await sharedChromium()).newPage({ viewport: { width: 300, height: 60 } })
    await page.setContent(`<body style="background:#888"><img alt="" src="${src}">`)
    await page.emulateMedia({ colorScheme: 'light' })
    const day = await page.screenshot()
    await page.emulateMedia({ colorScheme: 'dark' })
    const night = await page.screenshot()
    await page.close()
    return { day, night }
  }
})

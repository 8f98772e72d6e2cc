import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../src/checks/probe/playwright/chromium.ts'

export type TestChromium = {
  /** Null where this machine has none that starts. */
  readonly path: string | null
  /** What follows the title of tests that need one: why they are skipped, or nothing. */
  readonly note: string
}

export async function chromiumHere(): Promise<TestChromium> {
  const found = await findChromium(process.env.TIDEMARK_CHROMIUM || null, process.env.PATH ?? '')
  if ('missing' in found) return { path: null, note: `: skipped, since ${found.missing}` }
  try {
    const browser = await launchChromium(found.path)
    await browser.close()
    return { path: found.path, note: '' }
  } catch (error) {
    return { path: null, note: `: skipped, since ${found.path} does not start (${String(error).split('\n', 1)})` }
  }
}

export async function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, chromiumSandbox: process.getuid?.() !== 0 })
}

import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../src/checks/probe/chromium.ts'

/** Where a Chromium is; null where this machine has none and the packed one does not run. */
export async function chromiumPath(): Promise<string | null> {
  const found = await findChromium(process.env.TIDEMARK_CHROMIUM ?? null, process.env.PATH ?? '')
  return 'path' in found ? found.path : null
}

export async function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, chromiumSandbox: process.getuid?.() !== 0 })
}

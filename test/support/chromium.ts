import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** A headless Chromium that needs nothing installed. */
export async function launchChromium(): Promise<Browser> {
  const args = sparticuz.args.filter((arg) => arg !== '--single-process' && !arg.startsWith('--headless'))
  return chromium.launch({ executablePath: await sparticuz.executablePath(), args, headless: true })
}

import { type Browser, chromium } from 'playwright-core'
import { chromiumAvailable, findChromium } from '../../src/checks/probe/playwright/chromium.ts'
import { machine } from './needs.ts'

/** Null where this machine has a Chromium that starts. */
export function chromiumMissing(): Promise<string | null> {
  return chromiumAvailable(machine)
}

export async function launchChromium(): Promise<Browser> {
  const found = await findChromium(machine.chromium, machine.env.PATH ?? '')
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch({ executablePath: found.path, chromiumSandbox: process.getuid?.() !== 0 })
}

import { type Browser, chromium } from 'playwright-core'
import { chromiumAvailable, findChromium } from '../../src/checks/probe/playwright/chromium.ts'
import { machine } from './needs.ts'

/** Null if Chromium starts on this machine. */
export function chromiumMissing(): Promise<string | null> {
  missing ??= chromiumAvailable(machine)
  return missing
}

let missing: Promise<string | null> | undefined

/** The browser of this worker, closed at the worker's end. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium().then((browser) =>
    browser.on('disconnected', () => {
      shared = undefined
    }),
  )
  return shared
}

let shared: Promise<Browser> | undefined

export async function launchChromium(): Promise<Browser> {
  const found = await findChromium(machine.chromium, machine.env.PATH ?? '')
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch({ executablePath: found.path, chromiumSandbox: process.getuid?.() !== 0, args: fewProcesses })
}

const fewProcesses = ['--disable-gpu', '--in-process-gpu', '--renderer-process-limit=1', '--disable-site-isolation-trials']

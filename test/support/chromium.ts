import { type Browser, type BrowserContext, chromium } from 'playwright-core'
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
  const browser = await chromium.launch({ executablePath: found.path, chromiumSandbox: process.getuid?.() !== 0, args: fewProcesses })
  return browser.on('context', logFailedRequests)
}

/** Requests fail for reasons of the machine, too, such as a change of its network. Aborted requests and lost servers are part of tests. */
function logFailedRequests(context: BrowserContext): void {
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    if (!/ERR_(?:ABORTED|CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/.test(reason))
      console.log(`Chromium could not load ${request.url()}: ${reason}`)
  })
}

const fewProcesses = ['--disable-gpu', '--in-process-gpu', '--renderer-process-limit=1', '--disable-site-isolation-trials']

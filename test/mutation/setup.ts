import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject } from 'vitest'

/** The task of a test file under mutation: record which mutants it reaches, or run with one of them active. */
export type Assignment = { readonly recordIn: string } | { readonly active: number; readonly limitMs: number }

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: Assignment
  }
}

const assignment = inject('mutation')
const preload = fileURLToPath(new URL('switch.mjs', import.meta.url))
process.env.NODE_OPTIONS = `--import=${preload}`
if ('recordIn' in assignment) record(assignment.recordIn)
else await activate(assignment.active, assignment.limitMs)

/** Test files share modules: code that one runs while loading does not run again for others that import it. */
function record(folder: string): void {
  let reached: boolean[] = []
  const append = (prefix: string) => {
    appendFileSync(
      fileOf(folder),
      Object.keys(reached)
        .map((id) => `${prefix}${id}\n`)
        .join(''),
    )
    reached = []
  }
  const recorder = (id: number) => {
    reached[id] = true
    return false
  }
  Object.assign(globalThis, { __mutation: recorder })
  beforeAll(async () => {
    append('load ')
    process.env.MUTATION_RECORD = fileOf(folder)
    await askInPages(`{
      const seen = []
      globalThis.__mutation = (id) => {
        if (!seen[id]) __reached(id)
        seen[id] = true
        return false
      }
    }`)
  })
  afterAll(() => append(''))
}

async function activate(active: number, limitMs: number): Promise<void> {
  Object.assign(process.env, { MUTATION_ACTIVE: String(active), MUTATION_LIMIT_MS: String(limitMs) })
  await import(preload)
  beforeAll(() => askInPages(`globalThis.__mutation = (id) => id === ${active}`))
}

/** Runs a script in every page of the browser before the page's own; `__reached(id)` in it calls this process. */
async function askInPages(script: string): Promise<void> {
  if (!testPath().includes('/test/page/')) return
  const { chromium } = await import('playwright-core')
  const { launch } = Object.getPrototypeOf(chromium) as typeof chromium
  chromium.launch = async (launchOptions) => {
    const browser = await launch.call(chromium, launchOptions)
    const newContext = browser.newContext.bind(browser)
    browser.newContext = async (options) => {
      const context = await newContext(options)
      await context.exposeBinding('__reached', (_, id) => Reflect.get(globalThis, '__mutation')(id))
      await context.addInitScript(script)
      return context
    }
    return browser
  }
}

function fileOf(folder: string): string {
  return `${folder}/${testPath().replaceAll('/', '+')}`
}

function testPath(): string {
  return expect.getState().testPath ?? ''
}

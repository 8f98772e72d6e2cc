// @slow ci
import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { needing } from '../../../test/support/needs.ts'
import { folderWith, processesWith, scriptContext, serving } from '../../../test/support/scripts.ts'
import { diskMissing, smallDisk } from '../../../test/support/small-disk.ts'
import { exhaustedRun } from '../probe/probe.ts'
import { multistep } from './index.ts'
import { run } from './run.ts'

vi.setConfig({ testTimeout: 60_000 })

const twoSteps = `
import { expect, test } from '@playwright/test'
import { pathOf } from './paths'

test('sign in', async ({ request }) => {
  const response = await request.post(process.env.BASE + pathOf('session'), { data: { password: process.env.PASSWORD } })
  expect(response.status()).toBe(201)
})
test('read', async ({ request }) => {
  const response = await request.get(process.env.BASE + pathOf('items'))
  expect(await response.json()).toHaveLength(2)
})
`
const paths = `export const pathOf = (name: string) => '/api/' + name\n`

async function shop(): Promise<string> {
  return serving((request, response) => {
    if (request.method === 'POST') response.writeHead(201).end()
    else response.end('[1, 2]')
  })
}

test('the tests of a script run in order and are timed', async () => {
  const configDir = await folderWith({ 'checks/shop.ts': twoSteps, 'checks/paths.ts': paths })
  const environment = { BASE: await shop(), PASSWORD: 'open sesame' }
  const measured = await run({ script: 'checks/shop.ts', environment }, scriptContext(configDir))
  expect(measured).toMatchObject({ failure: null, broken: false, metrics: { responseTime: expect.any(Number) } })
  expect(measured.assertions).toMatchObject([
    { text: 'sign in', passed: true },
    { text: 'read', passed: true },
  ])
})

test('a script may be inline TypeScript, and its variables do not override those that the run sets', async () => {
  const own = {
    PATH: '/nowhere',
    HTTP_PROXY: 'http://127.0.0.1:9',
    https_proxy: '',
    NODE_USE_ENV_PROXY: '0',
    HOME: '/nowhere',
    TMPDIR: '/nowhere',
  }
  const inlineScript = `
    import { expect, test, type APIRequestContext } from '@playwright/test'
    const items = async (request: APIRequestContext) => (await request.get(\`\${process.env.BASE}/api/items\`)).json()
    test('read', async ({ request }) => expect(await items(request)).toHaveLength(2))
    test('environment', () => {
      for (const [name, value] of ${JSON.stringify(Object.entries(own))}) expect(process.env[name], name).not.toBe(value)
      expect(process.env.TZ).toBe('Asia/Tokyo')
    })`
  const environment = { ...own, TZ: 'Asia/Tokyo', BASE: await shop() }
  const measured = await run({ inlineScript, environment }, scriptContext(await folderWith({}), { env: process.env }))
  expect(measured).toMatchObject({ failure: null, broken: false, metrics: { responseTime: expect.any(Number) } })
})

test('a failed step is the reason, nested steps are reported by name, and secrets are redacted', async () => {
  const failing = `
    import { expect, test } from '@playwright/test'
    console.log('at start', process.env.PASSWORD)
    test('one', async ({ request }) => { await request.get(process.env.BASE) })
    test('two', async () => {
      console.log('printed', process.env.PASSWORD, encodeURIComponent(process.env.PASSWORD), btoa(process.env.PASSWORD))
      await test.step('fill the cart', async () => {
        await test.step('add ' + process.env.PASSWORD, async () => {})
      })
      await test.step('pay', async () => expect('received').toBe(process.env.PASSWORD))
    })`
  const configDir = await folderWith({ 'package.json': '{"type": "module"}', 'check.js': failing })
  const environment = { BASE: await shop(), PASSWORD: 'open sesame' }
  const settings = { script: 'check.js', environment }
  const measured = await run(settings, scriptContext(configDir, { secrets: multistep.secrets?.(settings) ?? [] }))
  expect(measured.failure).toBe('two: expect(received).toBe(expected) // Object.is equality; Expected: "•••"; Received: "received"')
  expect(measured.broken).toBe(false)
  expect(measured.notes).toContain('printed ••• ••• •••')
  expect(measured.steps).toEqual([
    { title: 'fill the cart', durationMs: expect.any(Number), error: null },
    { title: 'fill the cart › add •••', durationMs: expect.any(Number), error: null },
    { title: 'pay', durationMs: expect.any(Number), error: expect.stringContaining('Expected: "•••"; Received: "received"') },
  ])
  expect(JSON.stringify(measured)).not.toMatch(/sesame|b3BlbiBzZXNhbWU/)
})

test('an inline script may use require, has only the variables of its check, and its own folder and timeout', async () => {
  vi.stubEnv('TIDEMARK_SECRET_OF_OURS', 'not for scripts')
  const inlineScript = `
    const { test } = require('@playwright/test')
    test('tell', ({}, { timeout }) => {
      const names = Object.keys(process.env).filter((name) => /MINE|TIDEMARK/.test(name))
      console.log(JSON.stringify({ names, folder: process.env.TMPDIR, cwd: process.cwd(), timeout }))
    })`
  const { notes = [] } = await run({ inlineScript, environment: { MINE: 'mine' } }, scriptContext(await folderWith({})))
  vi.unstubAllEnvs()
  const { names, folder, cwd, timeout } = JSON.parse(notes[0] ?? '')
  expect(names).toContain('MINE')
  expect(names).not.toContain('TIDEMARK_SECRET_OF_OURS')
  expect(cwd).toBe(folder)
  expect(timeout).toBe(50_000)
  await expect(access(folder)).rejects.toThrow('ENOENT')
})

test('a script that hangs is killed at its timeout, with all its child processes', async () => {
  const hanging = `
    import { test } from '@playwright/test'
    import { spawn } from 'node:child_process'
    test('hang', () => {
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true })
      for (;;);
    })`
  const configDir = await folderWith({ 'check.mjs': hanging })
  const mark = randomUUID()
  const timeIsOver = new AbortController()
  const context = scriptContext(configDir, { signal: timeIsOver.signal })
  const running = run({ script: 'check.mjs', environment: { MARK: mark } }, context)
  await expect.poll(() => processesWith(mark).length, { timeout: 50_000 }).toBeGreaterThan(2)
  timeIsOver.abort(new DOMException('', 'TimeoutError'))
  expect(await running).toMatchObject({
    failure: 'it did not end within 60,000 ms and was stopped',
    broken: true,
    metrics: { responseTime: null },
  })
  await expect.poll(() => processesWith(mark)).toEqual([])
})

test('a failed script that leaves a pipe in its folder does not block its run', async () => {
  const inlineScript = `
    import { test } from '@playwright/test'
    import { execFileSync } from 'node:child_process'
    test('fails', () => {
      const [screenshot, space] = ['screenshot', 'space'].map((name) => process.env.TMPDIR + '/' + name)
      execFileSync('mkfifo', [screenshot, space])
      test.info().attachments.push({ name: 'screenshot', contentType: 'image/jpeg', path: screenshot })
      throw new Error('it fails')
    })`
  expect(await run({ inlineScript }, scriptContext('.'))).toMatchObject({ failure: expect.stringContaining('it fails') })
}, 30_000)

const passing = `import { test } from '@playwright/test'\ntest('passes', () => {})`
const filling = `
  import { test } from '@playwright/test'
  import { writeFileSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  test('fills the disk', () => writeFileSync(tmpdir() + '/large', Buffer.alloc(100_000_000)))`

test.for([
  ['has no space for the script', 0, { inlineScript: passing }],
  ['has no space for its files', 0, { inlineScript: passing, inlineScriptPath: 'a/b.ts', inlineFiles: { 'a/c.ts': 'export {}' } }],
  ['has no space for the test runner', 24_000, { inlineScript: passing }],
  ['is filled by the script', 4_000_000, { inlineScript: filling }],
] as const)('a disk that %s is not reported as a result of the target', needing(await diskMissing()), async ([_, leftBytes, settings]) => {
  const disk = smallDisk(8000)
  vi.stubEnv('TMPDIR', disk.folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  disk.fill(leftBytes)
  const measured = await run(settings, scriptContext('.')).catch((error: unknown) => exhaustedRun(multistep, error))
  expect(measured).toMatchObject({ exhausted: expect.stringContaining('the disk for temporary files is full (ENOSPC)') })
  disk.free()
  expect(await run({ inlineScript: passing }, scriptContext('.'))).toMatchObject({ failure: null })
})

test('no request is sent to a denied address', async () => {
  const calling = `
    const { test } = require('@playwright/test')
    test('call', async ({ request }) => { await request.get('http://169.254.169.254/latest/meta-data') })`
  const configDir = await folderWith({ 'check.cjs': calling })
  const { failure, broken } = await run({ script: 'check.cjs' }, scriptContext(configDir))
  expect(failure).toContain('the address 169.254.169.254 is not allowed for checks')
  expect(broken).toBe(true)
})

test.each([
  ['is missing', {}, 'there is no script check.ts'],
  ['is not JavaScript', { 'check.ts': 'const = 1' }, /^SyntaxError: check\.ts: Unexpected token/],
  ['skips every test', { 'check.ts': 'require("@playwright/test").test.skip("it", () => {})' }, 'no test ran: every test is skipped'],
])('a script that %s fails with that reason', async (_, files, reason) => {
  const { failure, broken } = await run({ script: 'check.ts' }, scriptContext(await folderWith(files)))
  expect(failure).toMatch(reason)
  expect(broken).toBe(true)
})

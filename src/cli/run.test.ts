import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { checkTypes } from '../checks/registry.ts'
import { readSettings } from '../config.ts'
import type { Result } from '../store/store.ts'
import { CommandFailure } from './context.ts'
import { freeTarget, type LiveTarget, startTarget } from './demo/target.ts'
import { buildProgram } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-run-'))
const config = join(folder, 'tidemark.yaml')
const runTypes = checkTypes.filter(({ run }) => run !== undefined)
let live: LiveTarget

beforeAll(async () => {
  live = await startTarget(await freeTarget('a-token-of-the-demo-00000000'))
  for (const { demo } of checkTypes) for (const [path, text] of Object.entries(demo.files)) writeBeside(path, text)
  const checks = checkTypes.map(({ type, demo, pinged }) => ({
    name: demo.name,
    type,
    ...(pinged ? {} : { frequency: '10m' }),
    ...demo.settings(live.target),
  }))
  writeFileSync(config, stringify({ accounts: [{ id: 'acme', checks }] }))
})
afterAll(async () => {
  await live.close()
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  process.exitCode = undefined
})

function writeBeside(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

async function tidemark(...args: readonly string[]): Promise<{ readonly out: string; readonly exitCode: number }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const streams = { stdout, stderr } as unknown as { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }
  const context = { settings: readSettings({ TIDEMARK_CHROMIUM: process.env.TIDEMARK_CHROMIUM }), env: {}, now: Date.now, ...streams }
  await buildProgram(context).parseAsync(['run', ...args, '--config', config], { from: 'user' })
  return { out: String(stdout.read() ?? ''), exitCode: Number(process.exitCode ?? 0) }
}

describe('tidemark run', () => {
  test.for(runTypes)('runs a $label and prints what is stored of it', { timeout: 120_000 }, async (checkType, { skip }) => {
    const missing = await checkType.selfTest?.()
    if (missing) skip(missing)
    const { out, exitCode } = await tidemark(checkType.demo.name, '--json')
    const result = JSON.parse(out) as Result
    expect(result).toMatchObject({ hasFailures: false, error: null, attempts: 1, runLocation: 'default' })
    expect(exitCode).toBe(0)
    expect(result.values[checkType.duration ?? '']).toBeGreaterThan(0)
  })

  const [any] = runTypes
  test('shows the run to people, without colours where there is no terminal', async () => {
    const { out } = await tidemark(any?.demo.name ?? '')
    expect(out).toContain(`${any?.demo.name}  ${any?.label}`)
    expect(out).toContain('✓ passing')
    expect(out).toContain('█')
    expect(out).not.toContain('\x1b')
  })

  test('says which checks there are when it does not know the one asked for', async () => {
    const wrong = tidemark(`${any?.demo.name}s`)
    await expect(wrong).rejects.toThrow(CommandFailure)
    await expect(wrong).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(`Nearest: ${any?.demo.name}`) })
  })

  test('says of a check that waits for pings that it is not run', async () => {
    const waiting = checkTypes.find(({ pinged }) => pinged)
    await expect(tidemark(waiting?.demo.name ?? '')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('waits for pings'),
    })
  })
})

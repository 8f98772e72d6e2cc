// @slow ci
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { builtCommand } from '../../../test/support/built-command.ts'
import { machine, skipLacking } from '../../../test/support/needs.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { checkTypes } from '../../checks/registry.ts'
import type { Result } from '../../store/store.ts'
import { freeTarget, type LiveTarget, startTarget } from '../demo/target.ts'

const folder = temporaryFolder()
const config = join(folder, 'tidemark.yaml')
const runTypes = checkTypes.filter(({ run }) => run !== undefined)
let live: LiveTarget

beforeAll(async () => {
  live = await startTarget(await freeTarget('a-token-of-the-demo-00000000'))
  for (const { demo } of checkTypes) for (const [path, text] of Object.entries(demo.files)) writeBeside(path, text)
  const checks = checkTypes.map(({ type, demo, pingSettings }) => ({
    name: demo.name,
    type,
    ...(pingSettings ? {} : { frequency: '10m' }),
    ...demo.settings(live.target),
  }))
  writeFileSync(config, stringify({ accounts: [{ id: 'acme', checks }] }))
})
afterAll(() => live.close())

function writeBeside(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const run = (...args: readonly string[]) => builtCommand({ ...process.env, TIDEMARK_CONFIG: config }, ['run', ...args])

describe('tidemark run', () => {
  test.for(runTypes)('runs a $label and prints its result as stored', { timeout: 120_000 }, async (checkType, context) => {
    skipLacking(context, (await checkType.selfTest?.(machine)) ?? null)
    const { stdout, exitCode } = await run(checkType.demo.name, '--json')
    const result = JSON.parse(stdout) as Result
    expect(result).toMatchObject({ hasFailures: false, error: null, attempts: 1, runLocation: 'default' })
    expect(exitCode).toBe(0)
    expect(result.values[checkType.duration ?? '']).toBeGreaterThan(0)
  })

  const [any] = runTypes
  test('prints the run without colours if the output is not a terminal', async () => {
    const { stdout } = await run(any?.demo.name ?? '')
    expect(stdout).toContain(`${any?.demo.name}  ${any?.label}`)
    expect(stdout).toContain('✓ passing')
    expect(stdout).toContain('█')
    expect(stdout).not.toContain('\x1b')
  })

  test('suggests the nearest checks for an unknown one', async () => {
    const { stderr, exitCode } = await run(`${any?.demo.name}s`)
    expect(stderr).toContain(`Nearest: ${any?.demo.name}`)
    expect(exitCode).toBe(2)
  })

  test('fails for a check that receives pings', async () => {
    const waiting = checkTypes.find(({ pingSettings }) => pingSettings)
    const { stderr, exitCode } = await run(waiting?.demo.name ?? '')
    expect(stderr).toContain('waits for pings')
    expect(exitCode).toBe(2)
  })
})

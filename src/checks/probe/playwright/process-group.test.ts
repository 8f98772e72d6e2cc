// @slow
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { processesWith } from '../../../../test/support/scripts.ts'
import { type Program, runInGroup } from './process-group.ts'

const forever = 'setInterval(() => {}, 1000)'

function program(source: string, more: Partial<Program> = {}): Program {
  const { signal } = new AbortController()
  const common = { cwd: tmpdir(), environment: {}, mark: randomUUID(), timeoutMs: 20_000, signal, outputLimit: 1000 }
  return { command: process.execPath, args: ['-e', source], ...common, ...more }
}

test('a finished program has its exit code and output', async () => {
  const ended = await runInGroup(program('console.log("out"); console.error("err"); process.exitCode = 3'))
  expect(ended).toMatchObject({ how: 'exit', code: 3, truncated: false })
  expect(ended.output.split('\n').sort()).toEqual(['', 'err', 'out'])
})

test('output is truncated at its limit', async () => {
  const ended = await runInGroup(program('process.stdout.write("x".repeat(100_000))'))
  expect(ended).toMatchObject({ output: 'x'.repeat(1000), truncated: true })
})

test('at the timeout all processes of the run are killed, including those in other process groups', async () => {
  const strayed = `require('node:child_process').spawn(process.execPath, ['-e', '${forever}'], { detached: true, stdio: 'inherit' })`
  const hanging = program(`${strayed}; process.on('SIGTERM', () => {}); ${forever}`, { timeoutMs: 1500 })
  const running = runInGroup(hanging)
  await expect.poll(() => processesWith(hanging.mark).length).toBe(2)
  expect(await running).toMatchObject({ how: 'timeout' })
  await expect.poll(() => processesWith(hanging.mark)).toEqual([])
})

test('child processes that outlive a program are killed', async () => {
  const leaving = program(
    `require('node:child_process').spawn(process.execPath, ['-e', '${forever}'], { detached: true, stdio: 'ignore' }).unref()`,
  )
  expect(await runInGroup(leaving)).toMatchObject({ how: 'exit', code: 0 })
  await expect.poll(() => processesWith(leaving.mark)).toEqual([])
})

test('a cancelled run ends at once', async () => {
  const cancel = new AbortController()
  const hanging = program(forever, { signal: cancel.signal })
  const running = runInGroup(hanging)
  cancel.abort()
  expect(await running).toMatchObject({ how: 'abort' })
  await expect.poll(() => processesWith(hanging.mark)).toEqual([])
})

// @slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configuredFolder } from '../support/command.ts'

const main = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

/** The exit status of the built program if nobody reads its output. */
async function statusUnread(...args: readonly string[]): Promise<number | null> {
  const program = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  program.stdout.destroy()
  const [status] = (await once(program, 'close')) as [number | null]
  return status
}

test('a command whose output nobody reads to the end does not exit as if it had succeeded', async () => {
  const folder = configuredFolder()
  const files = ['first', 'second'].map((name) => join(folder, `${name}.ndjson`))
  for (const file of files) writeFileSync(file, '')
  const place = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data')]
  expect(await statusUnread('import', ...place, ...files)).toBe(141)
  expect(await statusUnread('completion', 'bash')).toBe(141)
})

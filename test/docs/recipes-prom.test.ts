// @slow ci
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { configuredFolder } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { serve } from '../support/server-process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
const section = /^## Prometheus\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text)?.[1] ?? ''
const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))
const missing = (await programMissing('promtool')) ?? (await programMissing('curl'))
const type = anyRunType()

test('the commands of the section on Prometheus work in order', { ...needing(missing), timeout: 120_000 }, async () => {
  const folder = configuredFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/tidemark'))
  const server = await serve(folder)
  const result = { checkId: type.path, runLocation: 'default', hasFailures: false }
  await server.post([
    { ...result, startedAt: Date.now() },
    { ...result, startedAt: '2026-10-12T10:00:00Z' },
  ])
  const [ours, theirs] = [new URL(server.url).host, `127.0.0.1:${await reservePort()}`]
  const program = `"${process.execPath}" "${join(root, 'dist/bin.cjs')}"`
  const typed = (line: string) =>
    line.replace('npx tidemark', program).replaceAll('127.0.0.1:8787', ours).replaceAll('127.0.0.1:9090', theirs)
  const run = async (line: string) => (await promisify(execFile)('sh', ['-c', typed(line)], { cwd: folder })).stdout
  const starting = lines.findIndex((line) => line.startsWith('prometheus '))
  const [createKey = '', scrape = '', ...others] = lines.slice(0, starting)
  await run(createKey)
  await expect.poll(() => run(scrape).catch(String)).toContain('tidemark_check_up')
  for (const line of others) await run(line)
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, typed(readFileSync(config, 'utf8')).replace('scrape_interval: 30s', 'scrape_interval: 1s'))
  const prometheus = spawn('sh', ['-c', `exec ${typed(lines[starting] ?? '')}`], { cwd: folder, stdio: 'ignore' })
  onTestFinished(async () => {
    prometheus.kill('SIGTERM')
    await once(prometheus, 'exit')
  })
  const [query = '', ...rest] = lines.slice(starting + 1)
  await expect.poll(() => run(query).catch(String), { timeout: 60_000 }).toContain(`"check":"${type.path}"`)
  const past = await run(`${query} --data-urlencode time=2026-10-12T10:01:00Z`)
  expect(past).toContain(`"check":"${type.path}"`)
  expect(rest).toEqual([])
})

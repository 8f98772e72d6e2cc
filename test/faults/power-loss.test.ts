// @slow ci
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writersLog } from '../support/acknowledged.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { newKey, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rounds = Math.ceil(Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 10) / 5)
const compiler = needing(await programMissing('cc'))
const onLinux = test.runIf(process.platform === 'linux')

onLinux(`everything acknowledged is on disk after power is lost, ${rounds} times`, { ...compiler, timeout: 600_000 }, async () => {
  const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
  const key = await newKey(folder)
  const log = writersLog()
  for (let round = 0; round < rounds; round++) await losePower(folder, key, log)
  const figures = await log.verify(folder)
  expect(figures.acknowledged).toBeGreaterThan(0)
  expect((await tidemark(folder, 'doctor')).stdout).toContain('No problems found')
  console.log(`power loss: ${rounds} rounds, ${figures.acknowledged} acknowledged, ${figures.kept} kept, 0 lost, 0 duplicated`)
})

onLinux('the simulation detects lost results on a disk that ignores syncs', { ...compiler, timeout: 120_000 }, async () => {
  const folder = configuredFolder()
  const key = await newKey(folder)
  const log = writersLog()
  await losePower(folder, key, log, { ONLY_SYNCED_IGNORE: '1' })
  expect(log.acknowledged.size).toBeGreaterThan(0)
  await expect(log.verify(folder)).rejects.toThrow()
})

/** Runs a server with four writers for a while, then keeps only the synced part of its data. */
async function losePower(
  folder: string,
  key: string,
  log: ReturnType<typeof writersLog>,
  more: Record<string, string> = {},
): Promise<void> {
  const data = join(realpathSync(folder), 'data')
  const disk = join(realpathSync(folder), 'disk')
  mkdirSync(data, { recursive: true })
  cpSync(data, disk, { recursive: true })
  const env = { LD_PRELOAD: buildShim(), ONLY_SYNCED_FROM: data, ONLY_SYNCED_TO: disk, ...more }
  const server = await serve(folder, { key, env })
  const before = log.acknowledged.size
  const writing = [1, 20, 200, 1000].map((size) => log.write(server, size))
  await expect.poll(() => log.acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before)
  await sleep(Math.random() * 700)
  await server.kill()
  await Promise.all(writing)
  rmSync(data, { recursive: true })
  cpSync(disk, data, { recursive: true })
  rmSync(disk, { recursive: true })
}

function buildShim(): string {
  const shim = join(temporaryFolder(), 'only-synced.so')
  const source = fileURLToPath(new URL('./only-synced.c', import.meta.url))
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl', '-lpthread'], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  return shim
}

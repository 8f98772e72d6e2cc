// @slow
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { writersLog } from '../support/acknowledged.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { newKey, serve } from '../support/server-process.ts'
import { isThorough } from '../support/tries.ts'

const long = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0)
const rounds = long || (isThorough ? 4 : 2)
/** The short form runs in parallel with other tests, which slow a start down. */
const longestStartMs = long > 0 ? 5000 : 30_000

test(
  `a server killed ${rounds} times while four writers post loses and duplicates nothing, and is soon ready again`,
  async () => {
    const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
    const key = await newKey(folder)
    const log = writersLog()
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      const server = await serve(folder, { key })
      slowest = Math.max(slowest, server.readyMs)
      const writing = [1, 20, 200, 1000].map((size) => log.write(server, size))
      const before = log.acknowledged.size
      await expect.poll(() => log.acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before)
      await sleep(Math.random() * 500)
      await server.kill()
      await Promise.all(writing)
      if (round % 50 === 49) await log.verify(folder)
    }
    const figures = await log.verify(folder)
    expect(slowest).toBeLessThan(longestStartMs)
    expect((await tidemark(folder, 'doctor')).stdout).toContain('No problems found')
    console.log(
      `kill -9: ${rounds} rounds, ${figures.acknowledged} acknowledged, ${figures.kept} kept, 0 lost, 0 duplicated, slowest start ${Math.round(slowest)} ms`,
    )
  },
  rounds * 30_000,
)

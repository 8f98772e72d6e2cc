// @slow ci
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { wirePath } from '../../src/catalogue/wire/index.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'

const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) || 3
const type = anyRunType()

/** Creates checks and changes them until the server is gone; remembers what was acknowledged. */
function writers() {
  const acknowledged = new Map<string, number>()
  const sent = new Map<string, number>()
  let serial = 0
  async function put(server: ServerProcess, id: string, step: number): Promise<void> {
    const isNew = step === 0
    sent.set(id, step)
    const url = isNew ? `${server.url}/v1/checks/${wirePath(type)}` : `${server.url}/v1/checks/${id}`
    const body = JSON.stringify({ definition: { ...exampleCheck(type), id, name: `Step ${step}`, tags: [`step-${step}`] } })
    const headers = { ...server.headers, 'content-type': 'application/json' }
    const { status } = await fetch(url, { method: isNew ? 'POST' : 'PUT', headers, body })
    if (status >= 300) throw new Error(String(status))
    acknowledged.set(id, step)
  }
  return {
    acknowledged,
    sent,
    async write(server: ServerProcess): Promise<void> {
      try {
        for (;;) {
          const id = `made-${serial++}`
          for (let step = 0; step < 3; step++) await put(server, id, step)
        }
      } catch {}
    },
  }
}

test(
  `a server killed ${rounds} times while checks are written keeps every acknowledged write, and no partial one`,
  async () => {
    const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
    const key = await newKey(folder, 'read,write')
    const log = writers()
    for (let round = 0; round < rounds; round++) {
      const server = await serve(folder, { key })
      const writing = Array.from({ length: 8 }, () => log.write(server))
      const before = log.acknowledged.size
      await expect.poll(() => log.acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before)
      await sleep(Math.random() * 500)
      await server.kill()
      await Promise.all(writing)
    }
    expect(log.acknowledged.size).toBeGreaterThan(rounds)
    const server = await serve(folder, { key })
    for (const [id, last] of log.sent) {
      const answer = await fetch(`${server.url}/v1/checks/${id}`, { headers: server.headers })
      const least = log.acknowledged.get(id)
      if (answer.status === 404) expect(least).toBeUndefined()
      else {
        const { name, tags } = (await answer.json()) as { readonly name: string; readonly tags: readonly string[] }
        const step = Number(name.slice('Step '.length))
        expect(tags).toEqual([`step-${step}`])
        expect(step).toBeGreaterThanOrEqual(least ?? 0)
        expect(step).toBeLessThanOrEqual(last)
      }
    }
    await server.kill()
    expect((await tidemark(folder, 'doctor')).stdout).toContain('No problems found')
  },
  rounds * 30_000 + 60_000,
)

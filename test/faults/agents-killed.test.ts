// @slow ci
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { agentProcesses, recordedIn } from '../support/agent-processes.ts'
import { needing, programMissing } from '../support/needs.ts'
import type { Started } from '../support/program.ts'

const generous = { timeout: 120_000, interval: 250 }
const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) > 0 ? 200 : 3

test(
  `agents and server killed ${rounds} times in turn lose and duplicate no result of an outbox`,
  async () => {
    const world = await agentProcesses(30)
    const names = ['first', 'second'] as const
    const seen = new Set<string>()
    const watch = () => {
      for (const name of names) for (const id of world.outboxed(name)) seen.add(id)
    }
    let server = await world.serve()
    const agents = new Map<string, Started>()
    for (const name of names) agents.set(name, await world.agent(name))
    const watching = setInterval(watch, 200)
    await expect.poll(() => [...agents.values()].map((agent) => recordedIn(agent).length), generous).not.toContain(0)
    for (let round = 0; round < rounds; round++) {
      await sleep(Math.random() * 2000)
      const victim = ['server', ...names][round % 3] as string
      if (victim === 'server') {
        await server.kill()
        watch()
        await sleep(Math.random() * 1500)
        server = await world.serve()
      } else {
        await agents.get(victim)?.kill()
        watch()
        agents.set(victim, await world.agent(victim))
      }
    }
    clearInterval(watching)
    for (const agent of agents.values()) await agent.stop()
    await server.stop()
    const waiting = names.flatMap((name) => world.outboxed(name))
    const stored = await world.stored()
    expect(new Set(stored).size).toBe(stored.length)
    expect([...seen].filter((id) => !stored.includes(id) && !waiting.includes(id))).toEqual([])
    expect(stored.length).toBeGreaterThan(0)
    console.log(`agents: ${rounds} kills, ${seen.size} results seen in an outbox, ${stored.length} stored, 0 lost, 0 duplicated`)
  },
  120_000 + rounds * 30_000,
)

/** Limits files to 250 kB; writing beyond that fails, as on a full disk. */
const limited = ['sh', '-c', 'trap "" XFSZ; exec prlimit --fsize=250000:unlimited "$@"', 'sh']
const options = { ...needing(await programMissing('prlimit')), timeout: 300_000 }

test('while the disk of the outbox is full results wait in memory, and none is lost once there is space', options, async () => {
  const world = await agentProcesses(30)
  const server = await world.serve()
  const agent = await world.agent('first', { wrapper: limited })
  await expect.poll(() => recordedIn(agent).length, generous).toBeGreaterThan(0)
  await server.kill()
  await expect.poll(() => agent.logged(), generous).toContain('The store is unavailable. Results wait in memory.')
  const before = recordedIn(agent).length
  await expect.poll(() => recordedIn(agent).length, generous).toBeGreaterThan(before + 10)
  spawnSync('prlimit', ['--pid', String(agent.pid), '--fsize=unlimited'])
  const again = await world.serve()
  await expect.poll(() => agent.logged(), generous).toContain('The store is available again.')
  await expect.poll(() => world.outboxed('first').length, generous).toBe(0)
  await agent.stop()
  await again.stop()
  const stored = await world.stored()
  expect(new Set(stored).size).toBe(stored.length)
  expect(recordedIn(agent).filter((id) => !stored.includes(id))).toEqual([])
})

// @slow
import { expect, test } from 'vitest'
import type { RunClock } from '../../src/runner/clock.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { scheduleOf, slotAfter } from '../../src/runner/schedule.ts'
import { slotId } from '../../src/store/slot-id.ts'
import { agentServer, newAgent, type TestAgent } from '../support/agent-world.ts'
import { account } from '../support/catalogue.ts'
import { checkOf, checkTypeOf, passed } from '../support/checks.ts'
import { flakyProxy } from '../support/flaky-proxy.ts'
import { scaledClock } from '../support/scaled-clock.ts'

const generous = { timeout: 120_000, interval: 250 }
const checkType = checkTypeOf(async () => passed)
const checkTypes = [checkType]

function checksAt(locations: readonly string[], count: number, clock: RunClock = systemClock) {
  const common = { locations, agentLocations: locations, runParallel: true, createdAt: clock.now() - 60_000 }
  return Array.from({ length: count }, (_, i) => checkOf(`check-${i}`, checkType, common))
}

const keyOf = (location: string) => `tdm_agent_${location}_x`

/** The ids of the results that an agent has recorded. */
function recordedBy(agents: readonly TestAgent[]): readonly string[] {
  const entries = agents.flatMap(({ log }) => log.entries)
  return entries.flatMap(({ fields }) => ('resultId' in fields ? [String(fields.resultId)] : []))
}

const isLong = process.env.TIDEMARK_AGENT_SOAK === 'long'
const measuredMs = isLong ? 120_000 : 5000

test(
  'two agents at each of three locations run every slot of 60 checks once',
  async () => {
    const clock = isLong ? systemClock : scaledClock(4)
    const locations = ['eu', 'us', 'ap']
    const checks = checksAt(locations, 60, clock)
    const server = await agentServer({ checks, clock, silentAfterMs: 240_000 })
    for (const location of locations) server.keys.set(keyOf(location), [`agent:${location}`])
    const agents: TestAgent[] = []
    for (const location of [...locations, ...locations])
      agents.push(await newAgent(server, { key: keyOf(location), location, checkTypes, clock }))
    const from = clock.now() + 2000
    await new Promise((resolve) => setTimeout(resolve, measuredMs))
    const to = clock.now() - 6000
    await Promise.all(agents.map((agent) => agent.close()))

    const missed = agents
      .flatMap(({ log }) => log.entries)
      .reduce((sum, { fields }) => sum + ('slots' in fields ? Number(fields.slots) : 0), 0)
    let lacking = 0
    for (const check of checks) {
      const ids = (await server.results(check.id)).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (let slot = slotAfter(scheduleOf(check), from); slot.at < to; slot = slotAfter(scheduleOf(check), slot.at))
        for (const location of locations) lacking += ids.includes(slotId({ account, checkId: check.id }, location, slot.at)) ? 0 : 1
    }
    expect(lacking).toBeLessThanOrEqual(missed)
    const stored = (await Promise.all(checks.map(({ id }) => server.results(id)))).flat().length
    console.log(`agents: ${stored} results of 6 agents stored once, ${missed} slots missed by this machine`)
  },
  measuredMs + 120_000,
)

test('after ten minutes without a server, everything is delivered in order', { timeout: 240_000 }, async () => {
  const clock = scaledClock(60)
  const checks = checksAt(['eu'], 20, clock)
  const server = await agentServer({ checks, clock })
  server.keys.set(keyOf('eu'), ['agent:eu'])
  const arrived: string[] = []
  server.store.onAppended('acme', (added) => arrived.push(...added.map(({ result }) => result.id ?? '')))
  const agent = await newAgent(server, { key: keyOf('eu'), checkTypes, clock })
  await expect.poll(() => arrived.length, generous).toBeGreaterThan(0)
  await server.stop()
  const gone = clock.now()
  await expect.poll(() => clock.now() - gone, generous).toBeGreaterThan(600_000)
  const before = arrived.length
  // The server may have stored a batch whose response was lost.
  const waiting = (await allWaiting(agent)).filter((id) => !arrived.includes(id))
  expect(waiting.length).toBeGreaterThan(100)
  await server.start()
  await expect.poll(() => waiting.every((id) => arrived.includes(id)), generous).toBe(true)
  expect(arrived.slice(before).filter((id) => waiting.includes(id))).toEqual(waiting)
  expect(new Set(arrived).size).toBe(arrived.length)
})

async function allWaiting({ outbox }: TestAgent): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after = 0; ; ) {
    const batch = await outbox.next(after)
    const last = batch.at(-1)
    if (last === undefined) return ids
    ids.push(...batch.map(({ row }) => JSON.parse(row).id))
    after = last.position
  }
}

test('behind a proxy that delays, cuts and truncates, every result is stored once', { timeout: 240_000 }, async () => {
  const clock = scaledClock(4)
  const checks = checksAt(['eu'], 20, clock)
  const server = await agentServer({ checks, clock, silentAfterMs: 600_000 })
  server.keys.set(keyOf('eu'), ['agent:eu'])
  const proxy = await flakyProxy(server.url, Math.random)
  const agent = await newAgent(server, { key: keyOf('eu'), checkTypes, clock, url: proxy.url, waitSeconds: 1 })
  await expect.poll(() => proxy.cuts() >= 12 && recordedBy([agent]).length >= 40, generous).toBe(true)
  proxy.heal()
  await agent.close()
  const again = await newAgent(server, { key: keyOf('eu'), checkTypes, clock, directory: agent.directory })
  await expect.poll(() => again.outbox.counts().waiting, generous).toBe(0)
  const stored = (await Promise.all(checks.map(({ id }) => server.results(id)))).flat().map(({ id }) => id)
  expect(new Set(stored).size).toBe(stored.length)
  expect(recordedBy([agent]).filter((id) => !stored.includes(id))).toEqual([])
})

// @slow
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RunClock, systemClock } from '../../src/runner/clock.ts'
import { agentServer, newAgent } from '../support/agent-world.ts'
import { checkOf, checkTypeOf, passed } from '../support/checks.ts'
import { scaledClock } from '../support/scaled-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const generous = { timeout: 60_000, interval: 100 }
const key = 'tdm_agent001_x'
const checkType = checkTypeOf(async () => passed)
const checkTypes = [checkType]
const checks = ['one', 'two', 'three'].map((id) =>
  checkOf(id, checkType, { locations: ['eu'], agentLocations: ['eu'], createdAt: Date.now() }),
)

async function world(clock: RunClock = systemClock, refused: ReadonlySet<string> = new Set()) {
  const server = await agentServer({ checks: checks.map((check) => ({ ...check, createdAt: clock.now() })), clock, refused })
  server.keys.set(key, ['agent:eu'])
  return server
}

test('an agent runs the checks of its location, and each result is stored once, with an id derived from its slot', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  const agent = await newAgent(server, { key, checkTypes, clock, name: 'probe-1' })
  for (const { id } of checks) await expect.poll(() => server.results(id), generous).not.toHaveLength(0)
  const [result] = await server.results('one')
  expect(result).toMatchObject({ runLocation: 'eu', hasFailures: false, values: { took: 12.5 } })
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBe(0)
  expect(await server.get('/v1/locations')).toMatchObject([
    { location: 'eu', agents: [{ instance: agent.instance, name: 'probe-1', state: 'live', checks: 3 }] },
  ])
})

test('a change of the config reaches an agent at once', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  const agent = await newAgent(server, { key, checkTypes, clock, waitSeconds: 30 })
  server.checks.push({ ...checks[0], id: 'added', createdAt: clock.now() } as (typeof checks)[0])
  server.change()
  await expect.poll(async () => (await server.get('/v1/locations')) as object, generous).toMatchObject([{ agents: [{ checks: 4 }] }])
  await expect.poll(() => server.results('added'), generous).not.toHaveLength(0)
  await agent.close()
})

const idle = 'The agent has no checks: none has its location, or other agents run them.'
const full = 'Could not store the configuration on disk.'

test('an agent that cannot store a changed configuration logs it, and follows it nevertheless', async () => {
  const server = await world()
  const agent = await newAgent(server, { key, checkTypes, waitSeconds: 30 })
  agent.outbox.write = () => Promise.reject(new Error('the disk is full'))
  const [first] = server.checks.splice(0)
  server.change()
  await expect.poll(() => agent.log.messages, generous).toContain(full)
  server.checks.push(...(first ? [first] : []))
  server.change()
  await expect.poll(() => server.get('/v1/locations'), generous).toMatchObject([{ agents: [{ checks: 1 }] }])
  expect(agent.log.messages).toContain(idle)
})

test('an agent without checks logs it', async () => {
  const server = await agentServer({})
  server.keys.set(key, ['agent:eu'])
  const agent = await newAgent(server, { key, checkTypes })
  expect(agent.log.messages).toContain(idle)
})

test('an agent that starts without its server, and knows no checks yet, logs it', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  await server.stop()
  const agent = await newAgent(server, { key, checkTypes, clock })
  expect(agent.log.messages[0]).toBe('The server is unreachable. The agent has no checks yet: it starts once the server is reachable.')
  await server.start()
  await expect.poll(() => server.results('one'), generous).not.toHaveLength(0)
})

test('an agent whose clock is wrong stamps its results in server time, and reports the offset', async () => {
  const hourMs = 3_600_000
  const server = await world()
  await newAgent(server, { key, checkTypes, clock: { ...systemClock, now: () => Date.now() - hourMs } })
  await expect.poll(() => server.results('one'), generous).not.toHaveLength(0)
  for (const { startedAt } of await server.results('one')) expect(Math.abs(Date.now() - startedAt)).toBeLessThan(hourMs / 4)
  const [location] = (await server.get('/v1/locations')) as [{ agents: [{ clockOffsetMs: number }] }]
  expect(location).toMatchObject({ agents: [{ stampsServerTime: true }] })
  expect(Math.abs(location.agents[0].clockOffsetMs - hourMs)).toBeLessThan(hourMs / 4)
})

test('while the server is unreachable an agent keeps running checks, and later delivers all results in order', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  const agent = await newAgent(server, { key, checkTypes, clock })
  await expect.poll(() => server.results('one'), generous).not.toHaveLength(0)
  await server.stop()
  const before = agent.outbox.counts().waiting
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBeGreaterThan(before + 2)
  const message = 'Cannot fetch checks from the server. The agent continues with the known ones.'
  await expect.poll(() => agent.log.messages, generous).toContain(message)
  await server.start()
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBe(0)
  await expect.poll(() => agent.log.messages, generous).toContain('The server is reachable again.')
})

test('while the server rejects the results of one check, an agent delivers those of the others, and keeps these', async () => {
  const clock = scaledClock(20)
  const refused = new Set(['two'])
  const server = await world(clock, refused)
  const agent = await newAgent(server, { key, checkTypes, clock })
  for (const id of ['one', 'three']) await expect.poll(async () => (await server.results(id)).length, generous).toBeGreaterThan(2)
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBeGreaterThan(2)
  expect(await server.results('two')).toEqual([])
  const rows = (await agent.outbox.next(0)).map(({ row }) => JSON.parse(row) as { checkId: string })
  expect(rows[0]?.checkId).toBe('two')
  refused.clear()
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBe(0)
  expect((await server.results('two')).length).toBeGreaterThan(2)
  expect(agent.log.messages).toContain('Delivery of results resumed for all checks.')
})

test('an agent that starts without its server runs its last known checks, except those with secrets, which are never on its disk', async () => {
  const secret = 'sesame-open-123'
  const hidden = checkOf('hidden', checkType, { locations: ['eu'], agentLocations: ['eu'], secrets: [secret], settings: { name: secret } })
  const clock = scaledClock(4)
  const server = await world(clock)
  server.checks.push(hidden)
  server.change()
  const first = await newAgent(server, { key, checkTypes, clock })
  const { directory } = first
  await expect.poll(() => server.results('hidden'), generous).not.toHaveLength(0)
  await server.stop()
  await first.close()
  const files = readdirSync(directory).filter((name) => name !== 'key')
  expect(files.some((name) => readFileSync(join(directory, name)).includes(secret))).toBe(false)

  const second = await newAgent(server, { key, checkTypes, clock, directory })
  expect(second.instance).toBe(first.instance)
  await expect.poll(() => second.outbox.counts().waiting, generous).toBeGreaterThan(2)
  expect(second.log.entries).toContainEqual(
    expect.objectContaining({
      fields: { checks: ['hidden'] },
      message: 'These checks cannot run until the server is reachable: they need secrets or scripts, which are not stored on disk.',
    }),
  )
  const before = (await server.results('hidden')).length
  await server.start()
  await expect.poll(async () => (await server.results('hidden')).length, generous).toBeGreaterThan(before)
})

test('when the outbox is full, the oldest results are dropped, counted and reported', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  const agent = await newAgent(server, { key, checkTypes, clock, limits: { maxBytes: 600, maxAgeMs: 86_400_000 } })
  await server.stop()
  await expect.poll(() => agent.outbox.counts().dropped, generous).toBeGreaterThan(0)
  await server.start()
  await expect
    .poll(
      async () => ((await server.get('/v1/locations')) as { agents: { agentDropped: number }[] }[])[0]?.agents[0]?.agentDropped,
      generous,
    )
    .toBeGreaterThan(0)
})

test('two agents with one key share the checks; when one stops, the other takes them over without a missed slot', async () => {
  const server = await world()
  const first = await newAgent(server, { key, checkTypes })
  const second = await newAgent(server, { key, checkTypes })
  const shares = async () => ((await server.get('/v1/locations')) as { agents: { checks: number }[] }[])[0]?.agents.map((one) => one.checks)
  await expect.poll(async () => (await shares())?.reduce((sum, one) => sum + one, 0), generous).toBe(3)
  await second.close()
  await expect.poll(shares, generous).toEqual([3, 0])
  const counted = async () => (await Promise.all(checks.map(({ id }) => server.results(id)))).map(({ length }) => length)
  const before = await counted()
  await expect.poll(async () => (await counted()).every((count, i) => count > (before[i] ?? 0)), generous).toBe(true)
  for (const { id } of checks) {
    const slots = (await server.results(id)).map((result) => Number.parseInt(result.id.replace('-', '').slice(0, 12), 16)).toSorted()
    expect(new Set(slots).size).toBe(slots.length)
    for (const [i, slot] of slots.slice(1).entries()) expect(slot - (slots[i] ?? 0)).toBe(10_000)
  }
  await first.close()
})

test.each([
  ['an unknown key', 'tdm_unknown1_x', 'eu', 'This API key is not known'],
  ['a key of another location', key, 'us', 'This API key is for agents at eu, not at us'],
  ['a key without the scope of agents', 'tdm_reader00_x', 'eu', 'does not have the scope agent:LOCATION'],
])('%s is rejected at startup with the message of the server', async (_, text, location, words) => {
  const server = await world()
  await expect(newAgent(server, { key: text, location, checkTypes })).rejects.toThrow(words)
})

test('after its key is revoked an agent keeps its results, and delivers them once it has a new key', async () => {
  const clock = scaledClock(4)
  const server = await world(clock)
  const agent = await newAgent(server, { key, checkTypes, clock, directory: temporaryFolder() })
  await expect.poll(() => server.results('one'), generous).not.toHaveLength(0)
  server.keys.delete(key)
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBeGreaterThan(0)
  const logged = () => agent.log.entries.map(({ fields }) => JSON.stringify(fields)).join()
  await expect.poll(logged, generous).toContain('This API key is not known')
  server.keys.set(key, ['agent:eu'])
  await expect.poll(() => agent.outbox.counts().waiting, generous).toBe(0)
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { type AgentServer, agentServer, newAgent } from '../support/agent-world.ts'
import { account, testCheck } from '../support/catalogue.ts'

const agentKey = 'tdm_agents00_eu'
const otherKey = 'tdm_agents00_us'
const writer = 'tdm_writer00_x'
const website = checkTypes.find(({ fromAddress }) => fromAddress?.(new URL('http://127.0.0.1/')))
if (!website) throw new Error('no type is for websites')

let site: Server
let url: string
beforeAll(async () => {
  site = createServer((request, response) => request.url !== '/hangs' && response.end('hello from here'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
})
afterAll(() => {
  site?.closeAllConnections()
  site?.close()
})

async function openServer(): Promise<AgentServer> {
  const check = testCheck(website as NonNullable<typeof website>, {
    id: 'there',
    locations: ['eu'],
    agentLocations: ['eu'],
    activated: false,
  })
  const server = await agentServer({ checks: [check] })
  server.keys.set(agentKey, ['agent:eu']).set(otherKey, ['agent:us']).set(writer, ['read', 'write'])
  return server
}

const entry = (more: object = {}) => ({ name: 'Shop', type: website.type, frequency: '1m', request: { url }, ...more })

async function tryAt(server: AgentServer, location: string, definition: object) {
  const response = await fetch(`${server.url()}/v1/checks/try?form=file&location=${location}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${writer}`, 'x-service-account': account, 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const isLive = async (server: AgentServer) => JSON.stringify(await server.get('/v1/locations')).includes('"state":"live"')

test('a definition is run by an agent of the location, and not stored', async () => {
  const server = await openServer()
  const agent = await newAgent(server, { key: agentKey })
  await expect.poll(() => isLive(server)).toBe(true)
  const { status, body } = await tryAt(server, 'eu', entry({ id: 'tried', retry: { strategy: 'fixed', maxRetries: 5 } }))
  expect([status, body]).toMatchObject([
    200,
    { hasFailures: false, runLocation: 'eu', attempts: 1, evidence: { attempts: [{ response: { body: 'hello from here' } }] } },
  ])
  expect(agent.outbox.counts().waiting).toBe(0)
  expect(await server.results('tried')).toEqual([])
  const again = await tryAt(
    server,
    'eu',
    entry({ request: { url, assertions: [{ source: 'statusCode', comparison: 'equals', target: 204 }] } }),
  )
  expect(again.body).toMatchObject({ hasFailures: true, error: 'status 200, expected 204' })
})

test('a location without an agent, or with agents that are too old, is rejected with a specific message', async () => {
  const server = await openServer()
  expect((await tryAt(server, 'eu', entry())).body).toMatchObject({ statusCode: 409, code: 'NO_AGENT' })
  const query = 'protocol=1&location=eu&instance=old&session=s&version=0.1.0'
  await fetch(`${server.url()}/v1/agents/checks?${query}`, { headers: { authorization: `Bearer ${agentKey}` } })
  const { body } = await tryAt(server, 'eu', entry())
  expect(body).toMatchObject({ statusCode: 409, code: 'AGENT_TOO_OLD', message: expect.stringContaining('0.1.0') })
})

test('a trial ends at once when its agent stops', async () => {
  const server = await openServer()
  const agent = await newAgent(server, { key: agentKey })
  await expect.poll(() => isLive(server)).toBe(true)
  const isCalled = new Promise((resolve) => site.once('request', resolve))
  const tried = tryAt(server, 'eu', entry({ request: { url: `${url}hangs` } }))
  await isCalled
  await agent.close()
  expect((await tried).body).toMatchObject({ statusCode: 504, code: 'AGENT_SILENT' })
})

test('an agent that does not support the check type reports that', async () => {
  const server = await openServer()
  await newAgent(server, { key: agentKey, checkTypes: [] })
  await expect.poll(() => isLive(server)).toBe(true)
  const { body } = await tryAt(server, 'eu', entry())
  expect(body).toMatchObject({ code: 'AGENT_CANNOT', message: expect.stringContaining('does not support its settings') })
})

test('an outcome is accepted only from the requested location, and only as a result', async () => {
  const server = await openServer()
  const query = 'protocol=1&location=eu&instance=a&session=s&version=1&takesTrials=true'
  const poll = () =>
    fetch(`${server.url()}/v1/agents/checks?${query}`, { headers: { authorization: `Bearer ${agentKey}` } }).then((answer) => answer.json())
  await poll()
  const tried = tryAt(server, 'eu', entry())
  const idOf = async () => ((await poll()) as { trials?: { id: string }[] }).trials?.[0]?.id
  await expect.poll(idOf).toEqual(expect.any(String))
  const id = await idOf()
  const answer = async (key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(`${server.url()}/v1/agents/trials/${id}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  expect(await answer(otherKey, { problem: 'mine' })).toBe(404)
  expect(await answer(agentKey, { result: { checkId: 'other' } })).toBe(400)
  expect(await answer(agentKey, {})).toBe(400)
  expect(await answer(agentKey, { problem: 'the disk is full' })).toBe(204)
  expect((await tried).body).toMatchObject({ code: 'AGENT_CANNOT', message: expect.stringContaining('the disk is full') })
  expect(await answer(agentKey, { problem: 'late' })).toBe(404)
  expect((await poll()) as object).not.toHaveProperty('trials')
})

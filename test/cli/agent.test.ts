// @slow
import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { type AgentServer, agentServer } from '../support/agent-world.ts'
import { checkOf } from '../support/checks.ts'
import { command } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const generous = { timeout: 60_000, interval: 100 }
const key = 'tdm_agent001_x'
const type = anyRunType(1)

/** A server with one check at `eu`, and the arguments of an agent for it. */
async function world() {
  const target = `http://127.0.0.1:${await httpServer((_, response) => response.end('ok'))}`
  const {
    name: _,
    type: __,
    tags: ___,
    frequency: ____,
    ...settings
  } = JSON.parse(JSON.stringify(exampleCheck(type)).replaceAll('http://127.0.0.1:8790', target))
  const server = await agentServer({
    checks: [checkOf('shop', type, { name: 'Shop', locations: ['eu'], agentLocations: ['eu'], settings })],
  })
  server.keys.set(key, ['agent:eu'])
  const folder = temporaryFolder()
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${key}\n`)
  const agent = (...more: readonly string[]) => [
    ...['agent', '--server', server.url(), '--key-file', keyFile, '--location', 'eu'],
    ...['--data', join(folder, 'data'), ...more],
  ]
  const run = (...more: readonly string[]) => command({ PATH: process.env.PATH ?? '' }, agent(...more))
  return { server, folder, keyFile, agent, run }
}

type Listed = { readonly agents: readonly { readonly name: string | null; readonly instance: string }[] }

async function agentsOf(server: AgentServer): Promise<Listed['agents']> {
  const [location] = (await server.get('/v1/locations')) as readonly Listed[]
  return location?.agents ?? []
}

test('an agent is listed under its host name or --name, and tests its requirements at startup', async () => {
  const { server, agent } = await world()
  const ready = /Tidemark agent (\S+) runs at eu\n/
  const first = await startProgram(agent(), {}, ready)
  expect(await agentsOf(server)).toMatchObject([{ instance: first.url, name: hostname() }])
  const programs = checkTypes.filter(({ selfTest }) => selfTest).map(({ label }) => label)
  for (const subject of [...programs, 'name resolution', 'server', 'clock'])
    await expect.poll(() => first.logged(), generous).toMatch(new RegExp(`"subject":"${subject}".*"msg":"Self-test: `))
  expect((await first.stop()).status).toBe(0)
  const second = await startProgram(agent('--name', 'Probe 1'), {}, ready)
  expect(await agentsOf(server)).toMatchObject([{ instance: first.url, name: 'Probe 1' }])
  await second.stop()
})

test('agent --once prints a run like tidemark run, and stores nothing', async () => {
  const { server, folder, run } = await world()
  const { stdout, stderr, exitCode } = await run('--once', 'Shop')
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toContain('at eu\n✓ passing')
  expect(stdout).toContain('"runLocation": "eu"')
  expect(await server.results('shop')).toEqual([])
  expect(await agentsOf(server)).toEqual([])
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test('agent --once for a check that does not run at the location suggests the nearest', async () => {
  const { run } = await world()
  const { stderr, exitCode } = await run('--once', 'shoop')
  expect({ stderr, exitCode }).toEqual({ stderr: 'No check shoop in location eu. Nearest: Shop, shop.\n', exitCode: 2 })
})

test('an agent that the server rejects exits with status 2 and the message of the server', async () => {
  const { server, agent } = await world()
  server.keys.set(key, ['agent:us'])
  const refused = { status: 2, stdout: '', stderr: 'The server returned 403: This API key is for agents at us, not at eu.\n' }
  expect(await runProgram(agent())).toEqual(refused)
})

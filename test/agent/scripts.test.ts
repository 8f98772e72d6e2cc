// @slow ci
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { CheckType } from '../../src/checks/define.ts'
import { Type } from '../../src/schema/typebox.ts'
import { decodeEvidence } from '../../src/store/evidence.ts'
import { agentServer, newAgent } from '../support/agent-world.ts'
import { account } from '../support/catalogue.ts'
import { checkOf, checkTypeOf, failed, passed } from '../support/checks.ts'
import { command } from '../support/command.ts'
import { exampleCheck, runTypes } from '../support/example-config.ts'
import { scaledClock } from '../support/scaled-clock.ts'
import { folderWith, serving } from '../support/scripts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 240_000 })
const generous = { timeout: 120_000, interval: 100 }
const key = 'tdm_agent001_x'
/** Checks are due every 10 s of this clock. */
const clock = scaledClock(10)

/** The folders in which scripts ran. */
const usedFolders = new Set<string>()

/** A type whose runs fail with the first line of their script and the mode of its folder. */
const checkType: CheckType = {
  ...checkTypeOf(async ({ configDir }, { name = '' }) => {
    const file = resolve(configDir, name)
    usedFolders.add(configDir)
    const { mode } = await stat(configDir)
    const [line] = (await readFile(file, 'utf8')).split('\n')
    return { ...failed, failure: `${line} ${(mode & 0o777).toString(8)}` }
  }),
  settings: Type.Object({ name: Type.String() }),
  files: (settings) => [{ setting: 'name', path: String((settings as { name: string }).name), kind: 'file' }],
}

async function world(files: Readonly<Record<string, string>>) {
  const folder = await folderWith(files)
  const check = checkOf('scripted', checkType, { locations: ['eu'], agentLocations: ['eu'], settings: { name: 'checks/a.txt' } })
  const checks = [{ ...check, createdAt: clock.now() }]
  const server = await agentServer({ checks, clock, silentAfterMs: 600_000, configFile: join(folder, 'tidemark.yaml') })
  server.keys.set(key, ['agent:eu'])
  const errors = async () => (await server.results('scripted')).map(({ error }) => error)
  return { folder, server, errors }
}

test('the scripts of a check are sent to its agent, and sent again when they change', async () => {
  const { folder, server, errors } = await world({ 'checks/a.txt': 'first' })
  await newAgent(server, { key, clock, checkTypes: [checkType] })
  await expect.poll(errors, generous).toContain('first 700')
  writeFileSync(join(folder, 'checks/a.txt'), 'second')
  await expect.poll(errors, generous).toContain('second 700')
  await expect.poll(() => [...usedFolders].filter(existsSync), generous).toEqual([])
})

test('a check whose scripts cannot be sent fails with the reason', async () => {
  const { folder, server, errors } = await world({ 'checks/a.txt': 'first' })
  rmSync(join(folder, 'checks/a.txt'))
  await newAgent(server, { key, clock, checkTypes: [checkType] })
  await expect.poll(errors, generous).toContain('the files of this check are not sent to agents: they cannot be read (ENOENT)')
})

test('an agent with its own scripts folder uses that', async () => {
  const { server, errors } = await world({ 'checks/a.txt': 'first' })
  const ownFolder = await folderWith({ 'checks/a.txt': 'own' })
  await newAgent(server, { key, clock, checkTypes: [checkType], ownScripts: ownFolder })
  await expect.poll(async () => (await errors())[0], generous).toMatch(/^own /)
})

test('an agent that starts without its server skips checks that need scripts, and no scripts are on its disk', async () => {
  const { server, errors } = await world({ 'checks/a.txt': 'first\nsesame-open-123' })
  const first = await newAgent(server, { key, clock, checkTypes: [checkType] })
  await expect.poll(errors, generous).not.toHaveLength(0)
  await server.stop()
  await first.close()
  const files = readdirSync(first.directory).map((name) => readFileSync(join(first.directory, name)))
  expect(files.filter((bytes) => bytes.includes('sesame-open-123'))).toEqual([])
  const second = await newAgent(server, { key, clock, checkTypes: [checkType], directory: first.directory })
  expect(second.log.messages.join()).toContain('These checks cannot run until the server is reachable')
})

test('the evidence of a failing run is delivered with its result', async () => {
  const shown = { ...failed, notes: ['it was closed'], screenshot: new Uint8Array([0xff, 0xd8, 7]) }
  const failing = checkTypeOf(async () => shown)
  const passing = { ...checkTypeOf(async () => ({ ...passed, notes: ['hello'] })), type: 'PASSING' }
  const common = { locations: ['eu'], agentLocations: ['eu'], createdAt: Date.now() }
  const checks = [checkOf('failing', failing, common), checkOf('passing', passing, common)]
  const server = await agentServer({ checks })
  server.keys.set(key, ['agent:eu'])
  await newAgent(server, { key, clock, checkTypes: [failing, passing] })
  for (const { id } of checks) await expect.poll(() => server.results(id), generous).not.toHaveLength(0)
  const stored = async (checkId: string) => {
    const [result] = await server.results(checkId)
    return (await server.store.result({ check: { account, checkId }, id: result?.id ?? '', startedAt: null }))?.evidence
  }
  expect(decodeEvidence((await stored('failing')) ?? new Uint8Array())).toMatchObject({
    attempts: [{ error: 'status 503, expected 200', messages: ['it was closed'] }],
    screenshot: new Uint8Array([0xff, 0xd8, 7]),
  })
  expect(await stored('passing')).toBeNull()
})

const scripted = runTypes.filter(({ files, selfTest }) => files && !selfTest)

test.each(scripted)('agent --once runs a check of type $type with its scripts', async (type) => {
  const folder = await folderWith(type.demo.files)
  const shop = await serving((request, response) => response.writeHead(request.method === 'POST' ? 201 : 200).end('{"id": 7}'))
  const example = JSON.stringify(exampleCheck(type)).replaceAll('http://127.0.0.1:8790', shop)
  const { name: _, type: __, tags: ___, frequency: ____, ...settings } = JSON.parse(example)
  const check = checkOf('scripted', type, { locations: ['eu'], agentLocations: ['eu'], settings })
  const server = await agentServer({ checks: [check], configFile: join(folder, 'tidemark.yaml') })
  server.keys.set(key, ['agent:eu'])
  const keyFile = join(temporaryFolder(), 'key')
  writeFileSync(keyFile, key)
  const args = ['agent', '--server', server.url(), '--key-file', keyFile, '--location', 'eu', '--once', 'scripted', '--json']
  const { stdout, stderr, exitCode } = await command({ PATH: process.env.PATH ?? '' }, args)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({ runLocation: 'eu', hasFailures: false, error: null })
  expect(exitCode).toBe(0)
})

// @slow
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layoutVersion } from '../../src/store/embedded/disk/layout.ts'
import { anyRunType, exampleCheck, pingedTypes } from '../support/example-config.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function serveFolder(text: string) {
  const folder = temporaryFolder()
  const config = join(folder, 'tidemark.yaml')
  const data = join(folder, 'data')
  await writeFile(config, text)
  const args = ['serve', '--config', config, '--data', data, '--port', '0', '--no-runner']
  return { config, data, args }
}

const empty = 'accounts:\n  - id: acme\n'
const createKey = async (config: string) =>
  (await runProgram(['key', 'create', '--config', config, '--account', 'acme', '--name', 'test'])).stdout.trimEnd()

test('a server that receives SIGTERM during startup exits with status 0', async () => {
  const { args, data } = await serveFolder(empty)
  const onceItHoldsItsFolder = '"$@" & program=$!; while [ ! -e "$0" ]; do sleep 0.01; done; kill -TERM $program; wait $program'
  const { status, stderr } = await runProgram(args, {
    wrapper: ['sh', '-c', onceItHoldsItsFolder, join(data, 'lock')],
    env: { TIDEMARK_LOG: 'warn' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('a server prints one line to stdout, responds, and exits with status 0 on a signal', async () => {
  const { args } = await serveFolder(empty)
  const server = await startProgram(args)
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
  const { status, stdout, stderr } = await server.stop()
  expect({ status, stdout }).toEqual({ status: 0, stdout: `Tidemark listening on ${server.url}\n` })
  const [started = ''] = stderr.split('\n')
  expect(JSON.parse(started)).toMatchObject({ msg: 'Tidemark has started.', version: expect.any(String), checks: 0, address: server.url })
})

test('a server that migrates its data folder says from which layout to which, and how long it took', async () => {
  const { args, data } = await serveFolder(empty)
  mkdirSync(data, { mode: 0o700 })
  cpSync(new URL('../fixtures/data-folder-layout-6/tidemark.db', import.meta.url), join(data, 'tidemark.db'))
  for (const lines of [1, 0]) {
    const { stderr } = await (await startProgram(args)).stop()
    const said = stderr.split('\n').filter((line) => line.includes('was migrated'))
    expect(said.map((line) => JSON.parse(line))).toEqual(
      Array.from({ length: lines }, () => expect.objectContaining({ from: 6, to: layoutVersion, ms: expect.any(Number) })),
    )
  }
})

test('a missed ping is recorded by a server that runs no checks', async () => {
  const [pinged] = pingedTypes
  if (!pinged?.pingSettings) throw new Error('no type waits for pings')
  const job = { ...exampleCheck(pinged), id: 'job' }
  const { periodMs, graceMs } = pinged.pingSettings(job as never)
  const { args, config } = await serveFolder(JSON.stringify({ accounts: [{ id: 'acme', checks: [job] }] }))
  const made = await runProgram(['key', 'create', '--config', config, '--account', 'acme', '--name', 'x', '--scopes', 'read,ingest'])
  const { url } = await startProgram(args)
  const headers = { authorization: `Bearer ${made.stdout.trimEnd()}`, 'x-service-account': 'acme', 'content-type': 'application/json' }
  /** A result that is stored after its deadline is of the past, and sets none. */
  const untilDeadlineMs = 15_000
  const startedAt = Date.now() - periodMs - graceMs + untilDeadlineMs
  const body = JSON.stringify([{ checkId: 'job', startedAt, runLocation: 'ping', hasFailures: false }])
  expect((await fetch(`${url}/v1/check-results`, { method: 'POST', headers, body })).status).toBe(200)
  const failures = async () => (await fetch(`${url}/v1/check-results/job?hasFailures=true`, { headers })).json()
  await expect.poll(failures, { timeout: 60_000, interval: 250 }).toMatchObject([{ error: 'no ping by the deadline' }])
})

test.skipIf(!existsSync('/proc/self/task'))('DNS lookups run in parallel, so that a slow one does not block others', async () => {
  const { args } = await serveFolder(empty)
  const { pid } = await startProgram(args)
  expect(readdirSync(`/proc/${pid}/task`).length).toBeGreaterThan(64)
})

test('every option can be set by the environment, too', async () => {
  const { config, data } = await serveFolder(empty)
  const env = { TIDEMARK_CONFIG: config, TIDEMARK_DATA: data, TIDEMARK_PORT: '0', TIDEMARK_HOST: '127.0.0.1' }
  const server = await startProgram(['serve', '--no-runner'], { env })
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
  expect(await runProgram(['serve'], { env: { ...env, TIDEMARK_PORT: '80000' } })).toMatchObject({
    status: 2,
    stderr: 'TIDEMARK_PORT must be a port from 0 to 65535.\n',
  })
})

test('a server with --no-runner runs no check, which one without it does at once', async () => {
  const asked = new Set<string>()
  const port = await httpServer(({ url }, response) => {
    asked.add(url ?? '')
    response.end('ok')
  })
  const configOf = (path: string) => {
    const example = JSON.stringify(exampleCheck(anyRunType(1))).replaceAll('http://127.0.0.1:8790', `http://127.0.0.1:${port}/${path}`)
    return JSON.stringify({ accounts: [{ id: 'acme', checks: [JSON.parse(example)] }] })
  }
  const { args: without } = await serveFolder(configOf('without'))
  const { args: withRunner } = await serveFolder(configOf('with'))
  await startProgram(without)
  await startProgram(withRunner.filter((arg) => arg !== '--no-runner'))
  await expect.poll(() => [...asked].some((path) => path.startsWith('/with/')), { timeout: 60_000 }).toBe(true)
  expect([...asked].filter((path) => path.startsWith('/without/'))).toEqual([])
})

test('a config file with faults starts nothing', async () => {
  const { args, data } = await serveFolder('accounts:\n  - id: acme\n    chekcs: []\n    name: 5\n')
  expect(await runProgram(args)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'tidemark.yaml:3: accounts[0].chekcs is not a known name here; did you mean checks?\n' +
      'tidemark.yaml:4: accounts[0].name must be text, not empty (put it in quotes)\n',
  })
  expect(existsSync(data)).toBe(false)
})

test.skipIf(!existsSync('/proc/self'))('a data folder that cannot be created is rejected at once, by every command', async () => {
  const { config, args } = await serveFolder(empty)
  for (const command of [args, ['import', '-', '--format', 'ndjson', '--config', config]]) {
    const { status, stderr } = await runProgram([...command, '--data', '/proc/tidemark/data'])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^The .*folder \/proc\/tidemark.* cannot be (used|created) \(ENOENT\)/),
    })
  }
})

test('a second server on the same data folder, or on the same port, is rejected with a message', async () => {
  const { args, config, data } = await serveFolder(empty)
  const { url } = await startProgram(args)
  expect(await runProgram(args)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(`Another Tidemark is using the data folder ${data}`),
  })
  const { port } = new URL(url)
  const samePort = await runProgram(['serve', '--config', config, '--data', `${data}-2`, '--port', port, '--no-runner'])
  expect(samePort).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `Port ${port} of 127.0.0.1 is in use. Stop what uses it, or choose another with --port.\n`,
  })
})

test('lines of the log have the names of their level and of the check', async () => {
  const check = { ...exampleCheck(anyRunType()), id: 'unreachable', name: 'Nobody there', frequency: '10s' }
  const { args } = await serveFolder(JSON.stringify({ accounts: [{ id: 'acme', checks: [check] }] }))
  const server = await startProgram(args.filter((arg) => arg !== '--no-runner'))
  const lines = () =>
    server
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  await expect.poll(() => lines().at(0), { timeout: 20_000 }).toMatchObject({ level: 'info', msg: 'Tidemark has started.' })
  const failing = { level: 'warn', account: 'acme', checkId: 'unreachable', name: 'Nobody there', msg: 'A check is failing.' }
  await expect.poll(lines, { timeout: 60_000 }).toContainEqual(expect.objectContaining(failing))
}, 90_000)

test('a key created while the server runs is valid at once, and invalid once it is revoked', async () => {
  const { args, config } = await serveFolder(empty)
  const { url } = await startProgram(args)
  const key = await createKey(config)
  const ask = async () =>
    (await fetch(`${url}/v1/checks`, { headers: { authorization: `Bearer ${key}`, 'x-service-account': 'acme' } })).status
  await expect.poll(ask).toBe(200)
  await runProgram(['key', 'revoke', '--config', config, '--account', 'acme', '--name', 'test'])
  await expect.poll(ask).toBe(401)
})

test('a check keeps its creation time across a restart, and its update time changes with it', async () => {
  const check = { ...exampleCheck(anyRunType()), id: 'kept' }
  const { args, config } = await serveFolder(JSON.stringify({ accounts: [{ id: 'acme', checks: [check] }] }))
  const key = await createKey(config)
  const seen = async (url: string) => {
    const answer = await fetch(`${url}/v1/checks/kept`, { headers: { authorization: `Bearer ${key}`, 'x-service-account': 'acme' } })
    return (await answer.json()) as { readonly created_at: string; readonly updated_at: string; readonly muted: boolean }
  }

  const first = await startProgram(args)
  const before = await seen(first.url)
  await first.stop()
  await writeFile(config, (await readFile(config, 'utf8')).replace('"id": "kept"', '"id": "kept", "muted": true'))
  const second = await startProgram(args)
  const after = await seen(second.url)
  expect(after.created_at).toBe(before.created_at)
  expect(after.updated_at > before.updated_at).toBe(true)
  expect([before.muted, after.muted]).toEqual([false, true])
})

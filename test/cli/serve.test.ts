// @slow
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { layoutVersion } from '../../src/store/embedded/disk/layout.ts'
import { tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck, pingedTypes } from '../support/example-config.ts'
import { runProgram, type Started, startProgram } from '../support/program.ts'
import { newKey } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function serveFolder(text: string) {
  const folder = temporaryFolder()
  const config = join(folder, 'tidemark.yaml')
  const data = join(folder, 'data')
  writeFileSync(config, text)
  const args = ['serve', '--config', config, '--data', data, '--port', '0']
  return { folder, config, data, args }
}

const empty = 'accounts:\n  - id: acme\n'
const configOf = (...checks: readonly object[]) => JSON.stringify({ accounts: [{ id: 'acme', checks }] })
const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'x-service-account': 'acme', 'content-type': 'application/json' })
const logLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a server with --no-runner that is configured by the environment', () => {
  const [pinged] = pingedTypes
  if (!pinged?.pingSettings) throw new Error('no type waits for pings')
  const job = { ...exampleCheck(pinged), id: 'job' }
  const { periodMs, graceMs } = pinged.pingSettings(job as never)
  /** Results that are stored after their deadline set no deadline. */
  const untilDeadlineMs = 15_000
  const asked = new Set<string>()
  let targetPort = 0
  /** A check of a target that records the requested path. */
  const checkOf = (path: string) =>
    JSON.parse(JSON.stringify(exampleCheck(anyRunType(1))).replaceAll('http://127.0.0.1:8790', `http://127.0.0.1:${targetPort}/${path}`))
  let server: Started
  let files: ReturnType<typeof serveFolder>
  let headers: Readonly<Record<string, string>>

  beforeAll(async () => {
    targetPort = await httpServer(({ url }, response) => {
      asked.add(url ?? '')
      response.end('ok')
    })
    files = serveFolder(configOf(job, checkOf('without')))
    headers = headersOf(await newKey(files.folder))
    const env = { TIDEMARK_CONFIG: files.config, TIDEMARK_DATA: files.data, TIDEMARK_PORT: '0', TIDEMARK_HOST: '127.0.0.1' }
    server = await startProgram(['serve', '--no-runner'], { env })
  }, 90_000)

  test('responds', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
  })

  test.skipIf(!existsSync('/proc/self/task'))('makes DNS lookups in parallel, so that a slow one does not block others', () => {
    expect(readdirSync(`/proc/${server.pid}/task`).length).toBeGreaterThan(64)
  })

  test('records a missed ping', async () => {
    const startedAt = Date.now() - periodMs - graceMs + untilDeadlineMs
    const body = JSON.stringify([{ checkId: 'job', startedAt, runLocation: 'ping', hasFailures: false }])
    expect((await fetch(`${server.url}/v1/check-results`, { method: 'POST', headers, body })).status).toBe(200)
    const failures = async () => (await fetch(`${server.url}/v1/check-results/job?hasFailures=true`, { headers })).json()
    await expect.poll(failures, { timeout: 60_000, interval: 500 }).toMatchObject([{ error: 'no ping by the deadline' }])
  })

  test('accepts a key that is created while it runs, and rejects it once it is revoked', async () => {
    const own = headersOf(await newKey(files.folder, 'read', 'brief'))
    const ask = async () => (await fetch(`${server.url}/v1/checks`, { headers: own })).status
    await expect.poll(ask).toBe(200)
    await tidemark(files.folder, 'key', 'revoke', '--account', 'acme', '--name', 'brief')
    await expect.poll(ask).toBe(401)
  })

  test('keeps other servers from using its data folder or its port', async () => {
    const { config, data, args } = files
    const { port } = new URL(server.url)
    const [sameFolder, samePort] = await Promise.all([
      runProgram([...args, '--no-runner']),
      runProgram(['serve', '--config', config, '--data', `${data}-2`, '--port', port, '--no-runner']),
    ])
    expect(sameFolder).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`Another Tidemark is using the data folder ${data}`),
    })
    expect(samePort).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Port ${port} of 127.0.0.1 is in use. Stop the process that uses it, or choose another with --port.\n`,
    })
  })

  test('runs no checks, while a server without the option runs them at once, with levels and check names in the log', async () => {
    const unreachable = { ...exampleCheck(anyRunType()), id: 'unreachable', name: 'Nobody there', frequency: '10s' }
    const { logged } = await startProgram(serveFolder(configOf(unreachable, checkOf('with'))).args)
    await expect.poll(() => [...asked].some((path) => path.startsWith('/with/')), { timeout: 60_000 }).toBe(true)
    expect([...asked].filter((path) => path.startsWith('/without/'))).toEqual([])
    expect(logLines(logged())[0]).toMatchObject({ level: 'info', msg: 'Tidemark has started.' })
    const failing = { level: 'warn', account: 'acme', checkId: 'unreachable', name: 'Nobody there', msg: 'A check is failing.' }
    await expect.poll(() => logLines(logged()), { timeout: 60_000 }).toContainEqual(expect.objectContaining(failing))
  })

  test('has printed one line to stdout, and exits with status 0 on a signal', async () => {
    const { status, stdout, stderr } = await server.stop()
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Tidemark listening on ${server.url}\n` })
    const started = { msg: 'Tidemark has started.', version: expect.any(String), checks: 2, address: server.url }
    expect(logLines(stderr)[0]).toMatchObject(started)
  })
})

test('a server that receives SIGTERM during startup exits with status 0', async () => {
  const { args, data } = serveFolder(empty)
  const onceItHoldsItsFolder = '"$@" & program=$!; while [ ! -e "$0" ]; do sleep 0.01; done; kill -TERM $program; wait $program'
  const { status, stderr } = await runProgram(args, {
    wrapper: ['sh', '-c', onceItHoldsItsFolder, join(data, 'lock')],
    env: { TIDEMARK_LOG: 'warn' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('a restart keeps the creation time of a check and changes its update time; a migration is logged once', async () => {
  const { args, folder, config, data } = serveFolder(configOf({ ...exampleCheck(anyRunType()), id: 'kept' }))
  mkdirSync(data, { mode: 0o700 })
  cpSync(new URL('../fixtures/data-folder-layout-6/tidemark.db', import.meta.url), join(data, 'tidemark.db'))
  const headers = headersOf(await newKey(folder))
  const startOnce = async () => {
    const server = await startProgram([...args, '--no-runner'])
    const answer = await fetch(`${server.url}/v1/checks/kept`, { headers })
    const check = (await answer.json()) as { readonly created_at: string; readonly updated_at: string; readonly muted: boolean }
    const { stderr } = await server.stop()
    return { check, migrated: logLines(stderr).filter(({ msg }) => String(msg).includes('was migrated')) }
  }

  const before = await startOnce()
  await writeFile(config, (await readFile(config, 'utf8')).replace('"id": "kept"', '"id": "kept", "muted": true'))
  const after = await startOnce()
  expect(after.check.created_at).toBe(before.check.created_at)
  expect(after.check.updated_at > before.check.updated_at).toBe(true)
  expect([before.check.muted, after.check.muted]).toEqual([false, true])
  expect(before.migrated).toEqual([expect.objectContaining({ from: 6, to: layoutVersion, ms: expect.any(Number) })])
  expect(after.migrated).toEqual([])
})

test('a server with an invalid config file does not start', async () => {
  const { args, data } = serveFolder('accounts:\n  - id: acme\n    chekcs: []\n    name: 5\n')
  expect(await runProgram(args)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'tidemark.yaml:3: accounts[0].chekcs is not a known setting here; did you mean checks?\n' +
      'tidemark.yaml:4: accounts[0].name must be text, not empty (put it in quotes)\n',
  })
  expect(existsSync(data)).toBe(false)
})

test.skipIf(!existsSync('/proc/self'))('a data folder that cannot be created is rejected at once, by every command', async () => {
  const { config, args } = serveFolder(empty)
  for (const command of [args, ['import', '-', '--format', 'ndjson', '--config', config]]) {
    const { status, stderr } = await runProgram([...command, '--data', '/proc/tidemark/data'])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^The .*folder \/proc\/tidemark.* cannot be (used|created) \(ENOENT\)/),
    })
  }
})

test('an invalid environment variable is rejected in one line', async () => {
  const { status, stderr } = await runProgram(['--version'], { env: { TIDEMARK_PORT: '80000' } })
  expect({ status, stderr }).toEqual({ status: 2, stderr: 'TIDEMARK_PORT must be a port from 0 to 65535.\n' })
})

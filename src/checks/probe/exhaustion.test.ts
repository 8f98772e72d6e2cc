// @slow ci
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { builtModules } from '../../../test/support/built.ts'
import { tidemark } from '../../../test/support/command.ts'
import { needing, programMissing } from '../../../test/support/needs.ts'
import { runProgram, startProgram } from '../../../test/support/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const options = { ...needing(await programMissing('prlimit')), timeout: 240_000 }
const targets = 150

test('runs that fail because of too many open files are counted and logged with the limit, and give no results', options, async () => {
  const target = await slowTarget()
  const folder = temporaryFolder()
  const checks = Array.from({ length: targets }, (_, i) => ({
    id: `check-${i}`,
    name: `Check ${i}`,
    type: 'URL',
    frequency: '10s',
    request: { url: `http://127.0.0.1:${target.port}/${i}` },
  }))
  const addresses = { allow: ['127.0.0.0/8'] }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ addresses, accounts: [{ id: 'acme', checks }] }))
  const headers = {
    authorization: `Bearer ${(await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'k', '--scopes', 'read,metrics')).stdout.trim()}`,
    'x-service-account': 'acme',
  }
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0']
  const server = await startProgram(['serve', ...places], { env: { TIDEMARK_MAX_RUNS: '200' } })
  await expect.poll(target.isCalled).toBe(true)
  const limit = readdirSync(`/proc/${server.pid}/fd`).length + 40
  spawnSync('prlimit', ['--pid', String(server.pid), `--nofile=${limit}:4096`])

  await expect.poll(server.logged, { timeout: 120_000 }).toContain('Could not start runs; they have no results.')
  expect(server.logged()).toContain(`This process may have no more than ${limit} files open (ulimit -n).`)
  expect(server.logged()).toMatch(/"reason":"this process has too many open files \(EMFILE\) at connect"/)
  spawnSync('prlimit', ['--pid', String(server.pid), '--nofile=4096'])
  target.answerAll()
  const failing = async () => {
    const statuses = await (await fetch(`${server.url}/v1/check-statuses`, { headers })).json()
    return statuses as readonly { hasFailures: boolean }[]
  }
  await expect.poll(async () => (await failing()).length, { timeout: 120_000 }).toBe(targets)
  expect((await failing()).filter(({ hasFailures }) => hasFailures)).toEqual([])
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
  expect(Number(/^tidemark_slots_missed_total\{reason="exhausted"\} (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0)
})

test('a command with a too low limit of open files reports the limit', options, async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [{ id: 'acme', checks: [] }] }))
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0']
  const { status, stderr } = await runProgram(['serve', ...places], { wrapper: ['prlimit', '--nofile=32:32'] })
  expect(status).not.toBe(0)
  expect(stderr).toMatch(/^[^\n]*32 files open \(ulimit -n\)[^\n]*\n$/)
})

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const nobodyMissing = process.getuid?.() === 0 ? await programMissing('setpriv') : 'only root may start a process of another user'

describe.each([
  [
    'processes',
    'EAGAIN',
    /no more than 1 processes and threads \(ulimit -u\)/,
    '--nproc=1:1',
    asNobody,
    needing((await programMissing('prlimit')) ?? nobodyMissing),
  ],
  ['open files', 'EMFILE', /no more than \d+ files open \(ulimit -n\)/, '--nofile=NOW:4096', [], options],
] as const)('without %s left', (_, code, advice, limit, wrapper, needs) => {
  test('if no thread or process can start, runs are skipped and the store is unavailable', { ...needs, timeout: 60_000 }, async () => {
    const script = new URL('../../../test/support/exhausted-process.mjs', import.meta.url).pathname
    const [command, ...args] = [...wrapper, process.execPath, script, limit, await builtModules()] as const
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      run: expect.stringContaining(`(${code}) at the start of the run`),
      advice: expect.stringMatching(advice),
      suite: code,
      store: `StoreUnavailable: The store could not finish this: a thread could not be started (${code}).`,
      // A connection needs a file, and no process.
      reached: code === 'EMFILE' ? null : false,
    })
  })
})

/** Holds every request until `answerAll` is called. */
async function slowTarget() {
  const held = new Set<ServerResponse>()
  let isAnswering = false
  const server = createServer((_, response) => {
    if (isAnswering) response.end('ok')
    else held.add(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    isCalled: () => held.size > 0,
    answerAll() {
      isAnswering = true
      for (const response of held) response.end('ok')
    },
  }
}

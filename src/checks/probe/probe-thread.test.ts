// @slow
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from '../../../test/support/program.ts'
import { newKey } from '../../../test/support/server-process.ts'
import { httpsServer } from '../../../test/support/servers.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

type Entry = { readonly hasFailures: boolean; readonly hasErrors: boolean; readonly error: string | null }

/** A script that is preloaded into each thread: it records which threads open TLS connections, and crashes the first of them. */
const preload = (spoken: string) => `
  const { isMainThread } = require('node:worker_threads')
  const fs = require('node:fs')
  const tls = require('node:tls')
  const { connect } = tls
  tls.connect = (...args) => {
    if (!fs.existsSync(${JSON.stringify(spoken)})) setImmediate(() => { throw new Error('socket exploded') })
    fs.appendFileSync(${JSON.stringify(spoken)}, isMainThread ? 'main ' : 'worker ')
    return connect(...args)
  }
  require('node:module').syncBuiltinESMExports()`

test('TLS is handled outside the main thread; a crash of its thread fails the run and is logged, and the next run passes', async () => {
  const folder = temporaryFolder()
  const spoken = join(folder, 'spoken')
  const port = await httpsServer((_, answer) => answer.end('ok'))
  const request = { url: `https://127.0.0.1:${port}/`, skipTls: true }
  const checks = [{ id: 'target', name: 'Target', type: 'API', frequency: '10s', request }]
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [{ id: 'acme', name: 'Acme', checks }] }))
  writeFileSync(join(folder, 'preload.cjs'), preload(spoken))
  const headers = { authorization: `Bearer ${await newKey(folder)}`, 'x-service-account': 'acme' }
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0']
  const program = await startProgram(['serve', ...places], { env: { NODE_OPTIONS: `--require ${join(folder, 'preload.cjs')}` } })
  const results = async () => {
    const response = await fetch(`${program.url}/v1/check-results/target`, { headers })
    return ((await response.json()) as readonly Entry[]).toReversed()
  }
  await expect.poll(async () => (await results()).length, { timeout: 90_000, interval: 500 }).toBeGreaterThan(1)
  const [first, second] = await results()
  expect(first).toMatchObject({ hasFailures: true, hasErrors: true, error: expect.stringContaining('internal error') })
  expect(second).toMatchObject({ hasFailures: false })
  expect((await program.stop()).stderr).toContain('socket exploded')
  expect(readFileSync(spoken, 'utf8')).toMatch(/^(worker )+$/)
}, 180_000)

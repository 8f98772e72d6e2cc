// @slow
import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram } from '../support/program.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'

const [type] = checkTypes
const options = { ...needing(await programMissing('prlimit')), timeout: 180_000 }

/** Limits files to 2 MB; writing beyond that fails, as on a full disk. */
const limited = ['sh', '-c', 'trap "" XFSZ; exec prlimit --fsize=2000000:unlimited "$@"', 'sh']

test('a full disk is a 503 with Retry-After, queries still work, and writes work again once there is space', options, async () => {
  const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
  const server = await serve(folder, { key: await newKey(folder), wrapper: limited })
  const kept: string[] = []
  const refused = await fill(server, kept)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ statusCode: 503, code: 'UNAVAILABLE' })
  expect((await post(server, rows('again', 500))).status).toBe(503)
  for (const name of ['ready', 'writable']) expect((await fetch(`${server.url}/health/${name}`)).status).toBe(503)
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200)

  const question = `/v1/analytics/${type?.path}/${type?.path}?metrics=availability&quickRange=last7Days`
  const answer = await fetch(`${server.url}${question}`, { headers: server.headers })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ series: [{ data: [{ total: kept.length }] }] })

  spawnSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited'])
  expect(await untilAccepted(server, rows('after', 500), kept)).toBe(200)
  for (const name of ['ready', 'writable']) expect((await fetch(`${server.url}/health/${name}`)).status).toBe(200)
  await server.stop()
  expect(statSync(join(folder, 'data', 'tidemark.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  const { stdout } = await tidemark(folder, 'export', '--check', type?.path ?? '')
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect(new Set(found)).toEqual(new Set(kept))
  expect(found).toHaveLength(kept.length)
})

test('a disk that is full at startup is not mistaken for a folder in use', options, async () => {
  const folder = configuredFolder()
  mkdirSync(join(folder, 'data'))
  const full = ['sh', '-c', 'trap "" XFSZ; exec prlimit --fsize=0 "$@"', 'sh']
  const serving = ['serve', '--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--port', '0']
  const { status, stderr } = await runProgram(serving, { wrapper: full })
  expect(stderr).toContain(`The data folder ${join(folder, 'data')} cannot be written (disk I/O error)`)
  expect(status).toBe(1)
})

type Row = { readonly id: string }

function rows(name: string, count: number): readonly Row[] {
  const start = Date.now() - 3_600_000
  return Array.from({ length: count }, (_, i) => ({
    id: `${name}-${i}`,
    checkId: type?.path,
    startedAt: start + i,
    runLocation: 'eu',
    hasFailures: true,
    error: 'x'.repeat(200),
  }))
}

async function post(server: ServerProcess, batch: readonly Row[]): Promise<Response> {
  const headers = { ...server.headers, 'content-type': 'application/json' }
  return fetch(`${server.url}/v1/check-results`, { method: 'POST', headers, body: JSON.stringify(batch) })
}

/** Posts until the server rejects a batch. */
async function fill(server: ServerProcess, kept: string[]): Promise<Response> {
  for (let batch = 0; batch < 1000; batch++) {
    const sent = rows(`batch-${batch}`, 500)
    const response = await post(server, sent)
    if (!response.ok) return response
    kept.push(...sent.map(({ id }) => id))
  }
  throw new Error('the disk was never full')
}

async function untilAccepted(server: ServerProcess, batch: readonly Row[], kept: string[]): Promise<number> {
  for (let tries = 0; tries < 60; tries++) {
    const response = await post(server, batch)
    if (response.ok) kept.push(...batch.map(({ id }) => id))
    if (response.ok) return response.status
    await sleep(500)
  }
  return 503
}

// @slow ci
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pingOutcome } from '../../src/checks/probe/pings.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openOutboxFile } from '../../src/runner/outbox-file.ts'
import type { FiledResult } from '../../src/store/store.ts'
import { configuredFolder } from '../support/command.ts'
import { needing } from '../support/needs.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { newKey } from '../support/server-process.ts'
import { diskMissing, type SmallDisk, smallDisk } from '../support/small-disk.ts'

const [type] = checkTypes
const options = { ...needing(await diskMissing()), timeout: 240_000 }

const serving = (folder: string, data: string) =>
  ['serve', '--config', join(folder, 'tidemark.yaml'), '--data', data, '--port', '0', '--no-runner', '--no-deadlines'] as const

test.for([8, 48, 128, 176])('a disk of %d kB that becomes full during the start is reported in one line', options, async (size) => {
  const folder = configuredFolder()
  const data = join(smallDisk(size).folder, 'data')
  const { status, stdout, stderr } = await runProgram(serving(folder, data))
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+ is full[^\n]* Free some space[^\n]* start again\.\n$/)
  expect(stderr).toContain(data)
})

test('a full disk is reported to callers, in the log and by readiness, and a config change waits for space', options, async () => {
  const { disk, folder, url, headers, logged } = await startOnSmallDisk()
  const post = async () => {
    const row = { checkId: type?.path, startedAt: Date.now(), runLocation: 'eu', hasFailures: true }
    const body = JSON.stringify(
      Array.from({ length: 100 }, (_, i) => ({ ...row, startedAt: row.startedAt - i, error: randomBytes(600).toString('base64') })),
    )
    return fetch(`${url}/v1/check-results`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
  }
  const checks = async () => ((await (await fetch(`${url}/v1/checks`, { headers })).json()) as { name: string }[]).map(({ name }) => name)
  expect((await post()).status).toBe(200)
  disk.fill()
  await expect.poll(async () => (await post()).status, { timeout: 60_000 }).toBe(503)
  const refused = await (await post()).json()
  expect(refused).toEqual({
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'Tidemark cannot store results: the disk is full. Try again in 30 s.',
    code: 'UNAVAILABLE',
  })
  const ready = await fetch(`${url}/health/ready`)
  expect([ready.status, await ready.json()]).toEqual([503, refused])

  const file = join(folder, 'tidemark.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(`"${type?.demo.name}"`, '"Renamed"'))
  await expect.poll(logged, { timeout: 30_000 }).toContain('has changed and is valid, but cannot be applied now; retrying')
  expect(logged()).toContain('the disk is full')
  expect(logged()).not.toContain('but has faults')
  expect(await checks()).not.toContain('Renamed')
  disk.free()
  await expect.poll(checks, { timeout: 60_000 }).toContain('Renamed')
  expect((await post()).status).toBe(200)
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
})

test('on a full disk, waiting results are saved in the reserved space, with as much evidence as fits', options, async () => {
  const disk = smallDisk(6144)
  const file = openOutboxFile(disk.folder)
  disk.fill()
  const results = Array.from({ length: 500 }, (_, i) => ({
    check: { account: 'acme', checkId: 'job' },
    result: { id: `result-${i}`, ...pingOutcome('reported', i) },
    evidence: new Uint8Array(randomBytes(20_000)),
  }))
  const { evidenceDropped } = file.write(results)
  expect(evidenceDropped).toBeGreaterThan(0)
  expect(evidenceDropped).toBeLessThan(500)
  const read: FiledResult[] = []
  for await (const filed of openOutboxFile(disk.folder).read()) read.push(filed)
  expect(read.map(({ result }) => result.id)).toEqual(results.map(({ result }) => result.id))
  const evidenceOf = (filed: FiledResult) => filed.evidence && Buffer.from(filed.evidence).toString('base64')
  expect(read.map(evidenceOf)).toEqual(results.map((filed, i) => (i < evidenceDropped ? undefined : evidenceOf(filed))))
})

/** A server with its data on a small disk. */
async function startOnSmallDisk(): Promise<{
  disk: SmallDisk
  folder: string
  url: string
  headers: Record<string, string>
  logged(): string
}> {
  const disk = smallDisk(4096)
  const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
  const headers = { authorization: `Bearer ${await newKey(folder)}`, 'x-service-account': 'acme' }
  const { url, logged } = await startProgram(serving(folder, join(disk.folder, 'data')))
  return { disk, folder, url, headers, logged }
}

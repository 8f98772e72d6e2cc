// @slow
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { serve } from '../support/server-process.ts'
import { triesOf } from '../support/tries.ts'

const [type] = checkTypes
const checkId = type?.path ?? ''
const start = Date.now() - 3 * 86_400_000

let healthy: Buffer
let exported: string
beforeAll(async () => {
  const folder = configuredFolder()
  const rows = Array.from({ length: 2000 }, (_, i) => ({
    checkId,
    startedAt: start + i * 120_000,
    runLocation: 'eu',
    hasFailures: i % 9 === 0,
  }))
  const file = join(folder, 'rows.ndjson')
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  await tidemark(folder, 'import', file)
  exported = (await tidemark(folder, 'export', '--check', checkId)).stdout
  await tidemark(folder, 'backup', join(folder, 'copy'))
  healthy = readFileSync(join(folder, 'copy', 'tidemark.db'))
  expect(exported.split('\n')).toHaveLength(2001)
})

describe('a damaged database', () => {
  test('with a flipped bit is rejected or reported, or still correct, but never returns a wrong result', async () => {
    const places = fc.record({ offset: fc.nat(healthy.length - 1), bit: fc.nat(7) })
    await fc.assert(
      fc.asyncProperty(places, async ({ offset, bit }) => {
        const damaged = Buffer.from(healthy)
        damaged[offset] = (damaged[offset] ?? 0) ^ (1 << bit)
        await expectNoWrongAnswer(folderWith(damaged))
      }),
      { numRuns: Number(process.env.TIDEMARK_FAULT_ROUNDS ?? triesOf(160)) },
    )
  }, 600_000)

  test.each([0, 1, 100, 4096, 20_000, -1, -8192])('truncated to %i is rejected or reported', async (length) => {
    const folder = folderWith(healthy)
    truncateSync(join(folder, 'data', 'tidemark.db'), length < 0 ? healthy.length + length : length)
    await expectNoWrongAnswer(folder)
  })

  test.each([
    ['that is not a database', 0, Buffer.from('no database at all')],
    ['without the list of its tables', 103, Buffer.from([0, 0])],
  ])('%s stops the server with a message instead of going unnoticed', async (_, offset, bytes) => {
    const damaged = Buffer.from(healthy)
    damaged.set(bytes, offset)
    await expect(serve(folderWith(damaged))).rejects.toThrow(/damaged.*tidemark doctor/s)
  })
})

function folderWith(database: Buffer): string {
  const folder = configuredFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data', 'tidemark.db'), database)
  return folder
}

/** An export is either correct or rejected, and doctor explains why it was rejected. */
async function expectNoWrongAnswer(folder: string): Promise<void> {
  const answer = await tidemark(folder, 'export', '--check', checkId)
  if (answer.exitCode === 0) return expect(answer.stdout === exported).toBe(true)
  expect(answer.stderr).not.toBe('')
  const report = await tidemark(folder, 'doctor')
  expect([report.exitCode, report.stderr]).toEqual([1, expect.stringMatching(/damaged|No results|was written by/)])
}

// @slow
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { feeder, ingestApp } from '../../../test/support/ingest-app.ts'
import { ingestPath } from './ingest.ts'

test.each([
  ['of few rows with many values', 'application/json', `[${Array.from({ length: 29 }, crowdedRow).join()}]`, 4],
  ['of blank lines', 'application/x-ndjson', `${'\n'.repeat(8_000_000)}{}`, 40],
])('long bodies %s do not fill the memory once they are decompressed', async (_, type, body, times) => {
  const { app } = await ingestApp()
  const headers = { ...feeder, 'content-type': type, 'content-encoding': 'gzip' }
  const payload = gzipSync(body)
  const memory = watchMemory()
  const answers = await Promise.all(Array.from({ length: times }, () => app.inject({ method: 'POST', url: ingestPath, headers, payload })))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
  expect(memory.most()).toBeLessThan(200 * 2 ** 20)
})

function crowdedRow(): string {
  return `{"a":[${Array.from({ length: 90_000 }, () => '{}').join()}]}`
}

/** The most bytes in use at any turn of the event loop from now on, beyond those in use now. */
function watchMemory(): { most(): number } {
  const inUse = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = inUse()
  let most = 0
  let next: NodeJS.Immediate
  const look = () => {
    most = Math.max(most, inUse() - before)
    next = setImmediate(look)
  }
  look()
  onTestFinished(() => clearImmediate(next))
  return { most: () => most }
}

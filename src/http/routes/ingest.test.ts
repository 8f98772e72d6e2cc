// @slow
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { feeder, ingestApp, now } from '../../../test/support/ingest-app.ts'
import type { EvidenceDecoder } from '../../ingest/decode-evidence.ts'
import { ingestPath } from './ingest.ts'

test.each([
  ['of few rows with many values', 'application/json', `[${Array.from({ length: 29 }, crowdedRow).join()}]`, 4],
  ['of blank lines', 'application/x-ndjson', `${'\n'.repeat(8_000_000)}{}`, 40],
])('long bodies %s do not exhaust memory when decompressed', async (_, type, body, times) => {
  const { app } = await ingestApp()
  const headers = { ...feeder, 'content-type': type, 'content-encoding': 'gzip' }
  const payload = gzipSync(body)
  const memory = watchMemory()
  const answers = await Promise.all(Array.from({ length: times }, () => app.inject({ method: 'POST', url: ingestPath, headers, payload })))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
  expect(memory.most()).toBeLessThan(200 * 2 ** 20)
})

test('the results of a client that has gone while it waited for others of its key are not read', async () => {
  const key = 'tdm_testagnt_00000000000000000000000000000000_000000'
  const check = testCheck(anyRunType(), { id: 'shop', agentLocations: ['eu'] })
  const reader = 'tdm_reader'
  const catalogue = testCatalogue({ keys: [testKey(key, account, ['agent:eu']), testKey(reader, account, ['read'])], checks: [check] })
  let release = () => {}
  const decodeEvidence: EvidenceDecoder = (jobs) => new Promise((resolve) => (release = () => resolve(jobs.map(() => null))))
  const { app, get, close } = await openTestApp({ catalogue, decodeEvidence, now })
  onTestFinished(close)
  const received: (readonly [IncomingMessage, ServerResponse])[] = []
  app.server.on('request', (request, response) => received.push([request, response]))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const row = { checkId: check.id, runLocation: 'eu', hasFailures: true }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = async (startedAt: number, { signal, ...more }: { signal?: AbortSignal; evidence?: string } = {}) => {
    const body = JSON.stringify([{ ...row, startedAt, ...more }])
    return (await fetch(url + ingestPath, { method: 'POST', headers, body, signal: signal ?? null })).json()
  }
  const isReceived = (nth: number) => expect.poll(() => received[nth]?.[0].complete).toBe(true)

  const first = post(now - 3000, { evidence: 'AAAA' })
  await isReceived(0)
  const leaving = new AbortController()
  const left = expect(post(now - 2000, { signal: leaving.signal })).rejects.toThrow()
  await isReceived(1)
  const gone = once(received[1]?.[1] as ServerResponse, 'close')
  leaving.abort()
  await Promise.all([left, gone])
  const last = post(now - 1000)
  await isReceived(2)
  release()
  expect(await Promise.all([first, last])).toMatchObject([{ accepted: 1 }, { accepted: 1 }])
  const { body: stored } = await get(`${ingestPath}/${check.id}`, { authorization: `Bearer ${reader}`, 'x-service-account': account })
  expect(stored.map(({ startedAt }: { startedAt: string }) => Date.parse(startedAt))).toEqual([now - 1000, now - 3000])
})

function crowdedRow(): string {
  return `{"a":[${Array.from({ length: 90_000 }, () => '{}').join()}]}`
}

/** The maximum memory in bytes at any turn of the event loop from now on, beyond the current use. */
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

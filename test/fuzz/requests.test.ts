// @slow alone
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../support/app.ts'
import { isThorough } from '../support/tries.ts'
import { anyCall } from './calls.ts'
import { type FindFault, faultFinder } from './faults.ts'
import type { Call } from './operations.ts'
import { exchange, firstAnswer, requestBytes, textOf } from './socket.ts'
import { openWorld, type World } from './world.ts'

const { TIDEMARK_FUZZ_REQUESTS = isThorough ? '10000' : '4000', TIDEMARK_FUZZ_MINUTES = '5' } = process.env
const count = Number(TIDEMARK_FUZZ_REQUESTS)
const limitMs = Number(TIDEMARK_FUZZ_MINUTES) * 60_000
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31
const batch = 250
/** Number of concurrent requests. */
const together = 8
/** Over sockets: one in this many, and one in this many of those that post results, which take a different code path there. */
const socketShare = 40
const socketShareOfPosts = 3
/** Limit for the growth of the used memory after the first third of the requests, in which caches fill. */
const maxGrowthBytes = 24 * 1024 * 1024

const oddLines = [
  '',
  '',
  '',
  '',
  'x',
  ': x',
  'a b: c',
  'X-Nul: \u0000',
  'X-Long: '.padEnd(9000, 'x'),
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Upgrade: h2c',
  ' folded: x',
  'Host: again',
]

let world: World
let findFault: FindFault
const rejections: unknown[] = []
const onRejection = (reason: unknown) => rejections.push(reason)
beforeAll(async () => {
  world = await openWorld()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  findFault = faultFinder(world.openApi)
  process.on('unhandledRejection', onRejection)
})
afterAll(async () => {
  process.off('unhandledRejection', onRejection)
  await world.close()
})

test(`${count} generated requests are answered as documented, and leave nothing behind`, { timeout: limitMs + 120_000 }, async () => {
  const start = performance.now()
  const calls = anyCall(world.openApi)
  const faults = new Map<string, Call>()
  const used: number[] = []
  let done = 0
  while (done < count && performance.now() - start < limitMs) {
    const some = fc.sample(calls, { numRuns: Math.min(batch, count - done), seed: seed + done })
    for (let at = 0; at < some.length; at += together)
      await Promise.all(some.slice(at, at + together).map((call, i) => ask(call, done + at + i, faults)))
    done += some.length
    if (done % (batch * Math.ceil(count / batch / 12)) === 0) used.push(usedBytes())
  }
  console.log(`${done} requests with the seed ${seed} in ${Math.round((performance.now() - start) / 1000)} s`)
  expect(Object.fromEntries(faults)).toEqual({})
  expect(rejections).toEqual([])
  const settled = used.slice(Math.ceil(used.length / 3))
  expect(Math.min(...settled.slice(-3)) - Math.min(...settled.slice(0, 3))).toBeLessThan(maxGrowthBytes)
})

async function ask(call: Call, place: number, faults: Map<string, Call>): Promise<void> {
  const isPost = call.method === 'POST' && call.url.startsWith('/v1/check-results')
  const isOverSocket = place % (isPost ? socketShareOfPosts : socketShare) === 0 && isSendable(call)
  const answer = isOverSocket ? await askOverSocket(call, oddLines[place % oddLines.length] ?? '') : await inject(call)
  const fault = answer ? findFault(call, answer) : 'no answer'
  if (fault === null) return
  const key = `${fault} (${call.method} ${call.url.split('?')[0]?.slice(0, 60)}${isOverSocket ? ', over a socket' : ''})`
  if (faults.size < 40 && !faults.has(key)) faults.set(key, call)
}

/** A URL that fits into a request line. */
const isSendable = ({ url }: Call) => /^[\x21-\x7e]+$/.test(url)

async function askOverSocket(call: Call, odd: string) {
  const { port } = world.app.server.address() as AddressInfo
  return firstAnswer(await exchange(port, requestBytes(call, odd)))
}

async function inject(call: Call): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const answer = await world.app.inject({ ...call, payloadAsStream: true } as InjectOptions)
  const stream = answer.stream() as Readable
  const isEndless = String(answer.headers['content-type']).startsWith('text/event-stream')
  if (isEndless) stream.destroy()
  return { status: answer.statusCode, headers: answer.headers, text: isEndless ? '' : textOf(answer.headers, await buffer(stream)) }
}

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

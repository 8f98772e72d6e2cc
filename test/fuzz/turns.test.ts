// @slow ci alone
import type { Readable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rightCredentials } from './calls.ts'
import { type LargeWorld, openLargeWorld } from './large-world.ts'
import { type LargeCall, largestCalls } from './largest-calls.ts'
import { longestTurnMs, median } from './main-thread.ts'
import { type Endpoint, endpointsOf } from './operations.ts'

const limitMs = 50
const tries = 3
/** Duration of `reference` on the machine that the limit is meant for. */
const referenceMs = 5

let world: LargeWorld
beforeAll(async () => {
  world = await openLargeWorld()
}, 300_000)
afterAll(() => world?.close())

test('no request blocks the main thread for long, however expensive it is', { timeout: 900_000 }, async () => {
  const slowness = Math.max(1, median(await turnsOf(reference, tries)) / referenceMs)
  const longest: [turnMs: number, what: string][] = []
  for (const endpoint of endpointsOf(world.openApi)) {
    for (const call of largestCalls(endpoint, world.words)) {
      const once = await longestTurnMs(() => ask(endpoint, call))
      const others = once > (limitMs * slowness) / 2 ? await turnsOf(() => ask(endpoint, call), tries - 1) : []
      longest.push([median([once, ...others]), call.what])
    }
  }
  const tooLong = longest.filter(([turnMs]) => turnMs > limitMs * slowness)
  console.log(
    `the longest of ${longest.length}, in ms on a machine that is ${slowness.toFixed(1)} times as slow:`,
    longest.toSorted(([a], [b]) => b - a).slice(0, 5),
  )
  expect(tooLong.toSorted(([a], [b]) => b - a)).toEqual([])
})

async function turnsOf(work: () => Promise<unknown>, count: number): Promise<readonly number[]> {
  const turns: number[] = []
  for (let i = 0; i < count; i++) turns.push(await longestTurnMs(work))
  return turns
}

async function reference(): Promise<number> {
  let sum = 0
  for (let i = 0; i < 2_400_000; i++) sum += Math.sqrt(i)
  return sum
}

/** Reads the response at full speed; only the headers of an endless one. */
async function ask(endpoint: Endpoint, { what, ...call }: LargeCall): Promise<void> {
  const headers = { ...rightCredentials(endpoint), ...call.headers }
  const answer = await world.app.inject({ ...call, headers, payloadAsStream: true } as InjectOptions)
  const stream = answer.stream() as Readable
  if (String(answer.headers['content-type']).startsWith('text/event-stream')) stream.destroy()
  else for await (const _ of stream);
  if (answer.statusCode >= 500) throw new Error(`${what} is answered with ${answer.statusCode}`)
}

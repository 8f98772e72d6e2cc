import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { Assignment } from '../locations/protocol.ts'
import { bundleName, encodeBundle } from '../locations/script-bundle.ts'
import { createScriptCache } from './script-cache.ts'

const scripts = { configDir: '', files: [{ path: 'shop.spec.ts', content: Buffer.from('test') }] }
const text = encodeBundle(scripts)
const sent = { bundle: bundleName(text) }
const assigned = (...bundles: readonly { readonly bundle: string }[]) => ({
  checks: bundles.map((one) => ({ scripts: one })) as unknown as Assignment['checks'],
})

function caching(...answers: readonly (string | Promise<string>)[]) {
  const asked: string[] = []
  const clock = virtualClock(0)
  const send = async (path: string) => {
    const body = await answers[asked.push(path) - 1]
    return { status: body === undefined ? 404 : 200, body: body ?? '{"message": "No such scripts."}', headers: new Headers() }
  }
  return { asked, clock, cache: createScriptCache({ connection: { send }, clock, log: recordingLog() }) }
}

test('scripts are available once an assignment is loaded, and are fetched once', async () => {
  const { cache, asked, clock } = caching(text)
  await cache.load(assigned(sent, sent), 1000)
  expect(cache.get(sent)).toEqual(scripts)
  await cache.load(assigned(sent), 1000)
  expect(cache.get(sent)).toEqual(scripts)
  expect(asked).toEqual([`v1/agents/scripts/${sent.bundle}`])
  expect(clock.pending()).toBe(0)
})

test('scripts that no check uses any more are dropped', async () => {
  const { cache, asked } = caching(text, text)
  await cache.load(assigned(sent), 1000)
  await cache.load(assigned(), 1000)
  expect(cache.get(sent)).toBeUndefined()
  await cache.load(assigned(sent), 1000)
  expect(asked).toHaveLength(2)
})

test('scripts that do not match their hash are not kept, and requested again', async () => {
  const { cache } = caching(encodeBundle({ ...scripts, configDir: 'other' }), text)
  await cache.load(assigned(sent), 1000)
  expect(cache.get(sent)).toBeUndefined()
  await cache.load(assigned(sent), 1000)
  expect(cache.get(sent)).toEqual(scripts)
})

test('an assignment waits for slow scripts for a limited time, and gets them when they arrive', async () => {
  let arrive = (_: string) => {}
  const slow = new Promise<string>((resolve) => {
    arrive = resolve
  })
  const { cache, clock } = caching(slow)
  let isLoaded = false
  const loading = cache.load(assigned(sent), 1000).then(() => {
    isLoaded = true
  })
  await clock.advance(999)
  expect(isLoaded).toBe(false)
  await clock.advance(1)
  expect(isLoaded).toBe(true)
  expect(cache.get(sent)).toBeUndefined()
  arrive(text)
  await loading
  await expect.poll(() => cache.get(sent)).toEqual(scripts)
})

test('the reason why the server lacks scripts is passed on', () => {
  expect(caching().cache.get({ problem: 'There is no such file.' })).toEqual({ problem: 'There is no such file.' })
})

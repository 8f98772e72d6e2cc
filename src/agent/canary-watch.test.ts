import { expect, onTestFinished, test } from 'vitest'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { createCanaryWatch } from './canary-watch.ts'

function open({ canaries = ['one:443'] } = {}) {
  const clock = virtualClock(0)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const network = { reached: true as boolean | null, server: true }
  const reported: string[] = []
  const watch = createCanaryWatch({
    clock,
    assignment: () => ({ canaries, addresses: { allow: [], deny: [] } }),
    sendReport: async () => {
      if (network.server) reported.push(`${watch.report().canary}`)
      return network.server
    },
    signal: stop.signal,
    reach: async () => network.reached,
  })
  return { clock, network, reported, watch }
}

test('a change is reported at once, anything else with the next regular report', async () => {
  const { clock, network, reported, watch } = open()
  void watch.watch()
  await expect.poll(() => reported).toEqual(['reached'])
  network.reached = false
  await clock.advance(15_000)
  await expect.poll(() => reported).toEqual(['reached', 'unreached'])
  await clock.advance(10_000)
  expect(watch.report()).toEqual({ canary: 'unreached', canaryAgeMs: 10_000 })
  await clock.advance(5000)
  await expect.poll(() => watch.report()).toEqual({ canary: 'unreached', canaryAgeMs: 0 })
  expect(reported).toHaveLength(2)
})

test('when a check begins to fail, its canaries are probed at once and again three seconds later, and both are reported', async () => {
  const { clock, network, reported, watch } = open()
  watch.hurry()
  await expect.poll(() => reported).toEqual(['reached'])
  network.reached = false
  await clock.advance(3000)
  await expect.poll(() => reported).toEqual(['reached', 'unreached'])
})

test('a failed probe from while the server was unreachable is reported before the current state', async () => {
  const { clock, network, reported, watch } = open()
  void watch.watch()
  await expect.poll(() => reported).toEqual(['reached'])
  Object.assign(network, { reached: false, server: false })
  await clock.advance(15_000)
  await expect.poll(() => watch.report().canary).toBe('unreached')
  network.reached = true
  await clock.advance(15_000)
  expect(watch.report().canary).toBe('unreached')
  network.server = true
  await clock.advance(15_000)
  await expect.poll(() => reported).toEqual(['reached', 'unreached', 'reached'])
})

test('without canaries nothing is probed or reported', async () => {
  const { reported, watch } = open({ canaries: [] })
  void watch.watch()
  watch.hurry()
  expect(watch.report()).toEqual({ canary: null, canaryAgeMs: null })
  expect(reported).toEqual([])
})

import { expect, test } from 'vitest'
import type { States } from './news.ts'
import { createStatePoll } from './state-poll.ts'

/** A poll whose requests the test answers. */
function polled() {
  const requests: { readonly signal: AbortSignal; answer(states: States): void; fail(fault: unknown): void }[] = []
  const events: unknown[] = []
  const poll = createStatePoll({
    load: (signal) => new Promise((answer, fail) => void requests.push({ signal, answer, fail })),
    onStates: (states) => void events.push(states),
    onFault: (fault) => void events.push(fault),
  })
  return { poll, requests, events, settled: () => new Promise((resolve) => setTimeout(resolve)) }
}
const states = (name: string) => ({ name }) as unknown as States

test('loaded states and errors are reported', async () => {
  const { poll, requests, events, settled } = polled()
  expect([poll.isRunning(), poll.startedAt()]).toEqual([false, Number.NEGATIVE_INFINITY])
  const before = Date.now()
  poll.start()
  expect(poll.isRunning()).toBe(true)
  expect(poll.startedAt()).toBeGreaterThanOrEqual(before)
  requests[0]?.answer(states('one'))
  await settled()
  expect([events, poll.isRunning()]).toEqual([[states('one')], false])
  poll.start()
  requests[1]?.fail('broken')
  await settled()
  expect([events, poll.isRunning()]).toEqual([[states('one'), 'broken'], false])
})

test('a newer request replaces the last one, whose response is dropped', async () => {
  const { poll, requests, events, settled } = polled()
  poll.start()
  poll.start()
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false])
  requests[0]?.answer(states('old'))
  await settled()
  expect([events, poll.isRunning()]).toEqual([[], true])
  requests[1]?.answer(states('new'))
  await settled()
  expect(events).toEqual([states('new')])
})

test('a stopped poll reports nothing', async () => {
  const { poll, requests, events, settled } = polled()
  poll.stop()
  poll.start()
  poll.stop()
  expect([requests[0]?.signal.aborted, poll.isRunning()]).toEqual([true, false])
  requests[0]?.fail('late')
  await settled()
  expect(events).toEqual([])
})

test('a poll that takes more than half a minute is dropped', () => {
  const { poll, requests } = polled()
  expect(poll.dropLate(Date.now() + 99_000)).toBe(false)
  poll.start()
  expect([poll.dropLate(poll.startedAt() + 30_000), poll.isRunning()]).toEqual([false, true])
  expect([poll.dropLate(poll.startedAt() + 30_001), poll.isRunning()]).toEqual([true, false])
  expect(requests[0]?.signal.aborted).toBe(true)
  poll.expire()
  expect(poll.startedAt()).toBe(Number.NEGATIVE_INFINITY)
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { noon, testTransport } from '../../../test/support/channels.ts'
import { hourMs } from '../../time.ts'
import type { ChannelType, DeliveryOutcome } from '../channels/channel.ts'
import { exampleMessage } from '../channels/example-message.ts'
import { channelTypes } from '../channels/registry.ts'
import type { Delivery } from '../decide/model.ts'
import type { DeliveryAttempt } from '../outbox/alert-records.ts'
import { createSender, type StillDue } from './sender.ts'

test('a message that is refused temporarily is retried after the delay that its channel asks for', async () => {
  const { send, attempts } = open(() => ({ outcome: 'retry', answer: '429', afterMs: 7_200_000 }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  expect(attempts[0]).toMatchObject({ outcome: 'retry', nextAt: noon + 7_200_000 })
})

test('a delay shorter than the back-off is extended to it', async () => {
  const { send, attempts } = open(() => ({ outcome: 'retry', answer: '429', afterMs: 1 }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  expect(attempts[0]?.nextAt).toBeGreaterThan(noon + 1000)
})

test('sends no more messages at a time than the limit of the channel', async () => {
  const ends: ((outcome: DeliveryOutcome) => void)[] = []
  const { send, attempts } = open(() => new Promise((end) => ends.push(end)))
  for (const id of ['a', 'b', 'c']) send(id)
  expect(ends).toHaveLength(2)
  ends[0]?.({ outcome: 'delivered', answer: '' })
  await expect.poll(() => ends.length).toBe(3)
  for (const end of ends) end({ outcome: 'delivered', answer: '' })
  await expect.poll(() => attempts.length).toBe(3)
})

test('a broken channel is retried after an hour, and given up after a day', async () => {
  const { send, attempts, clock } = open(() => ({ outcome: 'broken', answer: '410' }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  expect(attempts[0]).toMatchObject({ outcome: 'broken', nextAt: noon + hourMs })
  clock.now += 24 * hourMs
  send('b', noon)
  await expect.poll(() => attempts.find(({ delivery }) => delivery.message.id === 'b')).toMatchObject({ outcome: 'givenUp', nextAt: null })
})

test('time during which a message was held does not count towards giving up', async () => {
  const state = { isStillDue: 'held' as StillDue }
  const { send, attempts, clock, sender } = open(() => ({ outcome: 'retry', answer: '503', afterMs: null }), state)
  send('a', noon, true)
  await expect.poll(() => sender.oldestWaiting()).toBeNull()
  clock.now += 48 * hourMs
  state.isStillDue = 'due'
  sender.hurry('acme', 'hook')
  await expect.poll(() => attempts.length).toBe(1)
  expect(attempts[0]?.outcome).toBe('retry')
  clock.now = (attempts[0]?.nextAt ?? 0) + 1
  sender.hurry('acme', 'hook')
  await expect.poll(() => attempts.length).toBe(2)
  expect(attempts[1]?.outcome).toBe('retry')
})

test('a message that is held every night is given up after a day of attempts in total', async () => {
  const state = { isStillDue: 'due' as StillDue }
  const { send, attempts, clock, sender, tryAfter } = open(() => ({ outcome: 'retry', answer: '503', afterMs: 48 * hourMs }), state)
  send('a', noon, true)
  await expect.poll(() => attempts.length).toBe(1)
  const hold = async () => {
    state.isStillDue = 'held'
    sender.hurry('acme', 'hook')
    await expect.poll(() => sender.oldestWaiting()).toBeNull()
  }
  clock.now += hourMs
  for (let night = 0; night < 2; night++) {
    await hold()
    expect(await tryAfter(12)).toBe('retry')
    expect(await tryAfter(11)).toBe('retry')
  }
  await hold()
  expect(await tryAfter(12)).toBe('retry')
  expect(await tryAfter(2)).toBe('givenUp')
})

test('a message is given up after a day of attempts even if the clock is set back by days', async () => {
  const { send, attempts, tryAfter } = open(() => ({ outcome: 'retry', answer: '503', afterMs: 48 * hourMs }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  expect(await tryAfter(1)).toBe('retry')
  expect(await tryAfter(-48)).toBe('retry')
  expect(await tryAfter(22)).toBe('retry')
  expect(await tryAfter(1)).toBe('givenUp')
})

test('time during which no process tried a message does not count towards giving up', async () => {
  const { send, attempts, clock } = open(() => ({ outcome: 'retry', answer: 'no network', afterMs: null }))
  clock.now += 48 * hourMs
  send('a', noon, true, noon + hourMs)
  await expect.poll(() => attempts.length).toBe(1)
  expect(attempts[0]?.outcome).toBe('retry')
  send('b', noon - 24 * hourMs, true, noon)
  await expect.poll(() => attempts.length).toBe(2)
  expect(attempts[1]?.outcome).toBe('givenUp')
})

test('sends no more a minute than the channel takes, and the others in the minutes after', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send, attempts, sender, clock } = open(() => ({ outcome: 'delivered', answer: '' }))
  for (let i = 0; i < 8; i++) send(String(i))
  for (const sent of [3, 6, 8]) {
    await vi.advanceTimersByTimeAsync(0)
    expect([attempts.length, sender.waiting()]).toEqual([sent, 8 - sent])
    clock.now += 60_000
    await vi.advanceTimersByTimeAsync(60_000)
  }
})

test('a message that is superseded before another attempt is not sent again', async () => {
  const { send, attempts, clock, sender } = open(() => ({ outcome: 'retry', answer: '500', afterMs: null }), { isStillDue: 'over' })
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  clock.now += hourMs
  sender.hurry('acme', 'hook')
  await expect.poll(() => sender.waiting()).toBe(0)
  expect(attempts).toHaveLength(1)
})

test('a held message waits, and does not count as stuck', async () => {
  const { send, attempts, clock, sender } = open(() => ({ outcome: 'retry', answer: '500', afterMs: null }), { isStillDue: 'held' })
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  expect(sender.oldestWaiting()).toBe(noon)
  clock.now += hourMs
  sender.hurry('acme', 'hook')
  await expect.poll(() => sender.oldestWaiting()).toBeNull()
  expect(sender.waiting()).toBe(1)
  expect(attempts).toHaveLength(1)
})

test('a queue is stuck if something is due for ten minutes without an attempt', async () => {
  const { send, attempts, clock, sender } = open(() => ({ outcome: 'retry', answer: '500', afterMs: 60_000 }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  clock.now += 10 * 60_000
  expect(sender.isMoving('acme')).toBe(true)
  clock.now += 60_000
  expect([sender.isMoving('acme'), sender.isMoving('other')]).toEqual([false, true])
  sender.hurry('acme', 'hook')
  expect(sender.isMoving('acme')).toBe(true)
})

test('a message does not wait longer if the clock is set back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const outcomes: DeliveryOutcome[] = [{ outcome: 'retry', answer: '429', afterMs: 120_000 }]
  const { send, attempts, clock, sender } = open(() => outcomes.shift() ?? { outcome: 'delivered', answer: '' })
  const pass = async (ms: number) => {
    clock.now += ms
    await vi.advanceTimersByTimeAsync(ms)
  }
  send('a')
  await pass(0)
  expect(attempts).toHaveLength(1)
  clock.now -= hourMs
  await pass(60_000)
  await pass(60_000)
  await pass(60_000)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['retry', 'delivered'])
  expect(sender.waiting()).toBe(0)
})

test('a stuck queue is noticed even if the clock is set back', async () => {
  const { send, attempts, clock, sender } = open(() => ({ outcome: 'retry', answer: '500', afterMs: 60_000 }))
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  clock.now -= hourMs
  expect(sender.isMoving('acme')).toBe(true)
  clock.now += 11 * 60_000
  expect(sender.isMoving('acme')).toBe(false)
})

test('the attempts of a message tell whether it may have arrived', async () => {
  const outcomes: DeliveryOutcome[] = [
    { outcome: 'retry', answer: 'connection refused', afterMs: null, isUnsent: true },
    { outcome: 'retry', answer: 'reset', afterMs: null },
  ]
  const { send, attempts, clock, sender } = open(() => outcomes.shift() as DeliveryOutcome)
  send('a')
  await expect.poll(() => attempts.length).toBe(1)
  const delivery = attempts[0]?.delivery as Delivery
  await expect.poll(() => sender.progress('acme', delivery)).toBe('unsent')
  clock.now += hourMs
  sender.hurry('acme', 'hook')
  await expect.poll(() => attempts.length).toBe(2)
  await expect.poll(() => sender.progress('acme', delivery)).toBe('uncertain')
})

test('an error in the code of a channel is reported, and the message is kept', async () => {
  const problem = new Error('a bug')
  const { send, failures, sender } = open(() => {
    throw problem
  })
  send('a')
  await expect.poll(() => failures).toEqual([problem])
  expect(sender.waiting()).toBe(1)
})

function open(outcome: () => DeliveryOutcome | Promise<DeliveryOutcome>, state: { isStillDue?: StillDue } = {}) {
  const clock = { now: noon }
  const attempts: DeliveryAttempt[] = []
  const failures: unknown[] = []
  const [first] = channelTypes
  const channelType: ChannelType = { ...(first as ChannelType), limits: { perMinute: 3, concurrent: 2 }, deliver: async () => outcome() }
  const sender = createSender({
    now: () => clock.now,
    transport: testTransport(),
    target: () => ({ channelType, settings: {} }),
    isStillDue: async () => state.isStillDue ?? 'due',
    record: async (attempt) => void attempts.push(attempt),
    onFailure: (error) => failures.push(error),
  })
  onTestFinished(() => sender.close())
  const send = (id: string, decidedAt = clock.now, mayHaveArrived = false, nextAt = clock.now) => {
    const message = exampleMessage('open', { id, now: decidedAt })
    const notifiedAfter = {
      incident: 'i',
      channel: 'hook',
      open: [],
      flapping: [],
      firstAt: null,
      lastAt: null,
      reminders: 0,
      dropped: false,
    }
    const delivery: Delivery = { message, channel: 'hook', incident: 'i', notifiedAfter, decidedAt }
    sender.add({ account: 'acme', delivery, attempts: 0, mayHaveArrived, nextAt })
  }
  const tryAfter = async (hours: number) => {
    const before = attempts.length
    clock.now += hours * hourMs
    state.isStillDue = 'due'
    sender.hurry('acme', 'hook')
    await expect.poll(() => attempts.length).toBe(before + 1)
    return attempts.at(-1)?.outcome
  }
  return { clock, attempts, failures, sender, send, tryAfter }
}

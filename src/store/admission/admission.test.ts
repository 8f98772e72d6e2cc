import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { type AdmissionOptions, createAdmission } from './admission.ts'
import { cheapCost } from './cost.ts'

const expensive = 10 * cheapCost

type CallOptions = { readonly key?: string; readonly account?: string; readonly cost?: number; readonly signal?: AbortSignal }

/** Calls that the test ends. Calls still queued after a test stay queued: a later rejection would fail another test. */
function openCalls(options: Partial<AdmissionOptions>) {
  const admit = createAdmission({ threads: 1, maxQueuedPerKey: 10, maxWaitMs: 86_400_000, ...options })
  const started: string[] = []
  const threadOf = new Map<string, number>()
  const ends = new Map<string, () => void>()
  const call = (name: string, { key = 'key', account = 'acme', cost = 1, signal = new AbortController().signal }: CallOptions = {}) =>
    admit(
      (thread) => {
        started.push(name)
        threadOf.set(name, thread)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      },
      { caller: { account, key }, cost, questionCost: cost, signal },
    )
  const end = (name: string) => ends.get(name)?.()
  return {
    started,
    threadOf,
    call,
    end,
    /** Ends each call when it starts, until `count` calls have started. */
    async runAll(count: number): Promise<readonly string[]> {
      for (let i = 0; i < count; i++) {
        await expect.poll(() => started.length).toBeGreaterThan(i)
        end(started[i] as string)
      }
      return started
    },
  }
}

test('a limited number of calls run at once, and the others follow in order', async () => {
  const { started, call, end } = openCalls({ threads: 3 })
  const all = ['a', 'b', 'c', 'd'].map((name) => call(name))
  expect(started).toEqual(['a', 'b'])
  end('b')
  expect(await all[1]).toBe('b')
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
  end('a')
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd'])
})

test('a queued call that is aborted never runs', async () => {
  const { started, call, end } = openCalls({})
  const abort = new AbortController()
  const [first, aborted, third] = [call('first'), call('aborted', { signal: abort.signal }), call('third')]
  abort.abort(new Error('not wanted any more'))
  await expect(aborted).rejects.toThrow('not wanted any more')
  end('first')
  await first
  await expect.poll(() => started).toEqual(['first', 'third'])
  end('third')
  expect(await third).toBe('third')
})

test('an aborted running call rejects at once, and the next one starts when it has ended', async () => {
  const { started, call, end } = openCalls({})
  const abort = new AbortController()
  const [aborted, next] = [call('aborted', { signal: abort.signal }), call('next')]
  abort.abort()
  await expect(aborted).rejects.toThrow('abort')
  expect(started).toEqual(['aborted'])
  end('aborted')
  await expect.poll(() => started).toEqual(['aborted', 'next'])
  end('next')
  expect(await next).toBe('next')
})

test('a call with an aborted signal does not run', async () => {
  const { started, call } = openCalls({})
  await expect(call('aborted', { signal: AbortSignal.abort() })).rejects.toThrow('abort')
  expect(started).toEqual([])
})

test('a key with a full queue is rejected and may retry, while another key is not', async () => {
  const { call, started, runAll } = openCalls({ maxQueuedPerKey: 1 })
  void call('running')
  void call('queued')
  await expect(call('refused')).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 1 })
  void call('other', { key: 'another' })
  await runAll(3)
  expect(started.toSorted()).toEqual(['other', 'queued', 'running'])
})

test('a call that is queued too long is rejected and may be retried', async () => {
  const { call, started } = openCalls({ maxWaitMs: 1 })
  void call('running')
  await expect(call('late')).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 5 })
  expect(started).toEqual(['running'])
})

test('cheap calls overtake expensive ones', async () => {
  const { call, runAll } = openCalls({})
  void call('running', { cost: expensive })
  void call('expensive', { cost: expensive, account: 'other' })
  void call('cheap')
  expect(await runAll(3)).toEqual(['running', 'cheap', 'expensive'])
})

test.each([2, 3, 4])('of %i threads one is reserved for cheap calls', async (threads) => {
  const { call, started } = openCalls({ threads })
  for (let i = 0; i < 6; i++) void call(`expensive ${i}`, { cost: expensive, key: `key ${i}` })
  expect(started).toHaveLength(threads - 1)
  void call('cheap', { account: 'other' })
  expect(started.at(-1)).toBe('cheap')
})

test.each([2, 3, 4])('of %i threads a key never uses all, however cheap its calls are', async (threads) => {
  const { call, started, end } = openCalls({ threads })
  for (let i = 0; i < 6; i++) void call(`cheap ${i}`)
  expect(started).toHaveLength(threads - 1)
  void call('other', { key: 'other' })
  expect(started.at(-1)).toBe('other')
  end('cheap 0')
  await expect.poll(() => started).toHaveLength(threads + 1)
  expect(started.at(-1)).toBe(`cheap ${threads - 1}`)
})

test('expensive calls of a key leave one thread for its cheap calls and one for other keys', async () => {
  const { call, started } = openCalls({ threads: 4 })
  for (let i = 1; i <= 4; i++) void call(`expensive ${i}`, { cost: expensive })
  expect(started).toEqual(['expensive 1', 'expensive 2'])
  for (let i = 1; i <= 2; i++) void call(`cheap ${i}`)
  expect(started.slice(2)).toEqual(['cheap 1'])
  void call('other', { account: 'other' })
  expect(started.slice(3)).toEqual(['other'])
})

test('cheap calls run in the last free thread, and others in the first, but never in the last', async () => {
  const { call, end, threadOf } = openCalls({ threads: 3 })
  const [, first] = [call('cheap'), call('expensive', { cost: expensive })]
  void call('second cheap', { key: 'other' })
  expect([...threadOf.values()]).toEqual([2, 0, 1])
  end('cheap')
  void call('second expensive', { cost: expensive, key: 'other' })
  end('expensive')
  await first
  await expect.poll(() => threadOf.get('second expensive')).toBe(0)
})

test('accounts take turns by consumption, and so do the keys of an account', async () => {
  const { call, runAll } = openCalls({})
  for (let i = 1; i <= 4; i++) void call(`greedy ${i}`, { account: 'greedy', cost: expensive })
  for (let i = 1; i <= 2; i++) void call(`modest ${i}`, { account: 'modest', cost: expensive })
  void call('greedy, other key', { account: 'greedy', key: 'other', cost: expensive })
  expect(await runAll(7)).toEqual(['greedy 1', 'modest 1', 'greedy, other key', 'modest 2', 'greedy 2', 'greedy 3', 'greedy 4'])
})

test('an idle account does not accumulate credit', async () => {
  const { call, runAll, started } = openCalls({})
  for (let i = 1; i <= 4; i++) void call(`early ${i}`, { account: 'early', cost: expensive })
  await runAll(2)
  await expect.poll(() => started).toHaveLength(3)
  for (let i = 1; i <= 4; i++) void call(`late ${i}`, { account: 'late', cost: expensive })
  expect(await runAll(8)).toEqual(['early 1', 'early 2', 'early 3', 'late 1', 'early 4', 'late 2', 'late 3', 'late 4'])
})

test('an account whose only call was aborted in the queue gets no credit later', async () => {
  const { call, runAll, started } = openCalls({})
  const abort = new AbortController()
  void call('busy 1', { account: 'busy', cost: expensive })
  const left = call('left', { account: 'other', cost: expensive, signal: abort.signal })
  abort.abort()
  await expect(left).rejects.toThrow('abort')
  for (let i = 2; i <= 6; i++) void call(`busy ${i}`, { account: 'busy', cost: expensive })
  await runAll(3)
  await expect.poll(() => started).toHaveLength(4)
  for (let i = 1; i <= 2; i++) void call(`other ${i}`, { account: 'other', cost: expensive })
  expect(await runAll(8)).toEqual(['busy 1', 'busy 2', 'busy 3', 'busy 4', 'other 1', 'busy 5', 'other 2', 'busy 6'])
})

test('listeners are removed from the signal of a call that has run, was rejected, or left the queue', async () => {
  const { call, end } = openCalls({ maxWaitMs: 1 })
  const { signal } = new AbortController()
  const running = call('running', { signal })
  await expect(call('late', { signal })).rejects.toThrow('queued too long')
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  end('running')
  await running
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
})

test('an expensive query is rejected at once if earlier ones of its key would make it wait too long', async () => {
  let now = 0
  const { call, end, started } = openCalls({ maxWaitMs: 3_000_000, now: () => now })
  const first = call('measured', { cost: expensive })
  now += 600_000
  end('measured')
  await first
  void call('running', { cost: expensive })
  await expect.poll(() => started).toEqual(['measured', 'running'])
  void call('queued 1', { cost: expensive })
  void call('queued 2', { cost: expensive })
  await expect(call('refused', { cost: expensive })).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 1200 })
  void call('other account', { account: 'other', cost: expensive })
  void call('cheap')
})

test('an admitted query is not rejected half way, and its parts precede later queries of its key', async () => {
  const { call, end, started } = openCalls({ maxQueuedPerKey: 2 })
  const { signal } = new AbortController()
  const first = call('part 1', { cost: expensive, signal })
  void call('later 1', { cost: expensive })
  void call('later 2', { cost: expensive })
  await expect(call('refused', { cost: expensive })).rejects.toMatchObject({ name: 'StoreUnavailable' })
  void call('part 2', { cost: expensive, signal })
  end('part 1')
  await first
  await expect.poll(() => started).toEqual(['part 1', 'part 2'])
})

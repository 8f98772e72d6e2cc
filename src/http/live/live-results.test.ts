import { createParser } from 'eventsource-parser'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { createListeners } from '../../store/listeners.ts'
import type { FiledResult } from '../../store/store.ts'
import type { StreamFilter } from './event-writer.ts'
import { createLiveResults, type Follower, heartbeatMs } from './live-results.ts'

const check = testCheck(anyRunType(), { id: 'homepage' })
const results = (from: number, count: number): FiledResult[] => Array.from({ length: count }, (_, i) => testResult(check, from + i))
const blog = testCheck(anyRunType(), { id: 'blog' })
const minute = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Live results whose event data is the start of the result, and a function that adds results. */
function open(own: { readonly items?: number; readonly bytes?: number; readonly bytesPerTick?: number } = {}, utilization = 0) {
  const limits = { items: 100, bytes: 2 ** 20, bytesPerTick: 2 ** 20, ...own }
  const listeners = createListeners()
  const format = vi.fn(({ result }: FiledResult): string | null => String(result.startedAt))
  let channels = 0
  const store = { onAppended: listeners.add }
  const live = createLiveResults({ store, format, newId: () => `channel${++channels}`, limits, utilization: () => utilization })
  const add = (added: readonly FiledResult[]) => {
    listeners.announce(added)
    vi.advanceTimersByTime(1000)
  }
  return { live, format, add, accounts: listeners.accounts, announce: listeners.announce, skip: listeners.skip }
}

/** A subscriber that collects the data of its events. */
function client(options: Partial<Follower> = {}) {
  const seen: string[] = []
  const chunks: string[] = []
  let lastEventId = ''
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (event !== 'open') seen.push(event === 'reset' ? 'reset' : data)
      lastEventId = id ?? lastEventId
    },
  })
  const write = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString()
    chunks.push(text)
    parser.feed(text)
    lastEventId = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? lastEventId
    return true
  }
  const end = vi.fn()
  return { seen, chunks, end, lastId: () => lastEventId, follower: { mayRead: () => true, filter: everything, write, end, ...options } }
}

const everything: StreamFilter = { key: 'all', acceptsCheck: () => true, acceptsResult: () => true }
const nothing: StreamFilter = { key: 'none', acceptsCheck: () => true, acceptsResult: () => false }
const only = (id: string): StreamFilter => ({ ...everything, key: id, acceptsCheck: ({ checkId }) => checkId === id })

describe('a subscriber', () => {
  test('that connects while the server closes is ended at once', () => {
    const { live, accounts } = open()
    live.close()
    const { follower, end } = client()
    live.follow('acme', null, follower).close()
    expect(end).toHaveBeenCalledOnce()
    expect(accounts()).toEqual([])
  })
  test('receives what is stored from then on, in order and once', () => {
    const { live, add } = open()
    add(results(0, 3))
    const { follower, seen } = client()
    live.follow('acme', null, follower)
    add(results(10, 2))
    add(results(20, 1))
    expect(seen).toEqual(['10', '11', '20'])
  })
  test('receives nothing of other accounts', () => {
    const { live, add } = open()
    const { follower, seen } = client()
    live.follow('other', null, follower)
    add(results(0, 3))
    expect(seen).toEqual([])
  })
  test('that reconnects with its last id receives what it has missed, wherever it stopped', () => {
    const { live, add } = open()
    const stays = client()
    live.follow('acme', null, stays.follower)
    for (let had = 0; had < 4; had++) {
      const first = client()
      const { close } = live.follow('acme', null, first.follower)
      add(results(had * 100, had))
      close()
      add(results(had * 100 + 50, 3))
      const second = client()
      live.follow('acme', first.lastId(), second.follower)
      add(results(had * 100 + 90, 1))
      const expected = [...results(had * 100, had), ...results(had * 100 + 50, 3), ...results(had * 100 + 90, 1)]
      expect([...first.seen, ...second.seen]).toEqual(expected.map(({ result }) => String(result.startedAt)))
    }
  })
  test('receives a reset and the remaining results if more was missed than is buffered', () => {
    const { live, add } = open({ items: 3 })
    const first = client()
    live.follow('acme', null, first.follower).close()
    add(results(0, 5))
    const second = client()
    live.follow('acme', first.lastId(), second.follower)
    expect(second.seen).toEqual(['reset', '2', '3', '4'])
  })
  test('receives a reset and the following results if the store has skipped results', () => {
    const { live, add, skip } = open()
    const { follower, seen, chunks } = client()
    live.follow('acme', null, follower)
    add(results(0, 1))
    skip('acme', { results: 20_000, byCheck: new Map([['homepage', { from: 1000, to: 2000 }]]) })
    add(results(30, 1))
    expect(seen).toEqual(['0', 'reset', '30'])
    expect(chunks.join('')).toContain('"missed":[{"checkId":"homepage","from":1,"to":3}]')
  })
  test.each(['channel9-0', 'channel1-7', 'nonsense', '-1', 'channel1-99999999999999999999'])('receives a reset for the id %s', (id) => {
    const { live, add } = open()
    live.follow('acme', null, client().follower)
    add(results(0, 1))
    const { follower, seen, lastId } = client()
    live.follow('acme', id, follower)
    expect(seen).toEqual(['reset', '0'])
    expect(lastId()).toBe('channel1-1')
  })
  test('receives a reset if more results arrive than can be buffered', () => {
    const { live, add } = open({ items: 3 })
    const { follower, seen } = client()
    live.follow('acme', null, follower)
    add(results(0, 10))
    expect(seen).toEqual(['reset', '7', '8', '9'])
  })
  test('with a full buffer receives nothing until it drains, and then everything', () => {
    const { live, add } = open()
    const isFull = { now: false }
    const { follower, seen } = client()
    const { resume } = live.follow('acme', null, { ...follower, write: (bytes) => follower.write(bytes) && !isFull.now })
    isFull.now = true
    add(results(0, 1))
    add(results(1, 5))
    vi.advanceTimersByTime(minute)
    expect(seen).toEqual(['0'])
    isFull.now = false
    resume()
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5'])
  })
  test('is ended and receives nothing more when its key is removed', () => {
    const { live, add } = open()
    let isAllowed = true
    const { follower, seen, chunks, end } = client({ mayRead: () => isAllowed })
    live.follow('acme', null, follower)
    isAllowed = false
    const before = chunks.length
    add(results(0, 1))
    vi.advanceTimersByTime(minute)
    expect([seen, chunks.length, end.mock.calls.length]).toEqual([[], before, 1])
  })
  test('receives a heartbeat with its current position', () => {
    const { live, add } = open()
    const { follower, chunks, lastId } = client({ filter: nothing })
    live.follow('acme', null, follower)
    add(results(0, 3))
    vi.advanceTimersByTime(heartbeatMs)
    expect(chunks.at(-1)).toBe(`: heartbeat\nid: channel1-3\n\n`)
    expect(lastId()).toBe('channel1-3')
  })
})

/** The data of the resets in these chunks. */
const resets = (chunks: readonly string[]) =>
  [...chunks.join('').matchAll(/^event: reset\nid: .*\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)).missed)

describe('a reset', () => {
  test('lists for each check the range of starts of skipped results, in whole seconds', () => {
    const { live, add } = open({ items: 1 })
    const { follower, chunks } = client()
    live.follow('acme', null, follower)
    add([...results(1500, 2), testResult(blog, 9000), testResult(check, 4999), testResult(blog, 10_000)])
    expect(resets(chunks)).toEqual([
      [
        { checkId: 'homepage', from: 1, to: 5 },
        { checkId: 'blog', from: 9, to: 10 },
      ],
    ])
  })
  test('lists everything that was ever skipped, however long ago', () => {
    const { live, add, announce } = open({ items: 1 })
    const first = client()
    live.follow('acme', null, first.follower).close()
    for (let i = 0; i < 2000; i++) announce([testResult(i % 2 ? check : blog, 1000 * i)])
    add(results(0, 1))
    const { follower, chunks } = client()
    live.follow('acme', first.lastId(), follower)
    expect(resets(chunks)).toEqual([
      [
        { checkId: 'blog', from: 0, to: 1999 },
        { checkId: 'homepage', from: 1, to: 2000 },
      ],
    ])
  })
  test('lists nothing for an unknown id', () => {
    const { live } = open()
    const { follower, chunks } = client()
    live.follow('acme', 'another-1', follower)
    expect(resets(chunks)).toEqual([null])
  })
  test('is not sent for checks that a subscriber does not want', () => {
    const { live, add } = open({ items: 3 })
    const { follower, seen } = client({ filter: only('blog') })
    live.follow('acme', null, follower)
    add([...results(0, 10), testResult(blog, 5)])
    expect(seen).toEqual(['5'])
  })
})

describe('under heavy load', () => {
  test.each([
    { utilization: 0, maxBytes: 100_000 },
    { utilization: 0.5, maxBytes: 50_000 },
    { utilization: 1, maxBytes: 6250 },
  ])(
    'all subscribers together receive at most the limit and one write per tick while the event loop is busy to $utilization, and everything in the end',
    ({ utilization, maxBytes }) => {
      const { live, announce } = open({ items: 10_000, bytes: 2 ** 30, bytesPerTick: 100_000 }, utilization)
      const clients = Array.from({ length: 10 }, () => client())
      for (const { follower } of clients) live.follow('acme', null, follower)
      const sent = () => clients.reduce((sum, { chunks }) => sum + chunks.join('').length, 0)
      const flood = results(0, 5000)
      announce(flood)
      for (let before = sent(); clients.some(({ seen }) => seen.length < flood.length); before = sent()) {
        vi.advanceTimersToNextTimer()
        expect(sent() - before).toBeLessThan(maxBytes + 20_000)
      }
      for (const { seen } of clients) expect(seen).toEqual(flood.map(({ result }) => String(result.startedAt)))
    },
  )
  test('subscribers of one check share the same bytes', () => {
    const { live, add } = open()
    const written: Uint8Array[] = []
    for (let i = 0; i < 3; i++) live.follow('acme', null, client({ write: (bytes) => written.push(bytes) > 0 }).follower)
    add(results(0, 5))
    expect(new Set(written.slice(3)).size).toBe(1)
  })
})

test('a result is formatted once for all subscribers, and not at all if none accepts it', () => {
  const { live, format, add } = open()
  for (let i = 0; i < 5; i++) live.follow('acme', null, client().follower)
  add(results(0, 3))
  expect(format).toHaveBeenCalledTimes(3)
  const { live: other, format: unused, add: addOther } = open()
  other.follow('acme', null, client({ filter: nothing }).follower)
  addOther(results(0, 3))
  expect(unused).not.toHaveBeenCalled()
})

test('storing a result does not write or format anything synchronously', () => {
  const { live, format, announce } = open()
  const { follower, chunks } = client()
  live.follow('acme', null, follower)
  const before = chunks.length
  announce(results(0, 100))
  expect([chunks.length, format.mock.calls.length]).toEqual([before, 0])
})

test('results in quick succession share one write', () => {
  const { live, announce } = open()
  const { follower, chunks, seen } = client()
  live.follow('acme', null, follower)
  const before = chunks.length
  for (let i = 0; i < 50; i++) announce(results(i, 1))
  vi.advanceTimersByTime(1000)
  expect([chunks.length - before, seen.length]).toEqual([1, 50])
})

test('the buffer of an account is dropped some minutes after its last subscriber', () => {
  const { live, add } = open()
  const first = client()
  live.follow('acme', null, first.follower).close()
  add(results(0, 1))
  vi.advanceTimersByTime(10 * minute)
  const second = client()
  live.follow('acme', first.lastId(), second.follower)
  expect(second.seen).toEqual(['reset'])
})

test('all subscribers are ended on close', () => {
  const { live, add } = open()
  const { follower, end, seen } = client()
  live.follow('acme', null, follower)
  live.close()
  add(results(0, 1))
  expect([end.mock.calls.length, seen]).toEqual([1, []])
})

test('store events of an account are subscribed to only while it has subscribers, or they may resume', () => {
  const { live, accounts } = open()
  expect(accounts()).toEqual([])
  const { close } = live.follow('acme', null, client().follower)
  live.follow('other', null, client().follower)
  expect(accounts()).toEqual(['acme', 'other'])
  close()
  vi.advanceTimersByTime(4 * minute)
  expect(accounts()).toEqual(['acme', 'other'])
  vi.advanceTimersByTime(2 * minute)
  expect(accounts()).toEqual(['other'])
  live.close()
  expect(accounts()).toEqual([])
})

import { createParser } from 'eventsource-parser'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import type { FiledResult } from '../../store/store.ts'
import { createLiveResults, type Follower, heartbeatMs } from './live-results.ts'

const check = testCheck(anyRunType(), { id: 'homepage' })
const results = (from: number, count: number): FiledResult[] => Array.from({ length: count }, (_, i) => testResult(check, from + i))
const minute = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Live results whose events are the start of a result, and a way to add some. */
function open(limits = { items: 100, bytes: 2 ** 20 }) {
  let announce: (added: readonly FiledResult[]) => void = () => {}
  const format = vi.fn(({ result }: FiledResult): string | null => String(result.startedAt))
  let channels = 0
  const store = {
    onAppended: (listener: typeof announce) => {
      announce = listener
      return () => {
        announce = () => {}
      }
    },
  }
  const live = createLiveResults({ store, format, newId: () => `channel${++channels}`, limits })
  const add = (added: readonly FiledResult[]) => {
    announce(added)
    vi.advanceTimersByTime(1000)
  }
  return { live, format, add, announce: (added: readonly FiledResult[]) => announce(added) }
}

/** A follower that collects the data of its events. */
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
  const write = (text: string) => {
    chunks.push(text)
    parser.feed(text)
    lastEventId = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? lastEventId
    return true
  }
  const end = vi.fn()
  return { seen, chunks, end, lastId: () => lastEventId, follower: { mayRead: () => true, accepts: () => true, write, end, ...options } }
}

describe('a follower', () => {
  test('gets what is stored from then on, in order and once', () => {
    const { live, add } = open()
    add(results(0, 3))
    const { follower, seen } = client()
    live.follow('acme', null, follower)
    add(results(10, 2))
    add(results(20, 1))
    expect(seen).toEqual(['10', '11', '20'])
  })
  test('gets nothing of another account', () => {
    const { live, add } = open()
    const { follower, seen } = client()
    live.follow('other', null, follower)
    add(results(0, 3))
    expect(seen).toEqual([])
  })
  test('that comes back with its last id gets what it has missed, whatever it had', () => {
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
  test('is told of a reset where more was missed than is kept, and gets what is kept', () => {
    const { live, add } = open({ items: 3, bytes: 2 ** 20 })
    const first = client()
    live.follow('acme', null, first.follower).close()
    add(results(0, 5))
    const second = client()
    live.follow('acme', first.lastId(), second.follower)
    expect(second.seen).toEqual(['reset', '2', '3', '4'])
  })
  test.each(['channel9-0', 'channel1-7', 'nonsense', '-1', 'channel1-99999999999999999999'])('is told of a reset for the id %s', (id) => {
    const { live, add } = open()
    live.follow('acme', null, client().follower)
    add(results(0, 1))
    const { follower, seen, lastId } = client()
    live.follow('acme', id, follower)
    expect(seen).toEqual(['reset', '0'])
    expect(lastId()).toBe('channel1-1')
  })
  test('is told of a reset where a flood of results is larger than what is kept', () => {
    const { live, add } = open({ items: 3, bytes: 2 ** 20 })
    const { follower, seen } = client()
    live.follow('acme', null, follower)
    add(results(0, 10))
    expect(seen).toEqual(['reset', '7', '8', '9'])
  })
  test('that is full gets no more until it has room, and then everything', () => {
    const { live, add } = open()
    const isFull = { now: false }
    const { follower, seen } = client()
    const { resume } = live.follow('acme', null, { ...follower, write: (text) => follower.write(text) && !isFull.now })
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
  test('ends when its key is gone, and gets nothing more', () => {
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
  test('gets a heartbeat with the position that it has reached', () => {
    const { live, add } = open()
    const { follower, chunks, lastId } = client({ accepts: () => false })
    live.follow('acme', null, follower)
    add(results(0, 3))
    vi.advanceTimersByTime(heartbeatMs)
    expect(chunks.at(-1)).toBe(`: heartbeat\nid: channel1-3\n\n`)
    expect(lastId()).toBe('channel1-3')
  })
})

test('a result is formatted once for all followers, and not at all where none accepts it', () => {
  const { live, format, add } = open()
  for (let i = 0; i < 5; i++) live.follow('acme', null, client().follower)
  add(results(0, 3))
  expect(format).toHaveBeenCalledTimes(3)
  const { live: other, format: unused, add: addOther } = open()
  other.follow('acme', null, client({ accepts: () => false }).follower)
  addOther(results(0, 3))
  expect(unused).not.toHaveBeenCalled()
})

test('storing a result writes and formats nothing by itself', () => {
  const { live, format, announce } = open()
  const { follower, chunks } = client()
  live.follow('acme', null, follower)
  const before = chunks.length
  announce(results(0, 100))
  expect([chunks.length, format.mock.calls.length]).toEqual([before, 0])
})

test('results that follow each other closely share one write', () => {
  const { live, announce } = open()
  const { follower, chunks, seen } = client()
  live.follow('acme', null, follower)
  const before = chunks.length
  for (let i = 0; i < 50; i++) announce(results(i, 1))
  vi.advanceTimersByTime(1000)
  expect([chunks.length - before, seen.length]).toEqual([1, 50])
})

test('what nobody has followed for some minutes is not kept', () => {
  const { live, add } = open()
  const first = client()
  live.follow('acme', null, first.follower).close()
  add(results(0, 1))
  vi.advanceTimersByTime(10 * minute)
  const second = client()
  live.follow('acme', first.lastId(), second.follower)
  expect(second.seen).toEqual(['reset'])
})

test('all followers end when it closes', () => {
  const { live, add } = open()
  const { follower, end, seen } = client()
  live.follow('acme', null, follower)
  live.close()
  add(results(0, 1))
  expect([end.mock.calls.length, seen]).toEqual([1, []])
})

import { describe, expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { createEventWriter, type StreamFilter } from './event-writer.ts'
import type { LiveAlert } from './live-alert.ts'
import { createReplayBuffer } from './replay-buffer.ts'

const [shop, blog] = ['shop', 'blog'].map((id) => testCheck(anyRunType(), { id })) as [
  ReturnType<typeof testCheck>,
  ReturnType<typeof testCheck>,
]
const result = (check: typeof shop, second: number) => testResult(check, second * 1000, { pages: [] })
const alert = (name: string): LiveAlert => ({ name: 'alert', checkIds: ['shop'], bytes: 10, data: () => `{"alert":"${name}"}` })
const all: StreamFilter = { key: 'all', acceptsCheck: () => true, acceptsResult: () => true }
const withAlerts: StreamFilter = { ...all, key: 'alerts', acceptsAlert: () => true }

function open(items = 100) {
  const buffer = createReplayBuffer({ items, bytes: 1e6 })
  const formatted: number[] = []
  const writer = createEventWriter({
    account: 'acme',
    id: 'w',
    buffer,
    format: ({ result: { startedAt } }) => {
      formatted.push(startedAt / 1000)
      return startedAt === 13_000 ? null : `{"at":${startedAt / 1000}}`
    },
  })
  const read = (from: number, filter = all, maxLength = 1e6) => {
    const { bytes, position } = writer.eventsAfter(from, filter, maxLength)
    return [bytes.toString(), position]
  }
  return { buffer, writer, formatted, read }
}
const event = (position: number, second: number) => `event: result\nid: w-${position}\ndata: {"at":${second}}\n\n`

describe('events', () => {
  test('are written in order, once each, with the position after it', () => {
    const { buffer, read, formatted } = open()
    buffer.push([result(shop, 1), result(shop, 2)])
    buffer.push([result(blog, 3)])
    expect(read(0)).toEqual([event(1, 1) + event(2, 2) + event(3, 3), 3])
    expect(read(1)).toEqual([event(2, 2) + event(3, 3), 3])
    expect(read(3)).toEqual(['', 3])
    expect(formatted).toEqual([1, 2, 3])
  })
  test('are filtered by the client', () => {
    const { buffer, read } = open()
    buffer.push([result(shop, 1), result(shop, 2)])
    buffer.push([result(blog, 3)])
    expect(read(0, { ...all, acceptsCheck: ({ checkId }) => checkId === 'blog' })).toEqual([event(3, 3), 3])
    expect(read(0, { ...all, acceptsResult: ({ startedAt }) => startedAt === 2000 })).toEqual([event(2, 2), 3])
  })
  test('of removed checks are left out', () => {
    const { buffer, read } = open()
    buffer.push([result(shop, 13), result(shop, 14)])
    expect(read(0)).toEqual([event(2, 14), 2])
  })
  test('end at the maximum length, and continue from there', () => {
    const { buffer, read } = open()
    buffer.push([result(shop, 1), result(shop, 2), result(shop, 3)])
    buffer.push([result(blog, 4)])
    const { length } = event(1, 1)
    expect(read(0, all, 1)).toEqual([event(1, 1), 1])
    expect(read(0, all, length)).toEqual([event(1, 1), 1])
    expect(read(0, all, length + 1)).toEqual([event(1, 1) + event(2, 2), 2])
    expect(read(2, all, length)).toEqual([event(3, 3), 3])
    expect(read(0, { ...all, acceptsCheck: ({ checkId }) => checkId === 'shop' }, 1)).toEqual([event(1, 1), 1])
  })
  test('of alerts are sent to clients that subscribe to them', () => {
    const { buffer, read } = open()
    buffer.push([result(shop, 1)])
    buffer.pushAlert(alert('a'))
    const alertEvent = 'event: alert\nid: w-2\ndata: {"alert":"a"}\n\n'
    expect(read(0)).toEqual([event(1, 1), 2])
    expect(read(0, withAlerts)).toEqual([event(1, 1) + alertEvent, 2])
    expect(read(1, withAlerts)).toEqual([alertEvent, 2])
    expect(read(0, { ...all, acceptsAlert: () => false })).toEqual([event(1, 1), 2])
  })
})

describe('after results were dropped', () => {
  const reset = (position: number, data: object) => `event: reset\nid: w-${position}\ndata: ${JSON.stringify(data)}\n\n`
  const skipped = 'Results were skipped. Read them with GET /v2/check-results/{checkId} and these from and to.'
  const unknown = 'Results before this were skipped. Read them with GET /v2/check-results/{checkId}.'
  const soWereAlerts = ' So were alerts: GET /v1/alerts.'

  test('a reset lists the starts of the missed ones', () => {
    const { buffer, read } = open(2)
    buffer.push([result(shop, 1), result(shop, 2)])
    buffer.push([result(blog, 4), result(blog, 5)])
    const missed = [{ checkId: 'shop', from: 1, to: 3 }]
    expect(read(0)).toEqual([reset(2, { message: skipped, missed }) + event(3, 4) + event(4, 5), 4])
    expect(read(2)).toEqual([event(3, 4) + event(4, 5), 4])
    expect(read(0, { ...all, acceptsCheck: ({ checkId }) => checkId === 'blog' })).toEqual([event(3, 4) + event(4, 5), 4])
  })
  test('a reset for a position of another writer has no such list', () => {
    const { buffer, read } = open()
    buffer.push([result(shop, 1)])
    expect(read(-1)).toEqual([reset(0, { message: unknown, missed: null }) + event(1, 1), 1])
    expect(read(-1, withAlerts)).toEqual([reset(0, { message: unknown + soWereAlerts, missed: null, alerts: true }) + event(1, 1), 1])
  })
  test('missed alerts are reported to clients that subscribe to them', () => {
    const { buffer, read } = open(2)
    buffer.pushAlert(alert('a'))
    buffer.push([result(shop, 1), result(shop, 2)])
    const events = event(2, 1) + event(3, 2)
    expect(read(0)).toEqual([events, 3])
    expect(read(0, withAlerts)).toEqual([reset(1, { message: skipped + soWereAlerts, missed: [], alerts: true }) + events, 3])
  })
})

test('a client resumes from the id of its last event, if it was issued by this writer', () => {
  const { buffer, writer } = open()
  buffer.push([result(shop, 1), result(shop, 2)])
  const positions = [null, 'w-0', 'w-2', 'w-3', 'x-1', 'w', 'w-', 'w-1x', '-1', `w-${'1'.repeat(16)}`].map(writer.positionOf)
  expect(positions).toEqual([2, 0, 2, -1, -1, -1, -1, -1, -1, -1])
})

test('a stream opens with its position, and a heartbeat repeats it', () => {
  const { writer } = open()
  expect(writer.opening(7).toString()).toBe('retry: 2000\nevent: open\nid: w-7\ndata: {}\n\n')
  expect(writer.opening(0).toString()).toBe('retry: 2000\nevent: open\nid: w-0\ndata: {}\n\n')
  expect(writer.opening(-1).toString()).toBe('retry: 2000\n\n')
  expect(writer.heartbeat(7).toString()).toBe(': heartbeat\nid: w-7\n\n')
})

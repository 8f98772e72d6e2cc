import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type OutboxLimits, type OutboxResult, openOutboxDatabase } from './outbox-database.ts'

const now = Date.UTC(2026, 10, 14, 10)
const generous = { maxBytes: 1_000_000, maxAgeMs: 86_400_000 }
const plain = (...rows: readonly string[]): readonly OutboxResult[] => rows.map((row) => ({ row, evidence: null }))
const shown = (row: string, bytes: number): OutboxResult => ({ row, evidence: new Uint8Array(bytes).fill(7) })
const open = (directory = temporaryFolder(), limits: OutboxLimits = generous) => openOutboxDatabase({ directory, limits })

test('results are kept in order until they are removed, also after a restart', () => {
  const directory = temporaryFolder()
  const first = open(directory)
  expect(first.put(plain('a', 'b'), now)).toEqual({ waiting: 2, dropped: 0 })
  first.put(plain('c'), now + 0.5)
  first.close()
  const second = open(directory)
  const waiting = second.next(0)
  expect(waiting.map(({ row }) => row)).toEqual(['a', 'b', 'c'])
  expect(second.remove(waiting.slice(0, 2).map(({ position }) => position))).toEqual({ waiting: 1, dropped: 0 })
  expect(second.next(0).map(({ row }) => row)).toEqual(['c'])
  second.close()
})

test('results are found and removed by their positions, with their evidence', () => {
  const outbox = open(temporaryFolder(), { ...generous, maxBytes: 1e9 })
  outbox.put([...plain('a'), shown('b', 10), ...plain('c')], now)
  const [a, b, c] = outbox.next(0).map(({ position }) => position) as [number, number, number]
  expect(outbox.remove([a, c])).toEqual({ waiting: 1, dropped: 0 })
  expect(outbox.find([c, b])).toEqual([null, { position: b, row: 'b', evidence: new Uint8Array(10).fill(7) }])
  expect(outbox.remove([a, b])).toEqual({ waiting: 0, dropped: 0 })
  outbox.put([shown('d', 600_000), shown('e', 600_000)], now)
  expect(outbox.find([a, c + 1, c + 2])).toMatchObject([null, { row: 'd' }])
  outbox.close()
})

test('positions are never reused, so that a late removal does not remove a newer result', () => {
  const outbox = open()
  outbox.put(plain('a'), now)
  const [last] = outbox.next(0)
  outbox.remove([last?.position ?? 0])
  outbox.put(plain('b'), now)
  outbox.remove([last?.position ?? 0])
  expect(outbox.next(0).map(({ row }) => row)).toEqual(['b'])
  outbox.close()
})

test('beyond the size limit the oldest results are dropped and counted, also after a restart', () => {
  const directory = temporaryFolder()
  const limits = { ...generous, maxBytes: 100 }
  const first = open(directory, limits)
  for (let i = 0; i < 12; i++) first.put(plain(`${i}`.padStart(10, '0')), now)
  expect(first.next(0).map(({ row }) => Number(row))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  first.close()
  const second = open(directory, limits)
  expect(second.put(plain('0000000012'), now)).toEqual({ waiting: 10, dropped: 3 })
  second.close()
})

test('beyond the size limit the oldest evidence is dropped before any result', () => {
  const outbox = open(temporaryFolder(), { ...generous, maxBytes: 100 })
  outbox.put([shown('aaaaa', 40), shown('bbbbb', 40)], now)
  expect(outbox.put([shown('ccccc', 40)], now)).toEqual({ waiting: 3, dropped: 0 })
  expect(outbox.next(0).map(({ row, evidence }) => [row, evidence?.length ?? null])).toEqual([
    ['aaaaa', null],
    ['bbbbb', 40],
    ['ccccc', 40],
  ])
  outbox.remove(outbox.next(0).map(({ position }) => position))
  expect(outbox.put([shown('ddddd', 90)], now)).toEqual({ waiting: 1, dropped: 0 })
  expect(outbox.next(0)).toMatchObject([{ row: 'ddddd', evidence: new Uint8Array(90).fill(7) }])
  outbox.close()
})

test('expired results are dropped and counted, as are those that were never put here', () => {
  const outbox = open()
  outbox.put(plain('old'), now)
  outbox.put(plain('new'), now + 1000)
  expect(outbox.expire(now + 86_400_500, 0)).toEqual({ waiting: 1, dropped: 1 })
  expect(outbox.expire(now + 86_400_500, 5)).toEqual({ waiting: 1, dropped: 6 })
  expect(outbox.next(0).map(({ row }) => row)).toEqual(['new'])
  outbox.close()
})

test('a clock that was wrong for some time does not expire results with correct times', () => {
  const day = 86_400_000
  const outbox = open()
  outbox.put(plain('before'), now)
  outbox.put(plain('behind'), now - 3 * day)
  outbox.put(plain('ahead'), now + 3 * day)
  outbox.put(plain('after'), now + 60_000)
  expect(outbox.expire(now + 120_000, 0)).toEqual({ waiting: 4, dropped: 0 })
  expect(outbox.expire(now + day + 1, 0)).toEqual({ waiting: 2, dropped: 2 })
  expect(outbox.next(0).map(({ row }) => row)).toEqual(['ahead', 'after'])
  expect(outbox.expire(now + 4 * day + 1, 0)).toEqual({ waiting: 0, dropped: 4 })
  outbox.close()
})

test('while the clock is days behind, earlier results do not expire', () => {
  const day = 86_400_000
  const outbox = open()
  outbox.put(plain('before'), now)
  expect(outbox.expire(now - 10 * day, 0)).toEqual({ waiting: 1, dropped: 0 })
  outbox.put(plain('behind'), now - 10 * day)
  expect(outbox.expire(now - 9.5 * day, 0)).toEqual({ waiting: 2, dropped: 0 })
  expect(outbox.expire(now + 1000, 0)).toEqual({ waiting: 2, dropped: 0 })
  expect(outbox.expire(now + day + 1, 0)).toEqual({ waiting: 0, dropped: 2 })
  outbox.close()
})

test('a batch has up to 250 results and a million characters, and at least one', () => {
  const outbox = open(temporaryFolder(), { ...generous, maxBytes: 1e9 })
  outbox.put(plain(...'x'.repeat(400)), now)
  outbox.put(plain('y'.repeat(2_000_000), 'z'), now)
  const first = outbox.next(0)
  expect(first).toHaveLength(250)
  const second = outbox.next(first.at(-1)?.position ?? 0)
  expect(second).toHaveLength(150)
  expect(outbox.next(second.at(-1)?.position ?? 0)).toHaveLength(1)
  outbox.close()
})

test('a batch may have exactly a million characters', () => {
  const outbox = open(temporaryFolder(), { ...generous, maxBytes: 1e9 })
  outbox.put(plain('x'.repeat(600_000), 'y'.repeat(400_000), 'z'), now)
  expect(outbox.next(0)).toHaveLength(2)
  outbox.close()
})

test('evidence counts towards the size of a batch as it is sent, in base64', () => {
  const outbox = open(temporaryFolder(), { ...generous, maxBytes: 1e9 })
  outbox.put([shown('a', 300_000), shown('b', 300_000), shown('c', 300_000)], now)
  expect(outbox.next(0).map(({ row }) => row)).toEqual(['a', 'b'])
  outbox.close()
})

test('settings are kept', () => {
  const directory = temporaryFolder()
  const first = open(directory)
  expect(first.read('instance')).toBeNull()
  first.write('instance', 'a')
  first.write('instance', 'b')
  first.close()
  const second = open(directory)
  expect(second.read('instance')).toBe('b')
  second.close()
})

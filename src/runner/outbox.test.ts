import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { refusingChecks } from '../../test/support/refusing-store.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import { type FiledResult, StoreUnavailable } from '../store/store.ts'
import { pause } from './clock.ts'
import { createOutbox } from './outbox.ts'
import { type OutboxFile, openOutboxFile } from './outbox-file.ts'

const filed = (index: number, checkId = 'homepage'): FiledResult => ({
  check: { account: 'acme', checkId },
  result: { id: `result-${index}`, ...pingOutcome('RECEIVED', index) },
})

async function setUp(capacity = 100, file?: OutboxFile) {
  const clock = virtualClock(0)
  const { store } = await temporaryStore(clock.now)
  const log = recordingLog()
  const state = {
    fault: null as Error | null,
    hold: null as Promise<void> | null,
    calls: [] as { at: number; results: number }[],
    rejects: (_: string | null) => false,
    /** Checks whose results are refused, while others are stored. */
    refuses: new Set<string>(),
    /** Calls with results of refused checks wait for this first. */
    hang: null as Promise<void> | null,
  }
  const ids: (string | null)[] = []
  const sizes: number[] = []
  const take = async (results: readonly FiledResult[]) => {
    const appended = await store.append(results.map(({ check, result }) => ({ check, result })))
    sizes.push(...results.map((one) => one.evidence?.length ?? 0))
    ids.push(...results.map(({ result }) => result.id))
    return appended
  }
  const append = async (results: readonly FiledResult[]) => {
    state.calls.push({ at: clock.now(), results: results.length })
    if (state.hold) await state.hold
    if (state.fault) throw state.fault
    if (results.some(({ result }) => state.rejects(result.id))) throw new TypeError('no such column')
    if (results.some(({ check }) => state.refuses.has(check.checkId))) await state.hang
    return refusingChecks(take, state.refuses)(results)
  }
  const outbox = createOutbox({ append, clock, log, capacity, ...(file && { file }) })
  return { clock, log, state, outbox, ids, sizes }
}

const full = new StoreUnavailable('the disk is full', 2)
const none = new AbortController().signal

test('results are stored in order', async () => {
  const { outbox, ids } = await setUp()
  for (let index = 0; index < 5; index++) outbox.put(filed(index))
  await outbox.close(none)
  expect(ids).toEqual(['result-0', 'result-1', 'result-2', 'result-3', 'result-4'])
})

test('results are retried until the store is available, and both are logged once', async () => {
  const { outbox, ids, state, clock, log } = await setUp()
  state.fault = full
  outbox.put(filed(1))
  await clock.advance(60_000)
  outbox.put(filed(2))
  expect(ids).toEqual([])
  expect(state.calls.length).toBeLessThan(10)
  state.fault = null
  await clock.advance(30_000)
  expect(ids).toEqual(['result-1', 'result-2'])
  expect(log.messages).toEqual(['The store is unavailable. Results wait in memory.', 'The store is available again.'])
})

test('evidence is stored with its result, and dropped beyond 64 MB while it waits', async () => {
  const { outbox, state, clock, sizes } = await setUp()
  state.fault = full
  const evidence = new Uint8Array(30 * 2 ** 20)
  for (let index = 0; index < 3; index++) outbox.put({ ...filed(index), evidence })
  state.fault = null
  await clock.advance(30_000)
  outbox.put({ ...filed(3), evidence })
  await outbox.close(none)
  expect(sizes).toEqual([evidence.length, evidence.length, 0, evidence.length])
})

test.each([
  ['what the store asks for', 2, [0, 2, 6, 14, 30, 60, 90]],
  ['one second, if the store asks for less', 0, [0, 1, 3, 7, 15, 31, 61]],
])('retries begin after %s, and back off exponentially up to half a minute', async (_, retryAfterSeconds, seconds) => {
  const { outbox, state, clock } = await setUp()
  state.fault = new StoreUnavailable('the disk is full', retryAfterSeconds)
  outbox.put(filed(1))
  await clock.advance(90_000)
  expect(state.calls.map(({ at }) => at / 1000).slice(0, 7)).toEqual(seconds)
})

test('after a recovery, another failure is logged and retried as soon as the first', async () => {
  const { outbox, ids, state, clock, log } = await setUp(1)
  for (const index of [0, 10]) {
    state.fault = full
    const before = state.calls.length
    const start = clock.now()
    outbox.put(filed(index))
    await clock.advance(1000)
    outbox.put(filed(index + 1))
    await clock.advance(6000)
    expect(state.calls.slice(before).map(({ at }) => at - start)).toEqual([0, 2000, 6000])
    state.fault = null
    await clock.advance(30_000)
  }
  expect(ids).toEqual(['result-1', 'result-11'])
  const messages = [
    'The store is unavailable. Results wait in memory.',
    'The outbox is full: the oldest results are dropped.',
    'The store is available again.',
  ]
  expect(log.messages).toEqual([...messages, ...messages])
})

test('waiting results are sent in batches of a thousand', async () => {
  const { outbox, ids, state, clock } = await setUp(10_000)
  state.fault = full
  for (let index = 0; index < 2500; index++) outbox.put(filed(index))
  state.fault = null
  await clock.advance(10_000)
  await outbox.close(none)
  expect(state.calls.slice(-3).map(({ results }) => results)).toEqual([1000, 1000, 500])
  expect(ids).toEqual(Array.from({ length: 2500 }, (_, index) => `result-${index}`))
})

test('while the store is unavailable, the newest results are kept up to the capacity', async () => {
  const { outbox, ids, state, clock, log } = await setUp(3)
  state.fault = full
  for (let index = 0; index < 10; index++) outbox.put(filed(index))
  state.fault = null
  await clock.advance(60_000)
  expect(ids).toEqual(['result-7', 'result-8', 'result-9'])
  expect(log.messages).toContain('The outbox is full: the oldest results are dropped.')
  expect(log.entries).toContainEqual(expect.objectContaining({ message: 'The store is available again.', fields: { dropped: 7 } }))
})

test('results that arrive while a batch is stored are sent after it, even if the outbox was full', async () => {
  const { outbox, ids, state, clock } = await setUp(3)
  let release = () => {}
  state.hold = new Promise((resolve) => {
    release = resolve
  })
  for (let index = 0; index < 5; index++) outbox.put(filed(index))
  release()
  await clock.advance(1000)
  await outbox.close(none)
  expect(ids).toEqual(['result-0', 'result-2', 'result-3', 'result-4'])
})

test('results that the store rejects permanently do not block others', async () => {
  const { outbox, ids, state, clock, log } = await setUp()
  state.fault = new TypeError('no such column')
  outbox.put(filed(1))
  await clock.advance(1000)
  state.fault = null
  outbox.put(filed(2))
  await clock.advance(1000)
  expect(ids).toEqual(['result-2'])
  expect(log.messages).toEqual(['The store rejected results permanently.'])
})

test('only the results of a batch that the store rejects are lost', async () => {
  const { outbox, ids, state, log } = await setUp()
  state.rejects = (id) => id === 'result-3' || id === 'result-7'
  for (let index = 0; index < 9; index++) outbox.put(filed(index))
  await outbox.close(none)
  expect(ids).toEqual([0, 1, 2, 4, 5, 6, 8].map((index) => `result-${index}`))
  expect(log.messages).toEqual(['The store rejected results permanently.'])
})

test('at shutdown it does not wait for an unavailable store, and logs the loss without a file', async () => {
  const { outbox, state, clock, log } = await setUp()
  state.fault = full
  outbox.put(filed(1))
  await clock.advance(1000)
  await outbox.close(AbortSignal.abort())
  expect(log.entries.at(-1)).toMatchObject({
    message: 'Results were lost: the store was unavailable until shutdown, and saving them failed.',
    fields: { results: 1 },
  })
})

test('at shutdown it waits for the store until it is aborted', async () => {
  for (const isBack of [true, false]) {
    const { outbox, ids, state, clock, log } = await setUp()
    state.fault = full
    outbox.put(filed(1))
    await clock.advance(1000)
    const stop = new AbortController()
    const closed = outbox.close(stop.signal)
    if (isBack) state.fault = null
    await clock.advance(5000)
    if (!isBack) stop.abort()
    await closed
    expect(ids).toEqual(isBack ? ['result-1'] : [])
    expect(log.messages.at(-1)).toMatch(isBack ? 'available again' : 'Results were lost')
    expect(clock.pending()).toBe(0)
  }
})

test('at shutdown it retries at once, however long the next delay would have been', async () => {
  const { outbox, ids, state, clock } = await setUp()
  state.fault = full
  outbox.put(filed(1))
  await clock.advance(40_000)
  state.fault = null
  const tries = state.calls.length
  await outbox.close(none)
  expect(ids).toEqual(['result-1'])
  expect(state.calls.slice(tries)).toEqual([{ at: 40_000, results: 1 }])
})

test('at shutdown it does not wait for a call without a response', async () => {
  const { outbox, state, log } = await setUp()
  state.hold = new Promise(() => {})
  outbox.put(filed(1))
  await outbox.close(AbortSignal.abort())
  expect(log.messages.at(-1)).toMatch('Results were lost')
})

const idsOf = (...indexes: readonly number[]) => indexes.map((index) => `result-${index}`)

test('refused results of a check do not block others, and are stored in order once they are accepted', async () => {
  const { outbox, ids, state, clock, log } = await setUp()
  state.refuses.add('dead')
  for (let index = 0; index < 6; index++) outbox.put(filed(index, index % 2 === 0 ? 'dead' : 'homepage'))
  await clock.advance(60_000)
  outbox.put(filed(6, 'dead'))
  outbox.put(filed(7))
  await clock.advance(0)
  expect(ids).toEqual(idsOf(1, 3, 5, 7))
  state.refuses.clear()
  await clock.advance(30_000)
  expect(ids).toEqual(idsOf(1, 3, 5, 7, 0, 2, 4, 6))
  expect(log.messages).toEqual(['The store rejects results of some checks. They wait in memory.', 'The store is available again.'])
  expect(clock.pending()).toBe(0)
})

test('one result of each refused check is retried, with pauses of up to half a minute', async () => {
  const { outbox, state, clock } = await setUp()
  for (const checkId of ['dead', 'gone']) state.refuses.add(checkId)
  for (let index = 0; index < 50; index++) outbox.put(filed(index, index % 2 === 0 ? 'dead' : 'gone'))
  await clock.advance(0)
  const tried = state.calls.length
  await clock.advance(90_000)
  expect(state.calls.slice(tried).map(({ at, results }) => [at / 1000, results])).toEqual([5, 15, 35, 65].map((at) => [at, 2]))
})

test('once a result of a refused check is stored, its others follow at once, while those of other checks are still refused', async () => {
  const { outbox, ids, state, clock } = await setUp()
  for (const checkId of ['dead', 'gone']) state.refuses.add(checkId)
  for (let index = 0; index < 6; index++) outbox.put(filed(index, index % 2 === 0 ? 'dead' : 'gone'))
  await clock.advance(0)
  state.refuses.delete('dead')
  await clock.advance(5000)
  expect(ids).toEqual(idsOf(0, 2, 4))
})

test('a store that hangs on the results of a check delays others only once', async () => {
  const { outbox, ids, state, clock } = await setUp()
  let release = () => {}
  state.refuses.add('dead')
  outbox.put(filed(0, 'dead'))
  await clock.advance(1000)
  state.hang = new Promise((resolve) => {
    release = resolve
  })
  await clock.advance(10_000)
  outbox.put(filed(1, 'dead'))
  outbox.put(filed(2))
  await clock.advance(0)
  expect(ids).toEqual(idsOf(2))
  state.refuses.clear()
  release()
  await clock.advance(30_000)
  expect(ids).toEqual(idsOf(2, 0, 1))
})

test('all refused checks are retried, even more than fit into a batch', async () => {
  const { outbox, ids, state, clock } = await setUp(5000)
  const names = Array.from({ length: 2500 }, (_, index) => `check-${index}`)
  for (const name of names) state.refuses.add(name)
  for (const [index, name] of names.entries()) outbox.put(filed(index, name))
  await clock.advance(0)
  state.refuses.delete('check-2400')
  await clock.advance(60_000)
  expect(ids).toEqual(idsOf(2400))
})

test('beyond the capacity the oldest refused results are dropped, but none of other checks', async () => {
  const { outbox, ids, state, clock, log } = await setUp(3)
  state.refuses.add('dead')
  for (let index = 0; index < 20; index++) {
    outbox.put(filed(index, index % 2 === 0 ? 'dead' : 'homepage'))
    await clock.advance(100)
  }
  state.refuses.clear()
  await clock.advance(30_000)
  expect(ids).toEqual(idsOf(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 16, 18))
  expect(log.messages.filter((message) => message.startsWith('The outbox is full'))).toHaveLength(1)
})

test('refused results lose their evidence, the oldest first, before those of other checks do', async () => {
  const { outbox, state, clock, sizes } = await setUp()
  const evidence = new Uint8Array(30 * 2 ** 20)
  state.refuses.add('dead')
  outbox.put(filed(9, 'dead'))
  for (const index of [0, 1]) outbox.put({ ...filed(index, 'dead'), evidence })
  await clock.advance(0)
  outbox.put({ ...filed(2), evidence })
  await clock.advance(0)
  state.refuses.clear()
  await clock.advance(30_000)
  expect(sizes).toEqual([evidence.length, 0, 0, evidence.length])
})

test('a result that is rejected permanently keeps no others of its batch, nor refused ones, from being stored', async () => {
  const { outbox, ids, state, clock, log } = await setUp()
  state.refuses.add('dead').add('gone')
  state.rejects = (id) => id === 'result-2' || id === 'result-5'
  const checks = ['dead', 'homepage', 'homepage', 'homepage', 'gone', 'homepage', 'gone']
  for (const [index, checkId] of checks.entries()) outbox.put(filed(index, checkId))
  await clock.advance(0)
  expect(ids).toEqual(idsOf(1, 3))
  state.rejects = (id) => id === 'result-4'
  state.refuses.clear()
  await clock.advance(30_000)
  expect(ids).toEqual(idsOf(1, 3, 0, 6))
  const rejected = log.entries.filter(({ message }) => message === 'The store rejected results permanently.')
  expect(rejected.map(({ fields }) => fields)).toMatchObject([{ results: 2 }, { results: 1 }])
})

test('refused results are saved at shutdown, with other waiting ones', async () => {
  const folder = temporaryFolder()
  const { outbox, state, clock } = await setUp(100, openOutboxFile(folder))
  state.refuses.add('dead')
  for (let index = 0; index < 4; index++) outbox.put(filed(index, index % 2 === 0 ? 'dead' : 'homepage'))
  await clock.advance(0)
  await outbox.close(AbortSignal.abort())
  const next = await setUp(100, openOutboxFile(folder))
  await expect.poll(() => next.ids).toEqual(idsOf(0, 2))
  await next.outbox.close(none)
  expect(filesIn(folder)).toEqual([])
})

test('at shutdown refused results are retried at once', async () => {
  const { outbox, ids, state, clock } = await setUp()
  state.refuses.add('dead')
  for (const index of [0, 1]) outbox.put(filed(index, 'dead'))
  await clock.advance(40_000)
  state.refuses.clear()
  await outbox.close(none)
  expect(ids).toEqual(idsOf(0, 1))
})

const step = fc.record({
  put: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 1500 }),
  refuses: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
  isDown: fc.boolean(),
  ms: fc.nat(40_000),
})

test('whatever is refused and for how long, results of each check are stored in order and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(20_000), async (steps, appendMs) => {
      const clock = virtualClock(0)
      const refuses = new Set<string>()
      let isDown = false
      const stored = new Map<string, Set<string | null>>()
      const take = async (results: readonly FiledResult[]) => {
        for (const { check, result } of results) stored.set(check.checkId, (stored.get(check.checkId) ?? new Set()).add(result.id))
        return { duplicates: [] }
      }
      const append = async (results: readonly FiledResult[]) => {
        const [wasDown, refused] = [isDown, new Set(refuses)]
        await pause(clock, appendMs, none)
        if (wasDown) throw full
        return refusingChecks(take, refused)(results)
      }
      let waiting = 0
      const outbox = createOutbox({ append, clock, log: recordingLog(), capacity: 100_000, onQueue: (size) => (waiting = size) })
      const expected = new Map<string, (string | null)[]>()
      let index = 0
      for (const { put, ms, ...next } of steps) {
        refuses.clear()
        for (const checkId of next.refuses) refuses.add(checkId)
        isDown = next.isDown
        for (const checkId of put) {
          expected.set(checkId, [...(expected.get(checkId) ?? []), `result-${index}`])
          outbox.put(filed(index++, checkId))
        }
        await clock.advance(ms)
      }
      refuses.clear()
      isDown = false
      await clock.advance(900_000)
      for (const [checkId, ids] of expected) expect([...(stored.get(checkId) ?? [])]).toEqual(ids)
      expect([waiting, clock.pending()]).toEqual([0, 0])
      await outbox.close(none)
    }),
    { numRuns: 30 },
  )
})

/** The files of results, without the reserved one. */
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'outbox.reserve')

/** Runs a process that cannot store these results and leaves them in a file. */
async function left(folder: string, indexes: readonly number[]): Promise<void> {
  const { outbox, state, log } = await setUp(100, openOutboxFile(folder))
  state.fault = full
  for (const index of indexes) outbox.put({ ...filed(index), arrivedAt: index, evidence: new Uint8Array(9) })
  await outbox.close(AbortSignal.abort())
  expect(log.entries.at(-1)).toMatchObject({
    message: 'Results that could not be stored were saved for the next start.',
    fields: { results: indexes.length, evidenceDropped: 0 },
  })
}

test('results that could not be stored before shutdown are stored by the next process, which then removes the file', async () => {
  const folder = temporaryFolder()
  await left(folder, [1, 2])
  const { outbox, ids, sizes, state, clock, log } = await setUp(100, openOutboxFile(folder))
  state.fault = full
  await expect.poll(() => log.messages).toContain('Read results that an earlier process could not store.')
  await clock.advance(1000)
  expect(filesIn(folder)).toHaveLength(1)
  state.fault = null
  outbox.put(filed(3))
  await outbox.close(none)
  expect(ids).toEqual(['result-1', 'result-2', 'result-3'])
  expect(sizes).toEqual([9, 9, 0])
  expect(filesIn(folder)).toEqual([])
})

test('evidence is saved byte by byte with its result', async () => {
  const file = openOutboxFile(temporaryFolder())
  const results = [
    filed(1),
    { ...filed(2), evidence: new Uint8Array(randomBytes(10_000)) },
    { ...filed(3), evidence: Uint8Array.from([0, 255, 10]) },
  ]
  file.write(results)
  const read: FiledResult[] = []
  for await (const result of file.read()) read.push(result)
  expect(read).toEqual(results)
})

test('without room for all evidence, that of the oldest results is dropped, and their number is logged', async () => {
  const folder = temporaryFolder()
  const first = await setUp(5000, openOutboxFile(folder))
  first.state.fault = full
  for (let index = 0; index < 600; index++) first.outbox.put({ ...filed(index), evidence: randomBytes(10_000) })
  await first.outbox.close(AbortSignal.abort())
  const { evidenceDropped } = { evidenceDropped: 0, ...first.log.entries.at(-1)?.fields }
  const [path = ''] = filesIn(folder)
  const { size } = statSync(join(folder, path))
  expect(size).toBeLessThanOrEqual(4 * 2 ** 20)
  expect(size).toBeGreaterThan(3.5 * 2 ** 20)
  const { outbox, ids, sizes } = await setUp(5000, openOutboxFile(folder))
  await expect.poll(() => ids.length).toBe(600)
  await outbox.close(none)
  expect(sizes).toEqual(Array.from({ length: 600 }, (_, i) => (i < evidenceDropped ? 0 : 10_000)))
})

test('waiting results survive several processes, along with new ones, and are stored once', async () => {
  const folder = temporaryFolder()
  await left(folder, [1, 2])
  const second = await setUp(100, openOutboxFile(folder))
  second.state.fault = full
  await expect.poll(() => second.log.messages).toContain('Read results that an earlier process could not store.')
  second.outbox.put(filed(3))
  await second.outbox.close(AbortSignal.abort())
  expect(filesIn(folder)).toHaveLength(1)
  const third = await setUp(100, openOutboxFile(folder))
  await expect.poll(() => third.ids).toEqual(['result-1', 'result-2', 'result-3'])
  await third.outbox.close(none)
  expect(filesIn(folder)).toEqual([])
})

test('a process that stops before it has read the file keeps it', async () => {
  const folder = temporaryFolder()
  await left(folder, [1])
  const { outbox, ids } = await setUp(100, openOutboxFile(folder))
  await outbox.close(AbortSignal.abort())
  expect(ids).toEqual([])
  expect(filesIn(folder)).toHaveLength(1)
})

test('of several results that wait from an earlier process, none is forgotten while another one is stored', async () => {
  const folder = temporaryFolder()
  openOutboxFile(folder).write([filed(1, 'dead'), filed(2, 'gone')])
  const { outbox, ids, state, clock } = await setUp(100, openOutboxFile(folder))
  state.refuses.add('dead').add('gone')
  await expect.poll(() => state.calls.length).toBeGreaterThan(0)
  state.refuses.delete('dead')
  await clock.advance(60_000)
  expect([ids, filesIn(folder).length]).toEqual([idsOf(1), 1])
  state.refuses.clear()
  await outbox.close(none)
  expect([ids, filesIn(folder)]).toEqual([idsOf(1, 2), []])
})

test('a file that another process removes meanwhile has no results', async () => {
  const folder = temporaryFolder()
  const file = openOutboxFile(folder)
  for (const index of [1, 2]) file.write([filed(index)])
  let read = 0
  for await (const _ of file.read()) {
    read++
    for (const name of filesIn(folder)) rmSync(join(folder, name))
  }
  expect([read, filesIn(folder)]).toEqual([1, []])
})

test.each([
  ['that was cut off', (path: string) => truncateSync(path, 12)],
  ['with a folder in its place', (path: string) => [rmSync, mkdirSync].forEach((change) => void change(path))],
])('a file %s is put aside and reported, and what can be read of it and of others is stored', async (_, damage) => {
  const folder = temporaryFolder()
  const other = temporaryFolder()
  await left(folder, [1])
  await left(other, [2])
  const [damaged = ''] = filesIn(folder)
  damage(join(folder, damaged))
  for (const name of filesIn(other)) renameSync(join(other, name), join(folder, name))
  const { outbox, ids, log } = await setUp(100, openOutboxFile(folder))
  await expect.poll(() => ids).toEqual(['result-2'])
  await expect.poll(() => log.messages).toContain('Could not read all results left by an earlier process.')
  await outbox.close(none)
  expect(filesIn(folder)).toEqual([`${damaged}.damaged`])
})

test('space for the file is reserved at the start, and used for it', async () => {
  const folder = temporaryFolder()
  const reserve = join(folder, 'outbox.reserve')
  const { outbox, state } = await setUp(100, openOutboxFile(folder))
  expect(statSync(reserve)).toMatchObject({ size: 4 * 2 ** 20, mode: 0o100600 })
  const { ino } = statSync(reserve)
  state.fault = full
  outbox.put(filed(1))
  await outbox.close(AbortSignal.abort())
  expect(filesIn(folder).map((name) => statSync(join(folder, name)).ino)).toEqual([ino])
})

test('a missing folder is created only when there is something to save', async () => {
  const folder = join(temporaryFolder(), 'data')
  const { outbox } = await setUp(100, openOutboxFile(folder))
  await outbox.close(none)
  expect(existsSync(folder)).toBe(false)
  await left(folder, [1])
  expect(filesIn(folder)).toHaveLength(1)
})

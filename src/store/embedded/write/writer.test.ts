// @slow
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../../../../test/support/oracle.ts'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { triesOf } from '../../../../test/support/tries.ts'
import { grouped } from '../../../collections/lists.ts'
import { dayMs, dayOf } from '../../../time.ts'
import { derivedId } from '../../derived-id.ts'
import { toResult, toStored } from '../../query/parts/stored-result.ts'
import { slotId } from '../../slot-id.ts'
import type { CheckRef, NewResult, Result } from '../../store.ts'
import { databaseFile } from '../disk/database.ts'
import { openFolderReader } from '../query/folder-reader.ts'
import { type Batch, toBatches } from './batch.ts'
import { openWriter, type Writer } from './writer.ts'

const start = Date.UTC(2026, 10, 7)
const homepage: CheckRef = { account: 'acme', checkId: 'homepage' }
const shop: CheckRef = { account: 'acme', checkId: 'shop' }
/** Ids of its results are slot ids. */
const scheduled: CheckRef = { account: 'acme', checkId: 'scheduled' }
const all = { startedBefore: Number.MAX_SAFE_INTEGER, minResults: 1, upTo: Number.MAX_SAFE_INTEGER }
const none = { ...all, startedBefore: 0 }
/** Makes its commit fail. */
const unreadable: Batch = { check: shop, segment: new Uint8Array(2), evidence: [], arrivedAt: 0 }

/** A part of an endless sequence of results, and how it is delivered. */
type Delivery = {
  readonly check: CheckRef
  readonly first: number
  readonly count: number
  readonly stride: number
  readonly pieces: number
  readonly twice: boolean
  /** Whether it includes results with ids of their own, and by how much their starts are moved. */
  readonly withIds: boolean
  readonly delayMs: number
}
type Step = Delivery | { readonly failing: Delivery } | 'seal' | 'seal many' | 'compact' | 'reopen' | 'drop'

const anyDelivery: fc.Arbitrary<Delivery> = fc.record({
  check: fc.constantFrom(homepage, homepage, homepage, scheduled, scheduled, shop),
  first: fc.nat(4000),
  count: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 900, max: 2500 })),
  stride: fc.constantFrom(1, 1, 2, 3, 7),
  pieces: fc.constantFrom(1, 1, 2, 40),
  twice: fc.boolean(),
  withIds: fc.boolean(),
  delayMs: fc.constantFrom(0, 0, 1, -1, dayMs, 3 * dayMs),
})
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyDelivery },
  { weight: 1, arbitrary: anyDelivery.map((failing) => ({ failing })) },
  { weight: 4, arbitrary: fc.constantFrom<Step>('seal', 'seal many', 'compact', 'reopen', 'reopen', 'drop') },
)

test('each result is stored and reported as new once, however it is delivered and whatever happens in between', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 4, maxLength: 16 }), (steps) => {
      const directory = temporaryFolder()
      const model = plainWriter()
      let writer = openWriter(directory)
      for (const step of steps) {
        if (step === 'reopen') {
          writer.close()
          writer = openWriter(directory)
        } else if (step === 'drop') {
          drop(writer)
          model.drop()
        } else if (step === 'seal') while (writer.sealSome(all));
        else if (step === 'seal many') while (writer.sealSome({ ...all, minResults: 512 }));
        else if (step === 'compact') while (writer.sealSome(none));
        else if ('failing' in step) expect(() => append(writer, step.failing.check, rowsOf(step.failing), [unreadable])).toThrow()
        else
          for (const piece of piecesOf(step))
            expect(append(writer, step.check, piece)).toEqual(piece.map((result) => model.add(step.check, result)))
      }
      for (const check of [homepage, scheduled, shop]) expect(stored(directory, check)).toEqual(model.stored(check))
      expect(latest(writer)).toEqual(model.latest())
      writer.close()
    }),
    { numRuns: triesOf(40) },
  )
}, 120_000)

const some: Delivery = { check: homepage, first: 0, count: 40, stride: 1, pieces: 40, twice: false, withIds: true, delayMs: 0 }

test('compacted results are recognized as duplicates, and sealed like others', () => {
  const writer = openWriter(temporaryFolder())
  for (const piece of piecesOf(some)) expect(append(writer, homepage, piece)).toEqual([true])
  expect([writer.sealSome(none), writer.sealSome(none)]).toEqual([true, false])
  expect(append(writer, homepage, rowsOf(some))).toEqual(rowsOf(some).map(() => false))
  expect([writer.sealSome(all), writer.sealSome(all)]).toEqual([true, false])
  expect(append(writer, homepage, rowsOf(some))).toEqual(rowsOf(some).map(() => false))
  writer.close()
})

test('if segments are sealed in steps, results of unsealed ones are duplicates, and those of a dropped day are not', () => {
  const writer = openWriter(temporaryFolder())
  const results = rowsOf({ ...some, count: 1100 })
  const batches = results.flatMap((result) => toBatches([toStored({ check: homepage, result })], 0).batches)
  expect(writer.append(batches).flat()).toEqual([])
  writer.sealSome(all)
  expect(writer.append(batches)).toEqual(results.map(() => [0]))
  while (writer.dropOne(dayOf(start) + 1));
  expect(writer.append(batches)).toEqual(results.map((_, i) => (i < 1024 ? [] : [0])))
  writer.close()
})

test('ids of scheduled runs are not indexed, unless a run started before its slot or days later', () => {
  const directory = temporaryFolder()
  const writer = openWriter(directory)
  const runs = [0, 1000, dayMs, -1, 2 * dayMs, 9 * dayMs].map((delayMs, i) =>
    rowsOf({ ...some, check: scheduled, first: 400 * i, delayMs }),
  )
  for (const results of runs) append(writer, scheduled, results)
  while (writer.sealSome(all));
  for (const results of runs) expect(append(writer, scheduled, results)).toEqual(results.map(() => false))
  writer.close()
  const database = new DatabaseSync(databaseFile(directory))
  const { indexed } = database.prepare('SELECT count(*) AS indexed FROM sealed_id').get() as { indexed: number }
  database.close()
  expect(indexed).toBe(3 * (some.count / 4))
})

test('results of a check whose definition could not be recorded are stored for it', () => {
  const directory = temporaryFolder()
  const writer = openWriter(directory)
  expect(() =>
    writer.recordDefinitions([{ ...shop, fingerprint: '1', rhythm: { periodMs: 60_000, graceMs: 0 } }, null as never], start),
  ).toThrow()
  for (const check of [homepage, shop]) append(writer, check, rowsOf({ ...some, check }))
  for (const check of [homepage, shop]) expect(stored(directory, check)).toHaveLength(some.count)
  writer.close()
})

test('the newest sealed results are on disk even if a first attempt to seal them was rolled back', () => {
  const directory = temporaryFolder()
  const at = (day: number, runLocation: string): NewResult => ({
    ...calm,
    id: null,
    startedAt: start + day * dayMs,
    runLocation,
    values: {},
    pages: [],
  })
  const writer = openWriter(directory)
  append(writer, homepage, [at(1, 'us')])
  while (writer.sealSome(all));
  append(writer, homepage, [at(0, 'eu'), { ...at(1, 'us'), id: 'another' }])
  const damage = (by: number) => {
    const database = new DatabaseSync(databaseFile(directory))
    database.prepare('UPDATE chunk SET crc = crc + ?').run(by)
    database.close()
  }
  damage(1)
  expect(() => writer.sealSome(all)).toThrow('damaged')
  damage(-1)
  expect(writer.sealSome(all)).toBe(true)
  writer.close()
  const reopened = openWriter(directory)
  expect(reopened.latest().map(({ result }) => result.runLocation)).toEqual(['eu', 'us'])
  reopened.close()
})

test('segments written during a sealing are left to the next one, so that each finishes', () => {
  const writer = openWriter(temporaryFolder())
  append(writer, homepage, rowsOf(some))
  const order = { ...all, upTo: writer.lastSegment() }
  expect(writer.sealSome(order)).toBe(true)
  append(writer, homepage, rowsOf({ ...some, first: 100 }))
  expect(writer.sealSome(order)).toBe(false)
  expect(writer.sealSome({ ...all, upTo: writer.lastSegment() })).toBe(true)
  writer.close()
})

/** A naive writer as the oracle. */
function plainWriter() {
  const byCheck = new Map([homepage, scheduled, shop].map((check) => [check, new Map<string, Result>()]))
  const newest = new Map<string, Result>()
  const storedOf = (check: CheckRef) => byCheck.get(check) ?? new Map<string, Result>()
  return {
    add(check: CheckRef, given: NewResult): boolean {
      const result = toResult(check, given)
      if (storedOf(check).has(result.id)) return false
      storedOf(check).set(result.id, result)
      const name = `${check.checkId} ${result.runLocation}`
      const last = inOrder(check, [newest.get(name) ?? result, result]).at(-1) ?? result
      newest.set(name, last)
      return true
    },
    drop(): void {
      for (const results of byCheck.values())
        for (const [id, { startedAt }] of results) if (dayOf(startedAt) === dayOf(start)) results.delete(id)
    },
    stored: (check: CheckRef) => inOrder(check, [...storedOf(check).values()]).map(inWords),
    latest: () => Array.from(newest, ([name, result]) => `${name}: ${inWords(result)}`).sort(),
  }
}

/** Three of every four results of an instant have no id or the derived one; one has its own. */
function resultAt({ check, delayMs }: Delivery, number: number): NewResult {
  const startedAt = start + Math.floor(number / 4) * 30_000
  const runLocation = ['eu-west-1', 'us-east-1', 'Ω', 'eu-west-1'][number % 4] ?? ''
  const result = { ...calm, id: null, startedAt, runLocation, values: { dns: number % 9 }, pages: [] }
  if (number % 4 === 2) return { ...result, id: derivedId(check, runLocation, startedAt) }
  if (number % 4 < 3) return result
  return { ...result, id: ownIdOf(check, { runLocation, startedAt, number }), startedAt: startedAt + delayMs }
}

type Numbered = Pick<NewResult, 'runLocation' | 'startedAt'> & { readonly number: number }

function ownIdOf(check: CheckRef, { runLocation, startedAt, number }: Numbered): string {
  if (check === scheduled) return slotId(check, runLocation, startedAt)
  return check === shop ? `00000000-0000-4000-9000-${String(number).padStart(12, '0')}` : `run-${number}`
}

function rowsOf(delivery: Delivery): NewResult[] {
  const { first, count, stride, withIds, twice } = delivery
  const numbers = Array.from({ length: count }, (_, i) => first + i * stride).filter((number) => withIds || number % 4 !== 3)
  const results = numbers.map((number) => resultAt(delivery, number))
  return twice ? [...results, ...results] : results
}

/** Distributes the results round robin over the commits. */
function piecesOf(delivery: Delivery): NewResult[][] {
  const results = rowsOf(delivery)
  const pieces = Array.from({ length: delivery.pieces }, (_, piece) => results.filter((_, i) => i % delivery.pieces === piece))
  return pieces.filter((piece) => piece.length > 0)
}

/** Returns whether each result was new. */
function append(writer: Writer, check: CheckRef, results: readonly NewResult[], more: readonly Batch[] = []): boolean[] {
  const { batches, indexes } = toBatches(
    results.map((result) => toStored({ check, result })),
    0,
  )
  const duplicates = writer.append([...batches, ...more])
  const own = new Set(duplicates.flatMap((rows, i) => rows.map((row) => indexes[i]?.[row])))
  return results.map((_, i) => !own.has(i))
}

function drop(writer: Writer): void {
  while (writer.sealSome(all));
  while (writer.dropOne(dayOf(start) + 1));
}

function stored(directory: string, check: CheckRef): string[] {
  const reader = openFolderReader(directory, 0)
  const results = reader.scan({ check, window: { from: 0, to: Number.MAX_SAFE_INTEGER }, after: null, limit: 100_000 })
  reader.close()
  return results.map(inWords)
}

/** The newest result that the writer returns for each check and location. */
function latest(writer: Writer): string[] {
  const byName = grouped(writer.latest(), ({ check, result }) => `${check.checkId} ${result.runLocation}`)
  return Array.from(byName, ([name, filed]) => {
    const results = filed.map(({ check, result }) => toResult(check, result))
    const newest = inOrder(filed[0]?.check ?? homepage, results).at(-1) as Result
    return `${name}: ${inWords(newest)}`
  }).sort()
}

const inWords = ({ id, startedAt, runLocation, values }: Result) => `${startedAt} ${runLocation} ${id} ${values.dns}`

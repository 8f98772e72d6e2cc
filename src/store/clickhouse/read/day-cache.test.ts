// @slow clickhouse
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../test/clickhouse/databases.ts'
import { serverMissing } from '../../../../test/clickhouse/engines/server.ts'
import { anyResults, check, otherCheck, span } from '../../../../test/support/arbitrary-results.ts'
import { needing } from '../../../../test/support/needs.ts'
import { calm } from '../../../../test/support/results.ts'
import { temporaryStore } from '../../../../test/support/temporary-store.ts'
import { triesOf } from '../../../../test/support/tries.ts'
import { dayMs, dayOf, hourMs, minuteMs } from '../../../time.ts'
import type { AggregateQuery, CheckSource, FiledResult, Result, Store, Window } from '../../store.ts'
import type { Connection, Statement } from '../connection.ts'
import { createDayCache, isCached } from './day-cache.ts'

const wide: Window = { from: span.from - 6 * dayMs, to: span.to + dayMs }

const questionOf = (more: Partial<AggregateQuery> = {}): AggregateQuery => ({
  sources: [check, otherCheck].map((own) => ({
    check: own,
    columns: [{ metric: 'responseTime', perPage: false }],
    labels: [[own.checkId]],
  })),
  window: wide,
  figures: (['p95', 'max', 'sum'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null })),
  counts: false,
  filter: null,
  groupBy: [{ by: 'label' }],
  buckets: null,
  fill: null,
  histogram: null,
  order: null,
  groupPage: null,
  rowPage: { offset: 0, limit: 100 },
  ...more,
})
const resultAt = (startedAt: number, value: number, more: Partial<Result> = {}): FiledResult => ({
  check,
  result: { ...calm, id: null, startedAt, runLocation: 'eu', values: { responseTime: value }, pages: [], ...more },
})
const maxima = async (store: Store, query = questionOf()) =>
  (await store.aggregate(query)).groups.map(({ keys, rows }) => [keys[0], rows[0]?.values[1]])

test('days are cached for queries of few checks and days', () => {
  const ofDays = (days: number): Window => ({ from: span.from, to: span.from + days * dayMs })
  expect([1, 2, 10_000, 10_001].map((days) => isCached(ofDays(days), 1))).toEqual([false, true, true, false])
  expect([2, 100, 101].map((days) => isCached(ofDays(days), 100))).toEqual([true, true, false])
  expect(isCached(ofDays(2), 101)).toBe(false)
})

const dayAt = (day: number) => span.from + day * dayMs

/** A cache over this many rows per check and day, `counted` of which are counted. Returns the windows that are read of each check. */
function cacheOver(
  rows: Readonly<Record<string, readonly number[]>>,
  { counted = rows, capacityBytes = 1_000_000, monotonic = (): number => 0 } = {},
) {
  const read: string[] = []
  const counts = Object.entries(counted).flatMap(([checkId, days]) =>
    days.map((count, day) => [check.account, checkId, dayOf(dayAt(day)), count]),
  )
  const countsOf = ({ checkId }: { readonly checkId: unknown }) =>
    checkId === undefined ? counts : counts.filter(([, id]) => id === checkId).map(([, , ...dayAndCount]) => dayAndCount)
  const readDays = createDayCache({
    connection: { rows: async ({ params }: Statement) => countsOf({ checkId: params?.checkId }) } as unknown as Connection,
    settings: {},
    select: async ({ check: { checkId }, window }) => {
      const first = dayOf(window.from) - dayOf(span.from)
      const last = dayOf(window.to) - dayOf(span.from)
      read.push(`${checkId} ${first}-${last}`)
      const times = (rows[checkId] ?? []).flatMap((count, day) => (day >= first && day <= last ? Array(count).fill(dayAt(day)) : []))
      return { count: times.length, numbers: new Map([['time', Float64Array.from(times)]]), texts: new Map() }
    },
    capacityBytes,
    monotonic,
  })
  return { readDays, read }
}

test('checks are reported if most of their results cannot be cached', async () => {
  const uncacheable = async (rows: readonly number[], counted: readonly number[]) => {
    const { readDays } = cacheOver({ [check.checkId]: rows, other: [9, 9] }, { counted: { [check.checkId]: counted, other: [9, 9] } })
    const wanted = [check, { ...check, checkId: 'other' }].map((own) => ({ check: own, columns: ['time'] }))
    return (await readDays(wanted, span)).uncacheable
  }
  expect(await uncacheable([2, 2], [2, 2])).toEqual([])
  expect(await uncacheable([2, 2], [2, 3])).toEqual([])
  expect(await uncacheable([2, 3], [2, 2])).toEqual([0])
  expect(await uncacheable([2, 2], [])).toEqual([0])
  expect(await uncacheable([], [])).toEqual([])
})

test('a read reports whether most of its results were read instead of cached', async () => {
  const { readDays } = cacheOver({ a: [3, 3], b: [1, 1] })
  const isRead = async (...ids: readonly string[]) => {
    const wanted = ids.map((checkId) => ({ check: { ...check, checkId }, columns: ['time'] }))
    return (await readDays(wanted, span)).isRead
  }
  expect([await isRead('a'), await isRead('a'), await isRead('a', 'b'), await isRead('b')]).toEqual([true, false, false, false])
})

test('days of an account are not evicted by an account that has more', async () => {
  const { readDays, read } = cacheOver({ a: [9], b: [90, 90] }, { capacityBytes: 2000 })
  const ask = (account: string, checkId: string, days = 1) =>
    readDays([{ check: { account, checkId }, columns: ['time'] }], { from: dayAt(0), to: dayAt(days) - 1 })
  await ask('small', 'a')
  for (let i = 0; i < 3; i++) await ask('large', 'b', 2)
  read.length = 0
  await ask('small', 'a')
  expect(read).toEqual([])
})

test('missing days of many checks are read in few windows', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const rows = Object.fromEntries(ids.map((id) => [id, [1, 1, 1, 1, 1, 1]]))
  const counted = Object.fromEntries(ids.map((id, i) => [id, [1, 1, 1, 1, 1, 1].map((count, day) => count + Number(day === i))]))
  const { readDays, read } = cacheOver(rows, { counted })
  const window = { from: span.from, to: dayAt(6) - 1 }
  const ask = (some: readonly string[]) => {
    read.length = 0
    return readDays(
      some.map((checkId) => ({ check: { ...check, checkId }, columns: ['time'] })),
      window,
    )
  }
  await ask(ids)
  expect(read).toEqual(ids.map((id) => `${id} 0-5`))
  await ask(ids.slice(0, 2))
  expect(read).toEqual(['a 0-0', 'b 1-1'])
  const { days } = await ask(ids)
  expect(read).toEqual(ids.map((id) => `${id} 0-4`))
  expect(days.map((own) => own.length)).toEqual(ids.map(() => 6))
})

test('columns of a day are cached together only if they are of the same results', async () => {
  const times = [dayAt(0), dayAt(0) + 1]
  const readDays = createDayCache({
    connection: { rows: async () => [[dayOf(span.from), 1]] } as unknown as Connection,
    settings: {},
    select: async ({ columns }) => ({
      count: 1,
      numbers: new Map([...columns].map((name) => [name, Float64Array.of(times[0] as number)])),
      texts: new Map(),
    }),
    capacityBytes: 1_000_000,
  })
  const valuesOf = async (columns: readonly string[]) => {
    const { days } = await readDays([{ check, columns }], span)
    return columns.map((name) => days[0]?.[0]?.part().numbers(name)[0])
  }
  await valuesOf(['time', 'v:dns'])
  times.reverse()
  await valuesOf(['time', 'v:ratio'])
  expect(await valuesOf(['time', 'v:dns', 'v:ratio'])).toEqual([times[0], times[0], times[0]])
})

test('a cached day is read again after ten minutes, and cached again', async () => {
  let now = 0
  const { readDays, read } = cacheOver({ [check.checkId]: [1] }, { monotonic: () => now })
  const readsAt = async (minutes: number) => {
    now = minutes * minuteMs
    const { days } = await readDays([{ check, columns: ['time'] }], span)
    expect(days[0]?.[0]?.count()).toBe(1)
    return read.length
  }
  expect([await readsAt(0), await readsAt(9), await readsAt(11), await readsAt(12), await readsAt(22)]).toEqual([1, 1, 2, 2, 3])
})

describe('cached days', { ...needing(await serverMissing()), timeout: 600_000 }, () => {
  const databases = testDatabases()

  /** Two processes over one database, with the statements of the first. */
  async function openPair() {
    const statements: string[] = []
    const first = await databases.open({ clock: () => span.to, onStatement: (sql) => void statements.push(sql) })
    const second = await databases.open({ clock: () => span.to }, first.database)
    onTestFinished(async () => {
      await second.store.close()
      await first.dispose()
    })
    const asked = async (ask: () => Promise<unknown>) => {
      statements.length = 0
      await ask()
      return statements.filter((sql) => / FROM results /.test(sql) && !sql.includes('count()'))
    }
    return { ours: first.store, theirs: second.store, asked, statements }
  }

  test('give the answers of a data folder, whichever process stores results in any order', async () => {
    const anyWindow = fc
      .tuple(fc.integer({ min: -7 * 24, max: 4 * 24 }), fc.integer({ min: 0, max: 11 * 24 }), fc.boolean())
      .map(([from, length, isWhole]) => {
        const start = span.from + from * hourMs
        return isWhole ? wide : { from: start, to: start + length * hourMs + 1 }
      })
    const anyQuestion = fc
      .record({
        window: anyWindow,
        counts: fc.boolean(),
        groupBy: fc.subarray([{ by: 'label' } as const, { by: 'location' } as const]),
        buckets: fc.constantFrom(null, { originMs: 0, widthMs: 9 * hourMs }),
      })
      .map(({ groupBy, ...more }) => {
        const query = questionOf({ ...more, groupBy })
        return groupBy.some(({ by }) => by === 'label')
          ? query
          : { ...query, sources: query.sources.map((source) => ({ ...source, labels: [] })) }
      })
    await fc.assert(
      fc.asyncProperty(anyResults, fc.array(anyQuestion, { minLength: 3, maxLength: 6 }), async (results, questions) => {
        const [first, second] = [await databases.open({ clock: () => span.to }), await temporaryStore(() => span.to)]
        const other = await databases.open({ clock: () => span.to }, first.database)
        const filed = results.map((result, i): FiledResult => ({ check: i % 3 === 0 ? otherCheck : check, result }))
        const share = Math.ceil(filed.length / questions.length)
        for (const [i, question] of questions.entries()) {
          const some = filed.slice(i * share, (i + 1) * share)
          // Some stored results are sent again.
          for (const batch of [some, filed.slice(0, i * 2)]) {
            await (i % 2 === 0 ? first : other).store.append(batch)
            await second.store.append(batch)
          }
          expect(await first.store.aggregate(question)).toEqual(await second.store.aggregate(question))
        }
        await other.store.close()
        await first.dispose()
        await second.store.close()
      }),
      { numRuns: triesOf(60) },
    )
  })

  test('are not read again until something is stored on them', async () => {
    const { ours, theirs, asked } = await openPair()
    await ours.append([resultAt(span.from, 1), resultAt(span.from + dayMs, 2)])
    expect(await maxima(ours)).toEqual([['homepage', 2]])
    expect(await asked(() => maxima(ours))).toEqual([])
    await theirs.append([resultAt(span.from + hourMs, 7)])
    expect(await maxima(ours)).toEqual([['homepage', 7]])
    expect(await asked(() => maxima(ours))).toEqual([])
    const counted = questionOf({ counts: true })
    expect(await asked(() => ours.aggregate(counted))).toHaveLength(1)
    expect(await asked(() => ours.aggregate(counted))).toEqual([])
    expect(await asked(() => maxima(ours, questionOf({ window: { from: wide.from + hourMs, to: wide.to - 1 } })))).toEqual([])
  })

  test('are not used for too many checks, which are not counted either', async () => {
    const { ours, statements } = await openPair()
    await ours.append([resultAt(span.from, 1), resultAt(span.from + dayMs, 2)])
    const [source] = questionOf().sources
    const many = Array.from({ length: 101 }, (_, i) => ({ ...source, check: { ...check, checkId: `check-${i}` } }) as CheckSource)
    const deviation = questionOf({ sources: many, figures: [{ column: 0, aggregation: 'stddev', bound: null }] })
    statements.length = 0
    await ours.aggregate(deviation)
    expect(statements.join('\n')).toContain('FROM results')
    expect(statements.join('\n')).not.toContain('day_counts')
  })

  test('with duplicate results are read each time, and count them once', async () => {
    const { ours, theirs, asked } = await openPair()
    const twice = resultAt(span.from, 5, { id: 'twice' })
    await Promise.all([ours.append([twice]), theirs.append([twice])])
    await ours.append([{ check, result: { ...twice.result, startedAt: span.from + 1000 } }])
    const totals = async () => (await ours.aggregate(questionOf({ counts: true }))).groups[0]?.rows[0]?.counts?.total
    expect(await totals()).toBe(1)
    expect(await asked(totals)).not.toEqual([])
    expect(await totals()).toBe(1)
  })

  test('are evicted with the results that the retention drops', async () => {
    const { ours, theirs } = await openPair()
    await ours.append([resultAt(wide.from + hourMs, 9), resultAt(span.to - 1, 3)])
    expect(await maxima(ours)).toEqual([['homepage', 9]])
    await theirs.applyRetention(5)
    await ours.applyRetention(5)
    await expect.poll(() => maxima(ours)).toEqual([['homepage', 3]])
  })
})

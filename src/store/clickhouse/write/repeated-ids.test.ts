import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { dayMs, hourMs } from '../../../time.ts'
import { QueryTooLarge, StoreUnavailable, type Window } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { voidFlag } from '../schema/tables.ts'
import { createArrivals } from './arrival.ts'
import { createRepeatedIds } from './repeated-ids.ts'

const resultAt = (startedAt: number) => ({ ...calm, id: 'slot', startedAt, runLocation: 'eu', values: {}, pages: [] })

type RepeatedOptions = {
  readonly isReplicated: boolean
  readonly canBeRead?: boolean
  readonly starts?: readonly number[]
  readonly found?: number
  /** Windows of commits, each of another check; by default one commit of the first check. */
  readonly commits?: readonly Window[]
  /** Throws for a search that the server refuses. */
  readonly search?: (checkIds: readonly string[], window: Window) => void
  readonly everyMs?: number
}

/** A server that has an id with several starts. */
function repeatedIn({ isReplicated, canBeRead = true, starts = [2, 1], found = 1, ...rest }: RepeatedOptions) {
  const { commits = [{ from: span.from, to: span.from }], search = () => {}, everyMs } = rest
  const changes: string[] = []
  const searchedFrom: unknown[] = []
  const searched: (readonly [checks: number, window: Window])[] = []
  const logged: string[] = []
  let now = span.to
  const connection: Pick<Connection, 'rows' | 'insert'> = {
    rows: async ({ sql, params }) => {
      const row = [check.account, check.checkId]
      if (sql.includes('FROM commits')) {
        searchedFrom.push(params?.from)
        return commits.map(({ from, to }, i) => [check.account, i === 0 ? check.checkId : `check-${i}`, from, to])
      }
      if (sql.includes('FINAL')) {
        const [checkIds, window] = [params?.checkIds as readonly string[], { from: Number(params?.from), to: Number(params?.to) }]
        searched.push([checkIds.length, window])
        search(checkIds, window)
        if (!checkIds.includes(check.checkId)) return []
      }
      return sql.includes('max(flags)')
        ? starts.map((start) => [...row, 'slot', span.from + start, 'eu'])
        : Array.from({ length: found }, () => [...row, 'slot'])
    },
    insert: async (_, rows) => void changes.push(rowOf(rows)),
  }
  const read: number[] = []
  const repeatedIds = createRepeatedIds({
    connection,
    isReplicated,
    metrics: { values: [], pageValues: [] },
    readStored: async (keys) => {
      read.push(...keys.map(({ startedAt }) => startedAt - span.from))
      return canBeRead ? keys.map(({ startedAt }) => ({ check, result: resultAt(startedAt) })) : []
    },
    replaceNewest: async (voided) => void changes.push(...voided.map(({ startedAt }) => `replace ${startedAt - span.from}`)),
    shardsOf: async (checks) => checks.map(() => 0),
    nextArrival: createArrivals(() => span.to),
    clock: () => now,
    log: (problem) => void logged.push(String(problem)),
    everyMs,
  })
  /** The instants from which two successive searches look. */
  const settleTwice = async () => {
    await repeatedIds.settleStored()
    now += 60_000
    await repeatedIds.settleStored()
    return searchedFrom
  }
  onTestFinished(() => repeatedIds.close())
  return { repeatedIds, changes, read, settleTwice, searchedFrom, searched, logged, filed: [{ check, result: resultAt(span.from + 2) }] }
}

/** A row has texts, each after a byte with its length: account and check, then the start, the location, the id and the flags. */
function rowOf(rows: Uint8Array): string {
  const start = 2 + Buffer.byteLength(check.account) + Buffer.byteLength(check.checkId)
  const flags = start + 8 + 1 + 'eu'.length + 1 + 'slot'.length
  const startedAt = Number(Buffer.from(rows).readBigInt64LE(start)) - span.from
  return `${rows[flags] === voidFlag ? 'void' : 'write'} ${startedAt}`
}

describe('of an id that is stored with two starts', () => {
  test('the row with the later start is voided, whichever arrived first', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: false })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: ['replace 2', 'void 2'], read: [] })
  })

  test('in a cluster the first row is written again before that, as only one replica may have it', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: ['write 1', 'replace 2', 'void 2'], read: [1] })
  })

  test('none is voided if the first row cannot be read any more', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true, canBeRead: false })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: [], read: [1] })
  })

  test('both are kept if they start more than an hour apart, and each has its own duplicates', async () => {
    const { repeatedIds, changes, filed } = repeatedIn({ isReplicated: false, starts: [1, hourMs + 2] })
    await repeatedIds.settle(filed)
    await repeatedIds.settleStored()
    expect(changes).toEqual([])
    const other = repeatedIn({ isReplicated: false, starts: [1, hourMs + 2, hourMs + 3] })
    await other.repeatedIds.settleStored()
    expect(other.changes).toEqual([`replace ${hourMs + 3}`, `void ${hourMs + 3}`])
  })

  test('the next search begins at the same instant if one could not settle everything', async () => {
    const [, afterAll] = await repeatedIn({ isReplicated: true }).settleTwice()
    const search = () => {
      throw new StoreUnavailable('It is away.', 1)
    }
    for (const options of [{ canBeRead: false }, { found: 1000 }, { search }]) {
      const [first, second] = await repeatedIn({ isReplicated: true, ...options }).settleTwice()
      expect(second).toBe(first)
      expect(second).not.toBe(afterAll)
    }
  })

  test('a search of recent commits voids it, too', async () => {
    const { repeatedIds, changes } = repeatedIn({ isReplicated: false })
    await repeatedIds.settleStored()
    expect(changes).toEqual(['replace 2', 'void 2'])
  })
})

describe('a search for repeated ids', () => {
  const at = (ms: number, lengthMs = 0) => ({ from: span.from + ms, to: span.from + ms + lengthMs })
  const around = ({ from, to }: Window) => ({ from: from - hourMs, to: to + hourMs })

  test('is limited to the times of commits: a late result does not widen it', async () => {
    const commits = [at(20 * dayMs, 5), at(0), at(20 * dayMs + 7, 1), at(0, 20 * dayMs)]
    const { repeatedIds, searched } = repeatedIn({ isReplicated: false, commits })
    await repeatedIds.settleStored()
    expect(searched).toEqual([
      [1, around(at(0))],
      [1, around(at(0, 20 * dayMs))],
      [2, around(at(20 * dayMs, 8))],
    ])
  })

  test('covers the whole log of commits at first', async () => {
    const { repeatedIds, searchedFrom } = repeatedIn({ isReplicated: false })
    await repeatedIds.settleStored()
    expect(searchedFrom).toEqual(['0'])
  })

  test('continues after a failed part, with a single log message', async () => {
    const commits = [at(20 * dayMs), at(0), at(10 * dayMs)]
    const search = (_: readonly string[], { from }: Window) => {
      if (from < span.from + 15 * dayMs) throw new StoreUnavailable('It is away.', 1)
    }
    const { repeatedIds, changes, logged } = repeatedIn({ isReplicated: false, commits, search })
    await repeatedIds.settleStored()
    expect(changes).toEqual(['replace 2', 'void 2'])
    expect(logged).toEqual([expect.stringMatching(/^2 checks were not searched.*It is away\.$/)])
  })

  test('is split by checks if it is too large for the server', async () => {
    const search = (checkIds: readonly string[]) => {
      if (checkIds.length > 1) throw new QueryTooLarge('Too much.')
    }
    const { repeatedIds, searched, changes, logged } = repeatedIn({ isReplicated: false, commits: [at(0), at(1), at(2)], search })
    await repeatedIds.settleStored()
    expect(searched.map(([checks]) => checks)).toEqual([3, 2, 1, 1, 1])
    expect({ changes, logged }).toEqual({ changes: ['replace 2', 'void 2'], logged: [] })
  })

  describe('in the background', () => {
    beforeEach(() => {
      vi.useFakeTimers()
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    const passed = (seconds: number) => vi.advanceTimersByTimeAsync(1000 * seconds)

    test('runs every 10 minutes, and 5 s after something could not be settled', async () => {
      const { repeatedIds, searchedFrom } = repeatedIn({ isReplicated: false })
      await passed(599)
      expect(searchedFrom).toHaveLength(0)
      await passed(1)
      expect(searchedFrom).toHaveLength(1)
      repeatedIds.settleSoon()
      repeatedIds.settleSoon()
      await passed(4)
      expect(searchedFrom).toHaveLength(1)
      await passed(1)
      expect(searchedFrom).toHaveLength(2)
      await passed(599)
      expect(searchedFrom).toHaveLength(2)
    })

    test('backs off while it fails', async () => {
      let isAway = true
      const search = () => {
        if (isAway) throw new StoreUnavailable('It is away.', 1)
      }
      const { repeatedIds, searchedFrom } = repeatedIn({ isReplicated: false, search, everyMs: 15_000 })
      repeatedIds.settleSoon()
      const counts: number[] = []
      for (const seconds of [5, 9, 1, 14, 1, 15]) {
        await passed(seconds)
        repeatedIds.settleSoon()
        counts.push(searchedFrom.length)
      }
      expect(counts).toEqual([1, 1, 2, 2, 3, 4])
      isAway = false
      await passed(30)
      expect(searchedFrom).toHaveLength(6)
    })

    test('backs off while settling fails, and recovers after an interval without failures', async () => {
      const { repeatedIds, searchedFrom } = repeatedIn({ isReplicated: false })
      const soonAfter: number[] = []
      for (let i = 0; i < 3; i++) {
        repeatedIds.settleSoon()
        const before = searchedFrom.length
        for (let seconds = 0; searchedFrom.length === before; seconds += 5) {
          await passed(5)
          soonAfter[i] = seconds + 5
        }
      }
      expect(soonAfter).toEqual([5, 10, 20])
      await passed(600)
      repeatedIds.settleSoon()
      const before = searchedFrom.length
      await passed(5)
      expect(searchedFrom).toHaveLength(before + 1)
    })

    test('runs again for failures during it, but not after closing', async () => {
      const { repeatedIds, searchedFrom } = repeatedIn({ isReplicated: false, search: () => repeatedIds.settleSoon() })
      repeatedIds.settleSoon()
      await passed(5)
      await passed(10)
      expect(searchedFrom).toHaveLength(2)
      repeatedIds.close()
      await passed(3600)
      expect(searchedFrom).toHaveLength(2)
    })
  })
})

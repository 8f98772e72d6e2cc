import { describe, expect, onTestFinished, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import { hourMs } from '../../../time.ts'
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
}

/** A server that has an id with some starts. */
function repeatedIn({ isReplicated, canBeRead = true, starts = [2, 1], found = 1 }: RepeatedOptions) {
  const changes: string[] = []
  const sweptFrom: unknown[] = []
  let now = span.to
  const connection: Pick<Connection, 'rows' | 'insert'> = {
    rows: async ({ sql, params }) => {
      const row = [check.account, check.checkId]
      if (sql.includes('FROM commits')) {
        sweptFrom.push(params?.from)
        return [[...row, span.from]]
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
  })
  /** From when on each of two sweeps looks. */
  const sweepTwice = async () => {
    await repeatedIds.sweep()
    now += 60_000
    await repeatedIds.sweep()
    return sweptFrom
  }
  onTestFinished(() => repeatedIds.close())
  return { repeatedIds, changes, read, sweepTwice, filed: [{ check, result: resultAt(span.from + 2) }] }
}

/** A row begins with texts that each follow a byte of their length: account, check, then a start, location, id and flags. */
function rowOf(rows: Uint8Array): string {
  const start = 2 + Buffer.byteLength(check.account) + Buffer.byteLength(check.checkId)
  const flags = start + 8 + 1 + 'eu'.length + 1 + 'slot'.length
  const startedAt = Number(Buffer.from(rows).readBigInt64LE(start)) - span.from
  return `${rows[flags] === voidFlag ? 'void' : 'write'} ${startedAt}`
}

describe('of an id that is stored with two starts', () => {
  test('the row that starts later is voided, whichever came first', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: false })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: ['replace 2', 'void 2'], read: [] })
  })

  test('the first row is written again before that in a cluster, where one replica alone may have it', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: ['write 1', 'replace 2', 'void 2'], read: [1] })
  })

  test('none is voided where the first row cannot be read any more', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true, canBeRead: false })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: [], read: [1] })
  })

  test('both stay where they start more than an hour apart, and each has its own repetitions', async () => {
    const { repeatedIds, changes, filed } = repeatedIn({ isReplicated: false, starts: [1, hourMs + 2] })
    await repeatedIds.settle(filed)
    await repeatedIds.sweep()
    expect(changes).toEqual([])
    const other = repeatedIn({ isReplicated: false, starts: [1, hourMs + 2, hourMs + 3] })
    await other.repeatedIds.sweep()
    expect(other.changes).toEqual([`replace ${hourMs + 3}`, `void ${hourMs + 3}`])
  })

  test('the next sweep looks from the same instant on where one could not settle all', async () => {
    const [, afterAll] = await repeatedIn({ isReplicated: true }).sweepTwice()
    for (const options of [{ canBeRead: false }, { found: 1000 }]) {
      const [first, second] = await repeatedIn({ isReplicated: true, ...options }).sweepTwice()
      expect(second).toBe(first)
      expect(second).not.toBe(afterAll)
    }
  })

  test('a sweep over what was stored lately voids it, too', async () => {
    const { repeatedIds, changes } = repeatedIn({ isReplicated: false })
    await repeatedIds.sweep()
    expect(changes).toEqual(['replace 2', 'void 2'])
  })
})

import { describe, expect, onTestFinished, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import type { Connection } from '../connection.ts'
import { voidFlag } from '../schema/tables.ts'
import { createArrivals } from './arrival.ts'
import { createRepeatedIds } from './repeated-ids.ts'

const resultAt = (startedAt: number) => ({ ...calm, id: 'slot', startedAt, runLocation: 'eu', values: {}, pages: [] })

/** A server that has an id with the starts 1 and 2. */
function repeatedIn({ isReplicated, canBeRead = true }: { readonly isReplicated: boolean; readonly canBeRead?: boolean }) {
  const changes: string[] = []
  const connection: Pick<Connection, 'rows' | 'insert'> = {
    rows: async ({ sql }) => {
      const row = [check.account, check.checkId]
      if (sql.includes('FROM commits')) return [[...row, span.from]]
      return sql.includes('max(flags)') ? [2, 1].map((order) => [...row, 'slot', span.from + order, 'eu']) : [[...row, 'slot']]
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
    shardsOf: async (checks) => checks.map(() => 0),
    nextArrival: createArrivals(() => span.to),
    clock: () => span.to,
  })
  onTestFinished(() => repeatedIds.close())
  return { repeatedIds, changes, read, filed: [{ check, result: resultAt(span.from + 2) }] }
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
    expect({ changes, read }).toEqual({ changes: ['void 2'], read: [] })
  })

  test('the first row is written again before that in a cluster, where one replica alone may have it', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: ['write 1', 'void 2'], read: [1] })
  })

  test('none is voided where the first row cannot be read any more', async () => {
    const { repeatedIds, changes, read, filed } = repeatedIn({ isReplicated: true, canBeRead: false })
    await repeatedIds.settle(filed)
    expect({ changes, read }).toEqual({ changes: [], read: [1] })
  })

  test('a sweep over what was stored lately voids it, too', async () => {
    const { repeatedIds, changes } = repeatedIn({ isReplicated: false })
    await repeatedIds.sweep()
    expect(changes).toEqual(['void 2'])
  })
})

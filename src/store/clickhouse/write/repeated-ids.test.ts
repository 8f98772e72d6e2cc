import { describe, expect, test } from 'vitest'
import { check, span } from '../../../../test/support/arbitrary-results.ts'
import { calm } from '../../../../test/support/results.ts'
import type { Connection } from '../connection.ts'
import { arrivalAt } from './arrival.ts'
import { createRepeatedIds } from './repeated-ids.ts'

const resultAt = (startedAt: number) => ({ ...calm, id: 'slot', startedAt, runLocation: 'eu', values: {}, pages: [] })

/** Removes the rows of an id that a server has twice; the one that starts first came last. */
async function removeFrom({ cluster, canBeRead = true }: { readonly cluster: string | null; readonly canBeRead?: boolean }) {
  const changes: string[] = []
  const connection = {
    rows: async ({ sql }) => {
      const row = [check.account, check.checkId, 'slot']
      return sql.includes('HAVING') ? [row] : [1, 2].map((order) => [...row, span.from + order, 'eu', String(order)])
    },
    insert: async (into) => void changes.push(`insert into ${into.split(' ')[0]}`),
    command: async (sql, params) => void changes.push(`${sql.split(' ')[0]} ${Number(params?.startedAt) - span.from}`),
  } as Partial<Connection> as Connection
  const read: number[] = []
  const { remove } = createRepeatedIds({
    connection,
    place: { database: 'tidemark', cluster },
    metrics: { values: [], pageValues: [] },
    readStored: async (keys) => {
      read.push(...keys.map(({ startedAt }) => startedAt - span.from))
      return canBeRead ? keys.map(({ startedAt }) => ({ check, result: resultAt(startedAt) })) : []
    },
  })
  await remove([{ check, result: resultAt(span.from + 1) }], arrivalAt(span.to))
  return { changes, read }
}

describe('of an id that is stored with two starts', () => {
  test('the row that came later is deleted', async () => {
    expect(await removeFrom({ cluster: null })).toEqual({ changes: ['DELETE 1'], read: [] })
  })

  test('the first row is written again before that in a cluster, where one replica alone may have it', async () => {
    expect(await removeFrom({ cluster: 'main' })).toEqual({ changes: ['insert into results', 'DELETE 1'], read: [2] })
  })

  test('none is deleted where the first row cannot be read any more', async () => {
    expect(await removeFrom({ cluster: 'main', canBeRead: false })).toEqual({ changes: [], read: [2] })
  })
})

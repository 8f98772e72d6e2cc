import { expect, test } from 'vitest'
import { testMetrics } from '../../../../test/clickhouse/databases.ts'
import type { Connection } from '../connection.ts'
import { isUnreachable, startFailure } from '../server-errors.ts'
import { createDefine, upgradeSchema } from './upgrade.ts'

function recording(outcomes: readonly boolean[] = []) {
  const sent: unknown[] = []
  const define: Connection['define'] = async (sql, seconds) => {
    sent.push([sql, seconds])
    return outcomes[sent.length - 1] ?? true
  }
  const command: Connection['command'] = async (sql) => void sent.push([sql])
  return { sent, connection: { define, command } }
}

test('a statement on a cluster waits for all servers, and only briefly once one was late', async () => {
  const { sent, connection } = recording([true, false, true])
  const { define, isAnyLate } = createDefine(connection, { cluster: 'tidemark' })
  await define('a')
  expect(isAnyLate()).toBe(false)
  for (const sql of ['b', 'c', 'd']) await define(sql)
  expect(isAnyLate()).toBe(true)
  expect(sent).toEqual([
    ['a', 10],
    ['b', 10],
    ['c', 1],
    ['d', 1],
  ])
})

test('without a cluster it is a plain statement', async () => {
  const { sent, connection } = recording()
  await createDefine(connection, { cluster: null }).define('a')
  expect(sent).toEqual([['a']])
})

test('a failure after a server was late is retried, and passed on in the end', async () => {
  const problem = new Error('Table tidemark.tidemark_schema does not exist')
  const { connection } = recording([false])
  const asked: string[] = []
  const rows: Connection['rows'] = async ({ sql }) => {
    asked.push(sql)
    if (asked.length === 1) return []
    throw problem
  }
  const place = { database: 'tidemark', cluster: 'tidemark' }
  const error = await upgradeSchema({ ...connection, rows } as Connection, place, testMetrics, 0).catch((error) => error)
  expect([error.name, isUnreachable(error)]).toEqual(['LateServers', true])
  expect(startFailure(error, { url: 'http://127.0.0.1:8123', database: 'tidemark' })).toBe(problem)
})

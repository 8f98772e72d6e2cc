import { describe, expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { measured, testResult } from '../../test/support/results.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'
import { refOf } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import { checkTypes } from '../checks/registry.ts'
import type { Result } from '../store/store.ts'
import { exported } from './export.ts'
import { type FileFormat, fileRows } from './file-rows.ts'
import { rowReader } from './row.ts'

const now = Date.UTC(2026, 10, 14, 10)
const window = { from: now - 10_000, to: now }
const columnsOf = ({ fields, metrics, states }: CheckType) => {
  const perPage = Object.keys(metrics).filter((name) => metrics[name]?.perPage)
  return [
    ...['id', 'checkId', 'startedAt', 'runLocation', 'hasFailures', 'hasErrors', 'isDegraded', 'overMaxResponseTime', 'attempts'],
    ...(Object.keys(states).length > 0 ? ['state'] : []),
    'error',
    ...fields,
    ...Object.keys(metrics).filter((name) => !perPage.includes(name)),
    ...(perPage.length > 0 ? ['pages'] : []),
  ]
}

describe.each(checkTypes)('an export of $type results', (checkType) => {
  const check = testCheck(checkType)
  const ref = refOf(check)
  const [state = null] = Object.keys(checkType.states).filter((name) => checkType.states[name] === 'failure')
  const [well = null] = Object.keys(checkType.states).filter((name) => checkType.states[name] !== 'failure')
  const fields = Object.fromEntries(checkType.fields.map((name, i) => [name, 200 + i]))
  const isCount = (name: string) => checkType.metrics[name]?.unit === 'count'
  const measuredAt = (startedAt: number) =>
    Object.fromEntries(Object.entries(measured(check, startedAt)).map(([name, value]) => [name, isCount(name) ? Math.ceil(value) : value]))
  const failed = { hasFailures: true, hasErrors: true, isDegraded: true, overMaxResponseTime: true, attempts: 3, state }
  const results: readonly Result[] = [
    testResult(check, now - 3000, { state: well, values: { ...measuredAt(now - 3000), ...fields } }).result,
    testResult(check, now - 2000, { ...failed, error: 'refused: "a, b"\n=1+1', values: {}, pages: [] }).result,
    testResult(check, now - 1000, { id: 'own-id', runLocation: 'us-east-1', state: well, values: measuredAt(now) }).result,
  ]

  async function textOf(format: FileFormat): Promise<string> {
    const { store } = await temporaryStore(() => now)
    await store.append([...results, testResult(check, now - 20_000).result].map((result) => ({ check: ref, result })))
    let text = ''
    for await (const piece of exported(store, { check: ref, checkType, window, format })) text += piece
    return text
  }

  async function readBack(text: string, format: FileFormat): Promise<readonly unknown[]> {
    const reader = rowReader({ account: ref.account, now, cardinality: null, typeOf: () => checkType })
    const read: unknown[] = []
    for await (const rows of fileRows(chunks(text), format, 10))
      for (const row of rows) read.push('value' in row ? reader.read(row.value, row.at) : row)
    return read
  }

  test.each(['ndjson', 'csv'] as const)(
    'contains the results of the window, oldest first, as %s that can be imported again',
    async (format) => {
      expect(await readBack(await textOf(format), format)).toEqual(results.map((result) => ({ check: ref, result })))
    },
  )

  test('has a CSV header with the names of its columns', async () => {
    expect((await textOf('csv')).split('\r\n')[0]).toBe(columnsOf(checkType).join())
  })

  test('has the properties of NDJSON in this order, without those that have no value', async () => {
    const [first = '', second = ''] = (await textOf('ndjson')).split('\n')
    expect(Object.keys(JSON.parse(first))).toEqual(columnsOf(checkType).filter((name) => name !== 'error'))
    const absent = [...checkType.fields, ...Object.keys(checkType.metrics), 'pages']
    expect(Object.keys(JSON.parse(second))).toEqual(columnsOf(checkType).filter((name) => !absent.includes(name)))
    expect(JSON.parse(first).startedAt).toBe('2026-11-14T09:59:57.000Z')
  })
})

async function* chunks(text: string) {
  yield Buffer.from(text)
}

test('rows of a check that is no longer configured have the properties of their results', async () => {
  const check = testCheck(checkTypes[0] as CheckType)
  const bare = { values: { wait: 3 }, pages: [], state: null, error: null }
  const results = [
    testResult(check, now - 2000, { ...bare, id: 'bare' }),
    testResult(check, now - 1000, {
      ...bare,
      id: 'full',
      state: 'LATE',
      error: 'no ping',
      pages: [{ pageUrl: '/cart', values: { LCP: 4 } }],
    }),
  ]
  const { store } = await temporaryStore(() => now)
  await store.append(results)
  let text = ''
  for await (const piece of exported(store, { check: refOf(check), checkType: null, window, format: 'ndjson' })) text += piece
  const { hasFailures, hasErrors, isDegraded, overMaxResponseTime, attempts, runLocation } = (results[0] as (typeof results)[number]).result
  const plain = { checkId: check.id, runLocation, hasFailures, hasErrors, isDegraded, overMaxResponseTime, attempts, wait: 3 }
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { id: 'bare', startedAt: new Date(now - 2000).toISOString(), ...plain },
    {
      id: 'full',
      startedAt: new Date(now - 1000).toISOString(),
      ...plain,
      state: 'LATE',
      error: 'no ping',
      pages: [{ pageUrl: '/cart', LCP: 4 }],
    },
  ])
})

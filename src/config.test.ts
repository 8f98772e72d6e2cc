import { expect, test } from 'vitest'
import { readSettings } from './config.ts'

test('the limits of concurrent runs are unset by default', () => {
  expect(readSettings({})).toMatchObject({ maxRuns: null, maxHeavyRuns: null })
})

test('the limits of concurrent runs are integers', () => {
  expect(readSettings({ TIDEMARK_MAX_RUNS: '250', TIDEMARK_MAX_HEAVY_RUNS: '1' })).toMatchObject({ maxRuns: 250, maxHeavyRuns: 1 })
  for (const text of ['0', '-1', '1.5', 'many', '10000']) {
    expect(() => readSettings({ TIDEMARK_MAX_RUNS: text })).toThrow('TIDEMARK_MAX_RUNS must be a number from 1 to 9999.')
  }
})

test('the URL of ClickHouse must be valid', () => {
  expect(readSettings({}).clickHouseUrl).toBeNull()
  const url = 'http://user:password@127.0.0.1:8123/tidemark'
  expect(readSettings({ TIDEMARK_CLICKHOUSE_URL: url }).clickHouseUrl).toBe(url)
  for (const text of ['127.0.0.1:8123', 'tcp://127.0.0.1:9000', 'http://'])
    expect(() => readSettings({ TIDEMARK_CLICKHOUSE_URL: text })).toThrow('TIDEMARK_CLICKHOUSE_URL must be a URL such as')
})

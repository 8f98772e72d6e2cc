import { describe, expect, test } from 'vitest'
import { onOneReplica, toOldSetting, toOldSql } from './engines/old-dialect.ts'
import { expandParameters } from './engines/parameters.ts'

const old = {
  settings: new Set(['insert_distributed_sync', 'insert_quorum', 'max_threads']),
  tableSettings: new Set(['index_granularity']),
  quorum: 2,
}

test('a table is created without codecs, TTL and settings that the server does not know', () => {
  const sql =
    'CREATE TABLE t (a Int64 CODEC(DoubleDelta, ZSTD(1))) ENGINE = MergeTree ORDER BY a TTL b + INTERVAL 1 DAY SETTINGS fsync_after_insert = 1, index_granularity = 8'
  expect(toOldSql(sql, old)).toBe('CREATE TABLE t (a Int64) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8')
})

test.each([
  ['SELECT 1 LIMIT 5 OFFSET 10', 'SELECT 1 LIMIT 10, 5'],
  ['DROP TABLE t SYNC', 'DROP TABLE t'],
  ['DELETE FROM t WHERE a = 1', 'ALTER TABLE t DELETE WHERE a = 1'],
  ['ALTER TABLE t ADD COLUMN IF NOT EXISTS a String', 'ALTER TABLE t ADD COLUMN a String'],
  ['ALTER TABLE t MODIFY TTL a + INTERVAL 1 DAY', 'SELECT 1'],
])('%s', (sql, expected) => {
  expect(toOldSql(sql, old)).toBe(expected)
})

test('settings are translated to their older names, and unknown ones are left out', () => {
  expect(toOldSetting('distributed_foreground_insert', '1', old)).toEqual(['insert_distributed_sync', '1'])
  expect(toOldSetting('insert_quorum', 'auto', old)).toEqual(['insert_quorum', '2'])
  expect(toOldSetting('async_insert', '0', old)).toBeNull()
})

describe('bound parameters', () => {
  const expand = (sql: string, value: string) => expandParameters(sql, new Map([['a', value]]))

  test.each([
    ["{a:String} '{a:String}'", "it\\'s", "'it\\'s' '{a:String}'"],
    ['1-{a:Int64}', '-5', '1-CAST(-5 AS Int64)'],
    ['LIMIT {a:UInt32}', '5', 'LIMIT 5'],
    ['x IN {a:Array(String)}', "['b','c']", "x IN ('b', 'c')"],
    ['{a:Nullable(String)}', '\\N', 'CAST(NULL AS Nullable(String))'],
  ])('%s of %s', (sql, value, expected) => {
    expect(expand(sql, value)).toBe(expected)
  })

  test('an invalid number and an unset parameter are rejected', () => {
    expect(() => expand('{a:Int64}', '1; DROP')).toThrow('cannot be parsed')
    expect(() => expand('{b:Int64}', '1')).toThrow('is not set')
  })
})

test('columns are added on one replica of a shard, other changes on the whole cluster', () => {
  expect(onOneReplica('ALTER TABLE d.t ON CLUSTER c ADD COLUMN a Int64')).toBe('ALTER TABLE d.t ADD COLUMN a Int64')
  const deletion = 'ALTER TABLE d.t ON CLUSTER c DELETE WHERE a = 1'
  expect(onOneReplica(deletion)).toBe(deletion)
})

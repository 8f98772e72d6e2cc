// @slow clickhouse
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needing } from '../support/needs.ts'
import { triesOf } from '../support/tries.ts'
import { isModern, serverMissing, sharedServer } from './engines/server.ts'

describe('a ClickHouse server, queried by its client', { ...needing(await serverMissing()), timeout: isModern ? 600_000 : 90_000 }, () => {
  let client: ClickHouseClient
  beforeAll(async () => {
    client = createClient({
      url: await sharedServer(),
      request_timeout: 300_000,
      log: { level: ClickHouseLogLevel.OFF },
      compression: { request: true, response: true },
    })
  }, 600_000)
  afterAll(() => client?.close())

  const ask = async (query: string, query_params: Record<string, unknown> = {}, use_multipart_params = false) => {
    const clickhouse_settings = { output_format_json_quote_64bit_integers: 1 as const }
    const answer = await client.query({ query, query_params, use_multipart_params, clickhouse_settings, format: 'JSONCompact' })
    return (await answer.json()).data as unknown[][]
  }

  test('it responds to a ping', async () => {
    expect(await client.ping()).toMatchObject({ success: true })
  })

  test('bound parameters arrive unchanged, in the URL or as a form', async () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom("'", '\\', '\n', '\t', '`', '{', '}', '-', 'é', '😀'), fc.string({ maxLength: 1 })),
    })
    const values = fc.record({ text, texts: fc.array(text, { maxLength: 5 }), int: fc.maxSafeInteger(), asForm: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(values, async ({ asForm, ...given }) => {
        const query =
          'SELECT {text:String}, {texts:Array(String)}, 0-{int:Int64}, {float:Float64}, {text:Nullable(String)}, {none:Nullable(String)}'
        const [answer] = await ask(query, { ...given, float: given.int / 7, none: null }, asForm)
        expect(answer).toEqual([given.text, given.texts, String(-given.int), given.int / 7, given.text, null])
      }),
      { numRuns: triesOf(50) },
    )
  })

  test('text that looks like a parameter in a string, a name or a comment is not one', async () => {
    expect(await ask("SELECT '{a:String}' AS `{b:String}` /* {c:String} */ -- {d:String}", {})).toEqual([['{a:String}']])
  })

  test('a list can be the right side of IN, even if it is empty', async () => {
    const query = 'SELECT number FROM system.numbers WHERE toString(number) IN {texts:Array(String)} AND number < 10 LIMIT {most:UInt32}'
    const bounded = query.replace('system.numbers', '(SELECT number FROM system.numbers LIMIT 20)')
    expect(await ask(bounded, { texts: ['3', '5', "'"], most: 10 })).toEqual([['3'], ['5']])
    expect(await ask(bounded, { texts: [], most: 10 })).toEqual([])
  })

  test('a table with current syntax can be created, filled and read', async () => {
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS engine_test' })
    const create = `CREATE TABLE IF NOT EXISTS engine_test.t (at Int64 CODEC(DoubleDelta, ZSTD(1)), place LowCardinality(String), value Nullable(Float64) CODEC(Gorilla))
      ENGINE = ReplacingMergeTree PARTITION BY intDiv(at, 1000) ORDER BY at TTL toDateTime(intDiv(at, 1000)) + INTERVAL 40000 DAY DELETE
      SETTINGS index_granularity = 1024, fsync_after_insert = 1, ttl_only_drop_parts = 1`
    await client.command({ query: create })
    await client.command({ query: 'ALTER TABLE engine_test.t ADD COLUMN IF NOT EXISTS more String' })
    await client.command({ query: 'ALTER TABLE engine_test.t ADD COLUMN IF NOT EXISTS more String' })
    const rows = [0.1, 1 / 3, null, 1e300].map((value, at) => ({ at, place: 'here', value }))
    const settings = { distributed_foreground_insert: 1 as const, insert_quorum: 'auto', async_insert: 0 as const }
    for (const _ of [1, 2])
      await client.insert({ table: 'engine_test.t', values: rows, format: 'JSONEachRow', clickhouse_settings: settings })
    const found = await ask(
      "SELECT at, place, value FROM engine_test.t FINAL ORDER BY at LIMIT 10 OFFSET 0 SETTINGS max_threads = 1, log_comment = 'x'",
    )
    expect(found).toEqual(rows.map(({ at, place, value }) => [String(at), place, value]))
    await client.command({ query: 'DROP TABLE engine_test.t SYNC' })
    await client.command({ query: 'DROP DATABASE engine_test' })
  })

  test('errors are those of the client, with their code', async () => {
    const asked = ask('SELECT 1 FROM nowhere.nothing')
    await expect(asked).rejects.toBeInstanceOf(ClickHouseError)
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^(60|81)$/) })
    await expect(ask('SELECT {missing:String}')).rejects.toBeInstanceOf(ClickHouseError)
  })

  test.skipIf(isModern)('an aborted query is cancelled', async () => {
    const query_id = crypto.randomUUID()
    const query = 'SELECT count() FROM system.numbers WHERE sipHash64(number) = 1 SETTINGS max_execution_time = 60'
    const giveUp = new AbortController()
    const asked = client.query({
      query,
      query_id,
      abort_signal: giveUp.signal,
      clickhouse_settings: { cancel_http_readonly_queries_on_client_close: 1 },
    })
    const running = () => ask('SELECT count() FROM system.processes WHERE query_id = {id:String}', { id: query_id })
    await expect.poll(running).toEqual([['1']])
    giveUp.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(running).toEqual([['0']])
  })
})

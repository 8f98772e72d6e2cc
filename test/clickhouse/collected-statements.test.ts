import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isOfSchema, reordered, unknownWords, withoutColumns } from './statement-words.ts'

/** Statements that the contract suite sent to ClickHouse, collected by `npm run test:clickhouse`. */
const { TIDEMARK_TEST_STATEMENTS: file } = process.env

const collected = file === undefined ? [] : readFileSync(file, 'utf8').trimEnd().split('\n')
const texts = [...new Set(collected.map((line) => JSON.parse(line) as string))].filter((sql) => !isOfSchema(sql))

describe.skipIf(file === undefined)('statements of the whole contract suite', () => {
  test('include queries of every kind, and inserts', () => {
    for (const table of ['results', 'evidence', 'latest', 'definitions'])
      expect(texts).toContainEqual(expect.stringContaining(` FROM ${table} `))
    for (const table of ['results', 'evidence', 'arrivals']) expect(texts).toContainEqual(expect.stringMatching(`^${table} \\(`))
  })

  test('contain no values of a request', () => {
    expect(texts.flatMap(unknownWords)).toEqual([])
  })

  test('list the columns of a query in one order only', () => {
    expect(reordered(texts)).toEqual([])
  })

  test('have few shapes: apart from their columns, they depend only on the kind of query, its groups and its filters', () => {
    expect(new Set(texts.map(withoutColumns)).size).toBeLessThan(80)
    expect(texts.length).toBeLessThan(300)
  })
})

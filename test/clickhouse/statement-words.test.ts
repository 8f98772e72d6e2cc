import { expect, test } from 'vitest'
import { isOfSchema, reordered, unknownWords, withoutColumns } from './statement-words.ts'

const question =
  'SELECT startedAt, v_total FROM results FINAL WHERE account = {account:String} AND startedAt BETWEEN {from:Int64} AND {to:Int64}'

test('a query of metrics with bound values consists of known words', () => {
  expect(unknownWords(question)).toEqual([])
})

test.each([
  ['a quoted text', `${question} AND runLocation = 'eu'`, ["'eu'"]],
  ['a name', `${question} AND runLocation = eu`, ['eu']],
  ['a number', `${question} AND startedAt > 1793270400000`, ['1793270400000']],
  ['a metric that no check type has', question.replace('v_total', 'v_totals'), ['v_totals']],
  ['an unknown parameter', `${question} AND id = {x:String}`, ['{x:String}']],
  ['a comment', `${question} -- AND id = {id:String}`, ['--']],
  ['a second statement', `${question}; DROP TABLE results`, [';', 'DROP', 'TABLE']],
  ['an unterminated string', `${question} AND id = '`, ["'"]],
])('%s is reported as unknown', (_, sql, unknown) => {
  expect(unknownWords(sql)).toEqual(unknown)
})

test('queries with the same columns in another order are found', () => {
  const other = question.replace('startedAt, v_total', 'v_total, startedAt')
  expect(reordered([question, question, `${question} FINAL`])).toEqual([])
  expect(reordered([question, other])).toEqual([[question, other]])
})

test('queries for different columns have the same shape', () => {
  expect(withoutColumns(question)).toBe(withoutColumns(question.replace('v_total', 'v_dns, v_tcp')))
  expect(withoutColumns(question)).not.toBe(withoutColumns(`${question} AND id = {id:String}`))
})

test('statements of the schema are recognised', () => {
  expect(isOfSchema('CREATE TABLE IF NOT EXISTS t (a String) ENGINE = Null')).toBe(true)
  expect(isOfSchema(question)).toBe(false)
})

import { expect, test } from 'vitest'
import type { Assertion } from './probe/settings.ts'
import { httpSources, readAssertions, type WireSources, writeAssertions } from './wire-assertions.ts'
import { type WireNotes, wireReader } from './wire-reader.ts'

/** `answer` has two words in API bodies: one with a property and one without. */
const sources = {
  ...httpSources,
  TEXT_ANSWER: { source: 'answer' },
  JSON_ANSWER: { source: 'answer', property: { otherwise: '$' } },
} as const

function read(assertion: Readonly<Record<string, unknown>>, known: WireSources = sources) {
  const notes: WireNotes = { faults: [] }
  const reader = wireReader({ assertions: [assertion] }, notes)
  const [value] = readAssertions(reader, known) ?? []
  reader.end()
  return { value, faults: notes.faults.map(({ pointer, message }) => `${pointer.replace('/assertions/0', '')}: ${message}`) }
}

const written = (assertion: Readonly<Record<string, unknown>>) => writeAssertions([assertion as Assertion], sources)[0]

test.each([
  [
    { source: 'status_code', comparison: 'equals', target: '200' },
    { source: 'statusCode', comparison: 'equals', target: 200 },
  ],
  [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '0200' },
    { source: 'statusCode', comparison: 'equals', target: '0200' },
  ],
  [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: 'Infinity' },
    { source: 'statusCode', comparison: 'equals', target: 'Infinity' },
  ],
  [
    { source: 'TEXT_BODY', comparison: 'NOT_CONTAINS', target: '200' },
    { source: 'textBody', comparison: 'notContains', target: '200' },
  ],
  [
    { source: 'TEXT_BODY', comparison: 'EQUALS', target: true },
    { source: 'textBody', comparison: 'equals', target: 'true' },
  ],
  [
    { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: 5 },
    { source: 'responseTime', comparison: 'lessThan', target: 5 },
  ],
  [
    { source: 'TEXT_BODY', comparison: 'EQUALS', target: null },
    { source: 'textBody', comparison: 'equals', target: '' },
  ],
  [
    { source: 'TEXT_BODY', comparison: 'EQUALS' },
    { source: 'textBody', comparison: 'equals', target: '' },
  ],
  [
    { source: 'JSON_BODY', property: '$.a', comparison: 'IS_NULL', target: 'x', order: 3, edit: true, arrayIndex: 1, arraySelector: '*' },
    { source: 'jsonBody', property: '$.a', comparison: 'isNull' },
  ],
  [
    { source: 'HEADERS', property: '{{NAME}}', comparison: 'EQUALS', target: '{{VALUE}}' },
    { source: 'headers', property: '$' + '{NAME}', comparison: 'equals', target: '$' + '{VALUE}' },
  ],
  [
    { source: 'STATUS_CODE', comparison: 'ONE_OF', target: '[200,"201-204"]' },
    { source: 'statusCode', comparison: 'oneOf', target: [200, '201-204'] },
  ],
  [
    { source: 'STATUS_CODE', comparison: 'ONE_OF', target: [200] },
    { source: 'statusCode', comparison: 'oneOf', target: [200] },
  ],
  [
    { source: 'JSON_ANSWER', comparison: 'NOT_EMPTY' },
    { source: 'answer', property: '$', comparison: 'notEmpty' },
  ],
  [
    { source: 'TEXT_ANSWER', comparison: 'NOT_EMPTY' },
    { source: 'answer', comparison: 'notEmpty' },
  ],
])('%j is converted to settings', (body, settings) => {
  expect(read(body)).toEqual({ value: settings, faults: [] })
})

test.each([
  [{ comparison: 'EQUALS', target: 'x' }, ['/source: source is missing']],
  [{ source: 'TEXT_BODY' }, ['/comparison: comparison is missing']],
  [{ source: 'TEXT_BODY', comparison: 'EQUALS', regex: 'a' }, ['/regex: regex is not supported: compare with MATCHES']],
  [
    { source: 'TEXT_BODY', property: 'a', comparison: 'EQUALS' },
    ['/property: property is not supported for TEXT_BODY: compare with MATCHES'],
  ],
  [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: {} }, ['/target: target must be text']],
  [{ source: 'TEXT_BODY', comparison: 'ONE_OF', target: '200' }, ['/target: target must be a JSON list of texts and numbers, as text']],
  [{ source: 'TEXT_BODY', comparison: 'ONE_OF', target: '[' }, ['/target: target must be a JSON list of texts and numbers, as text']],
  [
    { source: 'TEXT_BODY', comparison: 'ONE_OF', target: '["a",{}]' },
    ['/target: target must be a JSON list of texts and numbers, as text'],
  ],
])('%j is rejected with the location of its fault', (body, faults) => {
  expect(read(body).faults).toEqual(faults)
})

test('an unknown word is a single fault', () => {
  expect(read({ source: 'X', comparison: 'Y' }).faults).toEqual([
    '/source: source must be one of STATUS_CODE, HEADERS, TEXT_BODY, JSON_BODY, RESPONSE_TIME, CERTIFICATE_DAYS, TEXT_ANSWER, JSON_ANSWER',
    expect.stringContaining('/comparison: comparison must be one of EQUALS, NOT_EQUALS'),
  ])
})

test('an empty list of assertions is omitted', () => {
  const reader = (body: unknown) => wireReader(body, { faults: [] })
  expect([readAssertions(reader({}), sources), readAssertions(reader({ assertions: [] }), sources)]).toEqual([undefined, undefined])
  expect(writeAssertions(undefined, sources)).toEqual([])
})

test.each([
  [
    { source: 'statusCode', comparison: 'notEquals', target: 200 },
    { source: 'STATUS_CODE', comparison: 'NOT_EQUALS', property: '', target: '200', regex: null },
  ],
  [
    { source: 'jsonBody', property: '$.a', comparison: 'isNull', target: 'left over' },
    { source: 'JSON_BODY', comparison: 'IS_NULL', property: '$.a', target: '', regex: null },
  ],
  [
    { source: 'statusCode', comparison: 'oneOf', target: [200, '201-204'] },
    { source: 'STATUS_CODE', comparison: 'ONE_OF', property: '', target: '[200,"201-204"]', regex: null },
  ],
  [
    { source: 'answer', property: '$', comparison: 'notEmpty' },
    { source: 'JSON_ANSWER', comparison: 'NOT_EMPTY', property: '', target: '', regex: null },
  ],
  [
    { source: 'answer', property: '$[0]', comparison: 'equals', target: '' },
    { source: 'JSON_ANSWER', comparison: 'EQUALS', property: '$[0]', target: '', regex: null },
  ],
  [
    { source: 'answer', comparison: 'notEmpty' },
    { source: 'TEXT_ANSWER', comparison: 'NOT_EMPTY', property: '', target: '', regex: null },
  ],
  [
    { source: 'headers', comparison: 'equals', target: 'a' },
    { source: 'HEADERS', comparison: 'EQUALS', property: '', target: 'a', regex: null },
  ],
  [
    { source: 'textBody', property: 'stray', comparison: 'equals', target: 'a' },
    { source: 'TEXT_BODY', comparison: 'EQUALS', property: '', target: 'a', regex: null },
  ],
  [
    { source: 'otherSource', comparison: 'equals' },
    { source: 'OTHER_SOURCE', comparison: 'EQUALS', property: '', target: '', regex: null },
  ],
])('%j is converted to a body', (settings, body) => {
  expect(written(settings)).toEqual(body)
})

import { expect, test } from 'vitest'
import { wireReading } from '../../test/support/wire-reading.ts'
import { plainCodec, present, sameWords, shortDuration, wireWord, wireWords } from './wire.ts'
import { readPairs, writePairs, writeVariables } from './wire-pairs.ts'
import { readScript, writeScriptFields } from './wire-script.ts'

test.each([
  [1, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1001, '1001ms'],
  [59_000, '59s'],
  [60_000, '1m'],
  [90_000, '90s'],
  [3_600_000, '1h'],
  [5_400_000, '90m'],
  [86_400_000, '1d'],
  [90_000_000, '25h'],
  [0.4, '0ms'],
])('%d ms are %s', (ms, text) => {
  expect(shortDuration(ms)).toBe(text)
})

test('names and words are converted', () => {
  expect(['equals', 'notEquals', 'isOneOf'].map(wireWord)).toEqual(['EQUALS', 'NOT_EQUALS', 'IS_ONE_OF'])
  expect(wireWords(['json', 'notJson'])).toEqual({ JSON: 'json', NOT_JSON: 'notJson' })
  expect(sameWords(['GET', 'PUT'])).toEqual({ GET: 'GET', PUT: 'PUT' })
  expect(Object.entries(present({ a: undefined, b: 0, c: '', d: null }))).toEqual([
    ['b', 0],
    ['c', ''],
    ['d', null],
  ])
})

test('settings of a type without a shape keep their names', () => {
  const codec = plainCodec('odd', ['size', 'label', 'none'])
  expect(codec.path).toBe('odd')
  const body = { request: { x: 1 }, size: 3, none: null, other: 1 }
  const kept = { previous: undefined, newToken: () => '' }
  expect(wireReading(body, (reader) => codec.read(reader, kept))).toMatchObject({
    value: { size: 3 },
    faults: ['/other: other is not supported here'],
  })
  const settings = { size: 3 }
  expect(codec.write(settings, { resolved: settings })).toBe(settings)
})

test.each([
  [[], undefined, []],
  [[{ key: '', value: '', locked: true }], undefined, []],
  [
    [{ key: 'A', value: 'x', locked: true, secret: true }, { key: 'B', value: '{{NAME}}' }, { key: 'C' }],
    { A: 'x', B: `\${NAME}`, C: '' },
    [],
  ],
  [[{ value: 'x' }], undefined, ['/pairs/0/key: key is missing']],
  [
    [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
      { key: 'B', value: '3' },
    ],
    { A: '1', B: '3' },
    ['/pairs: pairs[1]: A is listed twice'],
  ],
  [
    [
      { key: 'k'.repeat(101), value: '1' },
      { key: 'k'.repeat(101), value: '2' },
    ],
    { ['k'.repeat(101)]: '1' },
    [`/pairs: pairs[1]: ${'k'.repeat(100)} is listed twice`],
  ],
])('reads the pairs %j', (pairs, value, faults) => {
  expect(wireReading({ pairs }, (reader) => readPairs(reader, 'pairs'))).toMatchObject({ value, faults })
})

test('pairs are written in order, and variables of a script as secrets', () => {
  expect([writePairs(), writeVariables()]).toEqual([[], []])
  expect(writePairs({ B: '1', A: '2' })).toEqual([
    { key: 'B', value: '1', locked: false },
    { key: 'A', value: '2', locked: false },
  ])
  expect(writeVariables({ A: '2' })).toEqual([{ key: 'A', value: '2', locked: false, secret: true }])
})

const nothing = { script: null, scriptPath: null, environmentVariables: [] }

test.each([
  ['nothing', {}, {}, nothing],
  ['a path', { scriptPath: 'a.spec.ts' }, { script: 'a.spec.ts' }, { ...nothing, scriptPath: 'a.spec.ts' }],
  ['a text', { script: `x(\`\${A}\`)` }, { inlineScript: `x(\`$\${A}\`)` }, { ...nothing, script: `x(\`\${A}\`)` }],
  ['a text, whose path is not needed', { script: 'x()', scriptPath: 'a' }, { inlineScript: 'x()' }, { ...nothing, script: 'x()' }],
  [
    'a text with files',
    { script: 'x()', scriptPath: `a/\${A}`, dependencies: [{ path: 'b', content: `\${B}` }, { path: 'c' }] },
    { inlineScript: 'x()', inlineScriptPath: `a/$\${A}`, inlineFiles: { b: `$\${B}`, c: '' } },
    {
      ...nothing,
      script: 'x()',
      scriptPath: `a/\${A}`,
      dependencies: [
        { path: 'b', content: `\${B}` },
        { path: 'c', content: '' },
      ],
    },
  ],
  [
    'variables',
    { request: 1, environmentVariables: [{ key: 'A', value: '1' }] },
    { environment: { A: '1' } },
    { ...nothing, environmentVariables: [{ key: 'A', value: '1', locked: false, secret: true }] },
  ],
])('a script: %s', (_, body, settings, written) => {
  expect(wireReading(body, readScript)).toMatchObject({ faults: [] })
  expect(wireReading(body, readScript).value).toEqual(settings)
  expect(writeScriptFields(settings)).toEqual(written)
})

test('a file without a path is a fault at its location, and so is a script that is too long', () => {
  expect(wireReading({ dependencies: [{ path: 'a' }, { content: 'x' }] }, readScript).faults).toEqual([
    '/dependencies: dependencies[1]: path is missing',
  ])
  expect(wireReading({ script: 'x'.repeat(500_000) }, readScript).faults).toEqual([])
  expect(wireReading({ script: 'x'.repeat(500_001) }, readScript).faults).toHaveLength(1)
  expect(wireReading({ dependencies: [{ path: 'a', content: 'x'.repeat(500_001) }] }, readScript).faults).toHaveLength(1)
})

import { expect, test } from 'vitest'
import { wireReading as reading } from '../../test/support/wire-reading.ts'
import { escapedStep } from './wire-reader.ts'

test('an absent, null or empty value is undefined', () => {
  const empty = { text: '', flag: null, word: '', list: null, object: null }
  for (const body of [empty, {}, null, undefined])
    expect(
      reading(body, (reader) => [
        reader.text('text'),
        reader.template('text'),
        reader.flag('flag'),
        reader.number('number'),
        reader.word('word', { A: 'a' }),
        reader.texts('list'),
        reader.objects('list'),
        reader.object('object').text('x'),
        reader.raw('absent'),
      ]),
    ).toEqual({ value: [undefined, undefined, undefined, undefined, undefined, [], [], undefined, undefined], faults: [] })
})

test('each kind of value is read, and words in any case', () => {
  const body = {
    text: 'a',
    flag: false,
    number: 0,
    word: 'one_Two',
    texts: ['', 'b'],
    object: { x: 'y' },
    objects: [{ x: '1' }, { x: '2' }],
  }
  expect(
    reading(body, (reader) => [
      reader.text('text'),
      reader.flag('flag'),
      reader.number('number'),
      reader.word('word', { ONE: 'x', ONE_TWO: 'oneTwo' }),
      reader.texts('texts'),
      reader.object('object').text('x'),
      reader.objects('objects').map((one) => one.text('x')),
    ]),
  ).toEqual({ value: ['a', false, 0, 'oneTwo', ['', 'b'], 'y', ['1', '2']], faults: [] })
})

test('a value of another kind is a fault at its location', () => {
  const body = {
    text: 1,
    flag: 'true',
    number: Number.NaN,
    count: '1',
    word: 7,
    list: 'x',
    texts: ['a', 1],
    object: [],
    objects: ['x', {}],
  }
  const { value, faults } = reading(body, (reader) => [
    reader.text('text'),
    reader.flag('flag'),
    reader.number('number'),
    reader.number('count'),
    reader.word('word', { A: 'a', B: 'b' }),
    reader.texts('list'),
    reader.texts('texts'),
    reader.object('object').text('x'),
    reader.objects('objects').map((one) => one.text('x')),
  ])
  expect(value).toEqual([undefined, undefined, undefined, undefined, undefined, [], ['a'], undefined, [undefined, undefined]])
  expect(faults).toEqual([
    '/text: text must be text of at most 100,000 characters',
    '/flag: flag must be true or false',
    '/number: number must be a number',
    '/count: count must be a number',
    '/word: word must be one of A, B',
    '/list: list must be a list with at most 1000 in it',
    '/texts/1: texts must be a list of texts',
    '/object: must be an object',
    '/objects/0: must be an object',
  ])
})

test('texts and lists are limited, inclusively', () => {
  const body = { longest: 'x'.repeat(10), longer: 'x'.repeat(11), full: Array(1000).fill('x'), over: Array(1001).fill('x') }
  const { value, faults } = reading(body, (reader) => [
    reader.text('longest', 10)?.length,
    reader.text('longer', 10),
    reader.texts('full').length,
    reader.texts('over').length,
  ])
  expect(value).toEqual([10, undefined, 1000, 0])
  expect(faults).toEqual(['/longer: longer must be text of at most 10 characters', '/over: over must be a list with at most 1000 in it'])
  expect(reading({ list: ['x'.repeat(100_000), 'x'.repeat(100_001)] }, (reader) => reader.texts('list').length)).toEqual({
    value: 1,
    faults: ['/list/1: list must be a list of texts'],
  })
})

test('variables in braces are converted to those of the config file, and their form is recorded', () => {
  expect(reading({ url: 'https://{{ HOST }}/{{_x1}}' }, (reader) => reader.template('url'))).toEqual({
    value: 'https://$' + '{HOST}/$' + '{_x1}',
    faults: [],
    braces: new Set(['{{ NAME }}', '{{NAME}}']),
  })
  expect(reading({ url: '{{{HOST}}}/{"a":{{_x1}}}' }, (reader) => reader.template('url'))).toMatchObject({
    value: '$' + '{HOST}/{"a":$' + '{_x1}}',
    braces: new Set(['{{{NAME}}}', '{{NAME}}']),
  })
  expect(reading({ url: '{{1}} {{}} {A}' }, (reader) => reader.template('url'))).toEqual({ value: '{{1}} {{}} {A}', faults: [] })
})

test('an unread field is rejected by its name, unless it is empty or ignored', () => {
  const body = {
    known: 1,
    ignored: 1,
    zero: 0,
    empty: { deep: [null, false, ''] },
    'a/b': 1,
    inner: { known: 1, unknown: { deep: [1] } },
    list: [{}, { unknown: true }],
  }
  const { faults } = reading(body, (reader) => {
    reader.raw('known')
    reader.ignore('ignored')
    reader.object('inner').raw('known')
    reader.objects('list')
  })
  expect(faults).toEqual([
    '/a~1b: a/b is not supported here',
    '/inner/unknown: unknown is not supported here',
    '/list/1/unknown: unknown is not supported here',
  ])
  expect(reading({ [`x${'y'.repeat(200)}`]: 1 }, () => null).faults).toEqual([
    `/x${'y'.repeat(200)}: x${'y'.repeat(99)} is not supported here`,
  ])
})

test('inherited properties of objects are absent', () => {
  expect(reading({}, (reader) => [reader.raw('toString'), reader.raw('constructor')]).value).toEqual([undefined, undefined])
})

test('nesting beyond eight levels is not read, and does not count as empty', () => {
  const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) })
  expect(reading({ a: nested(7) }, () => null).faults).toEqual([])
  expect(reading({ a: nested(8) }, () => null).faults).toEqual(['/a: a is not supported here'])
})

test('at most a hundred faults are reported', () => {
  expect(reading(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x${index}`, 1])), () => null).faults).toHaveLength(100)
})

test('a step of a JSON pointer is escaped', () => {
  expect([escapedStep('a/b~c'), escapedStep('~1'), escapedStep(7)]).toEqual(['a~1b~0c', '~01', '7'])
})

// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isThorough, triesOf } from '../../../test/support/tries.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { type BodyFormat, readBody } from '../body.ts'
import { type RowReader, rowReader } from '../row.ts'
import { maxRowLength } from '../rows.ts'
import { byteReader } from './byte-reader.ts'
import { readValue } from './plain-json.ts'

/** `npm run test:differential` compares 250,000. */
const bodies = Number(process.env.TIDEMARK_DIFFERENTIAL_BODIES ?? (isThorough ? 3000 : 1000))
const now = Date.UTC(2026, 10, 14, 12)
const typesById = new Map<string, CheckType>(checkTypes.flatMap((checkType) => [1, 2].map((i) => [`${checkType.path}-${i}`, checkType])))
const ids = [...typesById.keys()]
const newReader = () => rowReader({ account: 'acme', now, cardinality: null, typeOf: (checkId) => typesById.get(checkId) })
const parsingReader = (): RowReader => ({ ...newReader(), readPlain: () => null })

function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 20): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })
}

const oddNumber = fc.oneof(
  fc.double({ noNaN: true }).map(String),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.stringMatching(/^-?[0-9]{1,20}\.[0-9]{1,25}$/),
  fc.constantFrom(
    '-0',
    '-0.0',
    '0.000',
    '01',
    '-01',
    '1.',
    '.5',
    '-',
    '-.5',
    '+1',
    '1e2',
    '1E400',
    '1e-7',
    '1e',
    '0x1',
    'NaN',
    '1_0',
    '1 2',
  ),
)
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((any) => JSON.stringify(any)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((any) => `"${any}"`),
  fc.constantFrom(
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\x"',
    '"\u007f"',
    '"a\tb"',
    '"\\"',
    '"',
    '""',
    '"\\u0065u"',
    '"\ufeff"',
    '"Zürich"',
    '"a"b"',
  ),
)
const oddStart = fc.constantFrom(
  '"2026-02-30T00:00:00.000Z"',
  '"2026-11-14T24:00:00.000Z"',
  '"2026-11-14T10:00:00.00xZ"',
  '1793000000.5',
  String(now + 600_001),
)
const nested = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '[]',
    '{}',
    '[{"pageUrl":"/"}]',
    '[{"pageUrl":"a}]\\",["}]',
    '[[[1]]]',
    `${'['.repeat(20)}1${']'.repeat(20)}`,
    '[}',
    '[1,2',
    '[1],',
    '[1,\n2]',
  ),
)
const word = fc.constantFrom('true', 'false', 'null', 'tru', 'True', 'falsey', 'nul', 'undefined', '')
const oddValue = fc.oneof(oddNumber, oddText, oddStart, nested, word)

const instant = fc.integer({ min: now - 1e9, max: now })
const start = fc.oneof(
  instant.map(String),
  instant.map((at) => JSON.stringify(new Date(at).toISOString())),
)
const place = fc.constantFrom('"eu-west-1"', '"eu-east-1"', '"x"', '"Zürich"', '"a longer name of a place"')
const measure = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 100 }).map(String) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_000_000 }).map((n) => String(n / 10_000)) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 100, noNaN: true }).map((n) => String(n)) },
  { weight: 1, arbitrary: fc.constant('null') },
)
const oddName = fc.constantFrom(
  'id',
  'error',
  'state',
  'pages',
  'pageUrl',
  'hasErrors',
  'attempts',
  'availability',
  'checkId',
  'nonsense',
  '__proto__',
  '1',
  '',
)

type Part = readonly [name: string, value: string]

/** The properties of a row of a check, most of them valid, in any order. */
function partsOf(checkId: string): fc.Arbitrary<readonly Part[]> {
  const { metrics = {}, fields = [] } = typesById.get(checkId) ?? {}
  const part = (name: string, usual: fc.Arbitrary<string>) => fc.tuple(fc.constant(name), mostly(usual, oddValue, 60))
  const needed = fc.tuple(
    part(
      'checkId',
      mostly(
        fc.constant(JSON.stringify(checkId)),
        fc.constantFrom(...ids, 'other', 'no id').map((id) => JSON.stringify(id)),
      ),
    ),
    part('startedAt', start),
    part('runLocation', place),
    part('hasFailures', fc.constantFrom('true', 'false')),
  )
  const measured = fc.subarray([...Object.keys(metrics), ...fields]).chain((names) => fc.tuple(...names.map((name) => part(name, measure))))
  const more = mostly(fc.constant<Part[]>([]), fc.array(fc.tuple(oddName, oddValue), { maxLength: 2 }), 5)
  return fc
    .tuple(needed, measured, more)
    .map((all): Part[] => all.flat())
    .chain((all) =>
      mostly(
        fc.constant(all),
        fc.tuple(fc.constantFrom(...all), measure).map(([[name], value]): Part[] => [...all, [name, value]]),
      ),
    )
    .chain((all) => mostly(fc.constant(all), fc.shuffledSubarray(all, { minLength: Math.max(0, all.length - 1) }), 5))
}

const space = mostly(fc.constantFrom('', '', ' '), fc.constantFrom('  ', '\t', '\r'))
const change = fc.record({
  at: fc.nat(),
  less: fc.nat({ max: 2 }),
  more: fc.oneof(
    fc.constantFrom('', '"', ',', ':', ' ', '}', '{', '\\', '0', '.', '\n', '\0'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
})
const row = fc
  .record({
    parts: mostly(fc.constantFrom(...ids), fc.constant('other')).chain(partsOf),
    space,
    edge: space,
    change: mostly(fc.constant(null), change, 4),
  })
  .map(({ parts, space, edge, change }) => {
    const whole = `{${edge}${parts.map(([name, value]) => `${JSON.stringify(name)}:${space}${value}`).join(`,${space}`)}${edge}}`
    if (change === null) return whole
    const at = change.at % whole.length
    return whole.slice(0, at) + change.more + whole.slice(at + change.less)
  })

/** Bodies of rows that are alike, as clients send them, or not. */
const body = fc
  .record({
    rows: fc.array(row, { maxLength: 4 }).chain((rows) => fc.constantFrom(rows, rows, [...rows, ...rows])),
    mark: mostly(fc.constant(''), fc.constantFrom('\ufeff', '\ufeff\ufeff')),
    between: fc.constantFrom('', ' '),
    lineEnd: mostly(fc.constantFrom('\n', '\r\n'), fc.constantFrom('\n\n', '\r\r\n', ' \n')),
    end: mostly(fc.constantFrom('', '\n'), fc.constantFrom(' ', '\r\n', '\n\n', '\nx', ',', 'x', ']')),
    cut: mostly(fc.constant(0), fc.nat({ max: 30 })),
    flip: mostly(fc.constant(null), fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) })),
  })
  .map(({ rows, mark, between, lineEnd, end, cut, flip }) => {
    const bytesOf = (written: string) => {
      const bytes = Buffer.from(`${mark}${written}${end}`)
      if (flip && bytes.length > 0) bytes[flip.at % bytes.length] = flip.byte
      return bytes.subarray(0, Math.max(0, bytes.length - cut))
    }
    return { lines: bytesOf(rows.join(lineEnd)), array: bytesOf(`[${rows.join(`,${between}`)}]`) }
  })

describe('the fast path of a row', () => {
  test('gives the same result or rejection as JSON.parse, whatever the body is', { timeout: 1_800_000 }, () => {
    fc.assert(
      fc.property(body, (bodies) => {
        for (const format of ['lines', 'array'] as const)
          expect(resultText(bodies[format], format, newReader())).toBe(resultText(bodies[format], format, parsingReader()))
      }),
      { numRuns: bodies },
    )
  })

  test('is the one before with any one byte changed, and then read as JSON.parse reads it', () => {
    for (const checkId of ids.filter((id) => id.endsWith('-1'))) {
      const written = JSON.stringify(sampleOf(checkId, 1))
      for (let at = 0; at < written.length; at++) {
        const body = Buffer.from(`${written}\n${written.slice(0, at)}x${written.slice(at + 1)}`)
        expect(resultText(body, 'lines', newReader())).toBe(resultText(body, 'lines', parsingReader()))
      }
    }
  })

  test.each([
    ['without spaces', (rows: readonly object[]) => rows.map((row) => JSON.stringify(row))],
    ['with spaces', (rows: readonly object[]) => rows.map((row) => JSON.stringify(row).replaceAll('":', '": ').replaceAll(',"', ', "'))],
    ['in another order', (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).reverse())))],
  ])('reads the output of programs %s', (_, write) => {
    for (const checkId of ids) {
      const written = write([1, 2, 3].map((i) => sampleOf(checkId, i)))
      const reader = newReader()
      expect(reader.read(sampleOf(checkId, 0), 0)).toHaveProperty('result')
      const read = () => expect.unreachable('it was left to JSON.parse')
      expect(readBody(Buffer.from(written.join('\r\n')), 'lines', { ...reader, read }).filed).toHaveLength(3)
      expect(readBody(Buffer.from(`[${written.join(', ')}]\n`), 'array', { ...reader, read }).filed).toHaveLength(3)
    }
  })
})

describe('rows in the fast path', () => {
  const written = JSON.stringify(sampleOf(ids[0] ?? '', 1))

  test('are limited to 10,000', () => {
    const lines = (count: number) => Buffer.from(`${written}\n`.repeat(count))
    const array = (count: number) => Buffer.from(`[${Array(count).fill(written).join()}]`)
    expect(readBody(lines(10_000), 'lines', newReader()).filed).toHaveLength(10_000)
    expect(readBody(array(10_000), 'array', newReader()).filed).toHaveLength(10_000)
    expect(() => readBody(lines(10_001), 'lines', newReader())).toThrow('10,000 rows')
    expect(() => readBody(array(10_001), 'array', newReader())).toThrow('10,000 rows')
  })

  test('have the same limit of nesting', () => {
    for (let depth = 1; depth < 20; depth++) {
      const body = Buffer.from(`[${written.slice(0, -1)},"availability":${'['.repeat(depth)}${']'.repeat(depth)}}]`)
      for (const format of ['array', 'lines'] as const)
        expect(resultText(body, format, newReader())).toBe(resultText(body, format, parsingReader()))
    }
  })

  test('have the same limit of length', () => {
    const line = (length: number) => `${written.slice(0, -1)},"availability":"${'x'.repeat(length - written.length - 18)}"}`
    expect(line(300_000)).toHaveLength(300_000)
    for (const end of ['\n', '\r\n']) {
      const body = Buffer.from([-2, -1, 0, 1].map((more) => `${line(maxRowLength + more)}${end}`).join(''))
      expect(resultText(body, 'lines', newReader())).toBe(resultText(body, 'lines', parsingReader()))
    }
  })
})

test('a value is read as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.oneof(measure, start, place, oddValue), fc.constantFrom(',', '}', ' ', ''), (value, behind) => {
      const cursor = byteReader(Buffer.from(`${value}${behind}`), 0)
      const read = readValue(cursor)
      const rest = cursor.bytes.toString('utf8', cursor.at)
      if (read !== undefined && /^[,} ]/.test(rest)) expect(read).toEqual(JSON.parse(cursor.bytes.toString('utf8', 0, cursor.at)))
    }),
    { numRuns: triesOf(3000) },
  )
})

function resultText(body: Buffer, format: BodyFormat, reader: RowReader): string {
  try {
    return JSON.stringify(readBody(body, format, reader))
  } catch (error) {
    return String(error)
  }
}

function sampleOf(checkId: string, i: number) {
  const { metrics = {}, fields = [] } = typesById.get(checkId) ?? {}
  const values = [...Object.keys(metrics), ...fields].map((name) => [name, i])
  return {
    checkId,
    id: `${checkId}-${i}`,
    startedAt: now - i,
    runLocation: 'eu',
    hasFailures: false,
    error: null,
    ...Object.fromEntries(values),
  }
}

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FiledResult } from '../store/store.ts'
import { type BodyFormat, decodeBody, maxBodyBytes, readBody, readBodyInTurns } from './body.ts'

describe('a body', () => {
  test('is decompressed from gzip, or read as it is', async () => {
    expect(String(await decodeBody(Buffer.from('[]'), 'identity'))).toBe('[]')
    expect(String(await decodeBody(gzipSync('[]'), 'gzip'))).toBe('[]')
  })

  test('that is a decompression bomb is rejected before it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(maxBodyBytes + 1))
    expect(bomb.length).toBeLessThan(10_000)
    await expect(decodeBody(bomb, 'gzip')).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      message: expect.stringContaining('8 MiB when decompressed'),
    })
    expect((await decodeBody(gzipSync(Buffer.alloc(maxBodyBytes)), 'gzip')).length).toBe(maxBodyBytes)
  })

  test('with invalid or truncated gzip is rejected', async () => {
    for (const bytes of [Buffer.from('[]'), gzipSync('[1,2,3]').subarray(0, -6)])
      await expect(decodeBody(bytes, 'gzip')).rejects.toMatchObject({
        code: 'INVALID_BODY',
        message: 'The body is not valid gzip, or is truncated.',
      })
  })

  test('in another encoding is rejected', async () => {
    await expect(decodeBody(Buffer.from('[]'), 'br')).rejects.toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: expect.stringContaining('plain bytes or with Content-Encoding: gzip'),
    })
  })

  test('that is not UTF-8 is rejected', () => {
    for (const format of ['array', 'lines'] as const)
      expect(refusal(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), format)).toEqual(['INVALID_BODY', 'The body is not UTF-8.'])
  })

  test('may begin with a byte order mark', () => {
    expect(read('\ufeff[1]', 'array')).toEqual({ values: [1], rejected: [] })
    expect(read('\ufeff1\n', 'lines')).toEqual({ values: [1], rejected: [] })
  })
})

describe('an array', () => {
  test('yields its elements', () => {
    expect(read(' [{"a": "],[\\"{"}, null]\n', 'array').values).toEqual([{ a: '],["{' }, null])
    expect(read('[]', 'array').values).toEqual([])
  })

  test.each(['', '{', '[1', '[NaN]', '{"a":1}\n{"a":2}', '[1]x', '[1][2]', '[1,]'])('is rejected as invalid JSON: %j', (text) => {
    expect(refusal(text, 'array')).toEqual(['INVALID_BODY', 'The body is not JSON. Send one result per line as application/x-ndjson.'])
  })

  test.each(['"text"', '{}', 'null', '1'])('is rejected if it is another JSON value: %j', (text) => {
    const message = 'Send a JSON array of results, or one result per line as application/x-ndjson.'
    expect(refusal(text, 'array')).toEqual(['INVALID_BODY', message])
  })

  test('nested too deeply is rejected before it is parsed', () => {
    const tooDeep = ['INVALID_BODY', 'The body is nested deeper than 16.']
    expect(refusal('['.repeat(1_000_000), 'array')).toEqual(tooDeep)
    expect(refusal('[{"a":'.repeat(100_000), 'array')).toEqual(tooDeep)
    expect(refusal(`${'['.repeat(17)}${']'.repeat(17)}`, 'array')).toEqual(tooDeep)
    expect(read(`${'['.repeat(16)}${']'.repeat(16)}`, 'array').values).toHaveLength(1)
  })

  test('is not nested by brackets within texts, nor by consecutive lists and objects', () => {
    for (const text of ['['.repeat(1000), `\\"${'{'.repeat(1000)}`, `\\\\${'['.repeat(1000)}`])
      expect(read(`["${text}"]`, 'array').values).toHaveLength(1)
    for (const value of ['[]', '{}', '{"a":[]}']) expect(read(`[${Array(100).fill(value)}]`, 'array').values).toHaveLength(100)
  })

  test('may have up to 10,000 elements, however much they contain', () => {
    expect(read(`[${Array(10_000).fill('{}').join()}]`, 'array').values).toHaveLength(10_000)
    expect(refusal(`[${Array(10_001).fill('{}').join()}]`, 'array')).toEqual(tooManyRows)
    expect(read(`[[${Array(20_000).fill(1)}], "${','.repeat(20_000)}"]`, 'array').values).toHaveLength(2)
  })
})

describe('lines', () => {
  test('are rows, except blank ones; an invalid one does not affect the others', () => {
    expect(read('{"a":1}\r\n\n  \nnonsense\n{"a":2}', 'lines')).toEqual({
      values: [{ a: 1 }, { a: 2 }],
      rejected: [{ at: 1, code: 'MALFORMED_ROW', message: 'This row is not a JSON object: invalid JSON.' }],
    })
  })

  test.each(['', ' ', '\t\r', '\n \n '])('may end with blanks', (end) => {
    expect(read(`1\n${end}`, 'lines')).toEqual({ values: [1], rejected: [] })
  })

  test('are limited to 10,000', () => {
    expect(read('1\n'.repeat(10_000), 'lines').values).toHaveLength(10_000)
    expect(refusal('1\n'.repeat(10_001), 'lines')).toEqual(tooManyRows)
    expect(refusal('1\nnonsense\n'.repeat(5001), 'lines')).toEqual(tooManyRows)
    expect(read(`${'1\nnonsense\n'.repeat(5000)}\n\n`, 'lines').rejected).toHaveLength(5000)
  })

  test('longer than a row may be are rejected', () => {
    const most = 'x'.repeat(262_142)
    expect(read(`"${most}"\n1`, 'lines').values).toEqual([most, 1])
    expect(read(`"${most}x"\n1`, 'lines')).toEqual({
      values: [1],
      rejected: [{ at: 0, code: 'ROW_TOO_LARGE', message: 'This row is longer than 262144 characters.' }],
    })
  })
})

test('an array is read as by JSON.parse, or rejected as a whole', () => {
  const element = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('', ' ', '{', ']', '[,]', '{]', '"', '"\\"]"', '1 2', '"a\u2028,["', 'tru', '-', '1e999', '\ufeff'),
  )
  const space = fc.constantFrom('', '', ' ', '\n', '\t\r')
  const array = fc.tuple(
    fc.array(element, { maxLength: 4 }),
    fc.constantFrom('[', '[', '[', '', '[['),
    fc.constantFrom(']', ']', ']', '', ']]', '],', ']1'),
    space,
  )
  fc.assert(
    fc.property(array, ([elements, open, close, blank]) => {
      const text = `${blank}${open}${blank}${elements.join(`${blank},${blank}`)}${blank}${close}${blank}`
      expect(refusal(text, 'array')).toEqual(parsed(text))
    }),
    { numRuns: 3000 },
  )
})

test('rows with more values than a valid row can have are rejected without parsing', () => {
  expect(read(`[[${Array(100_002).fill(1)}], 2]`, 'array')).toEqual({
    values: [2],
    rejected: [{ at: 0, code: 'ROW_TOO_LARGE', message: 'This row is longer than 100000 values.' }],
  })
})

test.each<[string, BodyFormat, string]>([
  ['rows', 'array', `[${Array(10_000).fill('{"a":"text"}').join()}]`],
  ['lines', 'lines', '{"a":"text"}\n'.repeat(10_000)],
  ['blank lines', 'lines', ' \n\n'.repeat(1_000_000)],
  ['long rows', 'array', `[${Array(4).fill(`"${'x'.repeat(1_000_000)}"`)}]`],
  ['spaces', 'array', ' '.repeat(maxBodyBytes)],
])('a large body of %s is read in several turns of the event loop', async (_, format, text) => {
  const body = Buffer.from(text)
  let turns = 0
  let isRead = false
  const count = () => {
    turns++
    if (!isRead) setImmediate(count)
  }
  setImmediate(count)
  await readBodyInTurns(body, format, takingAll).catch(() => undefined)
  isRead = true
  expect(turns).toBeGreaterThan(3)
})

const tooManyRows = ['BODY_TOO_LARGE', expect.stringContaining('10,000 rows')]

/** Code and message of the error for a body that is rejected as a whole. */
function refusal(body: string | Buffer, format: BodyFormat): readonly unknown[] {
  try {
    return [read(body, format)]
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    return [code, message]
  }
}

/** What `refusal` must return for an array, computed with JSON.parse. */
function parsed(text: string): readonly unknown[] {
  try {
    const values = JSON.parse(text)
    return Array.isArray(values)
      ? [{ values, rejected: [] }]
      : ['INVALID_BODY', 'Send a JSON array of results, or one result per line as application/x-ndjson.']
  } catch {
    return ['INVALID_BODY', 'The body is not JSON. Send one result per line as application/x-ndjson.']
  }
}

const takingAll = { readPlain: () => null, read: (value: unknown) => ({ value }) as unknown as FiledResult }

/** The rows of a body with a reader that accepts every value. */
function read(body: string | Buffer, format: BodyFormat) {
  const { filed, rejected } = readBody(Buffer.from(body), format, takingAll)
  return { values: filed.map((taken) => (taken as unknown as { value: unknown }).value), rejected }
}

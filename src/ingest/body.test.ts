import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { FiledResult } from '../store/store.ts'
import { type BodyFormat, decodeBody, maxBodyBytes, readBody } from './body.ts'

describe('a body', () => {
  test('is decompressed from gzip, or taken as it is', async () => {
    expect(String(await decodeBody(Buffer.from('[]'), 'identity'))).toBe('[]')
    expect(String(await decodeBody(gzipSync('[]'), 'gzip'))).toBe('[]')
  })

  test('that is a bomb is refused before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(maxBodyBytes + 1))
    expect(bomb.length).toBeLessThan(10_000)
    await expect(decodeBody(bomb, 'gzip')).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
    expect((await decodeBody(gzipSync(Buffer.alloc(maxBodyBytes)), 'gzip')).length).toBe(maxBodyBytes)
  })

  test('whose gzip is broken or cut off is refused', async () => {
    await expect(decodeBody(Buffer.from('[]'), 'gzip')).rejects.toMatchObject({ code: 'INVALID_BODY' })
    await expect(decodeBody(gzipSync('[1,2,3]').subarray(0, -6), 'gzip')).rejects.toMatchObject({ code: 'INVALID_BODY' })
  })

  test('in another encoding is refused', async () => {
    await expect(decodeBody(Buffer.from('[]'), 'br')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test('that is not UTF-8 is refused', () => {
    for (const format of ['array', 'lines'] as const)
      expect(() => read(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), format)).toThrow('not UTF-8')
  })

  test('may begin with a byte order mark', () => {
    expect(read('\ufeff[1]', 'array')).toEqual({ values: [1], rejected: [] })
    expect(read('\ufeff1\n', 'lines')).toEqual({ values: [1], rejected: [] })
  })
})

describe('an array', () => {
  test('gives its elements', () => {
    expect(read(' [{"a": "],[\\"{"}, null]\n', 'array').values).toEqual([{ a: '],["{' }, null])
    expect(read('[]', 'array').values).toEqual([])
  })

  test.each(['', '{', '[1', '[NaN]', '{"a":1}\n{"a":2}', '"text"', '{}', 'null', '1'])('is not %j', (text) => {
    expect(() => read(text, 'array')).toThrow(/JSON/)
  })

  test('nested too deep is refused before it is parsed', () => {
    expect(() => read('['.repeat(1_000_000), 'array')).toThrow('nested deeper')
    expect(() => read('[{"a":'.repeat(100_000), 'array')).toThrow('nested deeper')
    expect(read(`["${'['.repeat(1000)}"]`, 'array').values).toHaveLength(1)
  })

  test('may have 10,000 elements and no more', () => {
    expect(read(`[${Array(10_000).fill('{}').join()}]`, 'array').values).toHaveLength(10_000)
    expect(() => read(`[${Array(10_001).fill('{}').join()}]`, 'array')).toThrow('10,000 rows')
  })
})

describe('lines', () => {
  test('are rows, blank ones left out; a broken one does not affect the others', () => {
    expect(read('{"a":1}\r\n\n  \nnonsense\n{"a":2}', 'lines')).toEqual({
      values: [{ a: 1 }, { a: 2 }],
      rejected: [{ at: 1, code: 'MALFORMED_ROW', message: 'This row is no JSON object: its JSON does not parse.' }],
    })
  })

  test('may be 10,000 and no more', () => {
    expect(read('1\n'.repeat(10_000), 'lines').values).toHaveLength(10_000)
    expect(() => read('1\n'.repeat(10_001), 'lines')).toThrow('10,000 rows')
  })

  test('longer than any row are rejected', () => {
    expect(read(`"${'x'.repeat(300_000)}"\n1`, 'lines')).toMatchObject({ values: [1], rejected: [{ at: 0, code: 'ROW_TOO_LARGE' }] })
  })
})

/** The rows of a body with a reader that accepts every value. */
function read(body: string | Buffer, format: BodyFormat) {
  const reader = { readPlain: () => null, read: (value: unknown) => ({ value }) as unknown as FiledResult }
  const { filed, rejected } = readBody(Buffer.from(body), format, reader)
  return { values: filed.map((taken) => (taken as unknown as { value: unknown }).value), rejected }
}

import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bodyRows, decodeBody, maxBodyBytes } from './body.ts'

describe('a body', () => {
  test('is unpacked from gzip, or taken as it is', async () => {
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
      expect(() => bodyRows(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), format)).toThrow('not UTF-8')
  })

  test('may begin with a byte order mark', () => {
    expect(bodyRows(Buffer.from('\ufeff[1]'), 'array')).toEqual([{ at: 0, value: 1 }])
    expect(bodyRows(Buffer.from('\ufeff1\n'), 'lines')).toEqual([{ at: 0, value: 1 }])
  })
})

describe('an array', () => {
  test('gives its elements', () => {
    expect(bodyRows(Buffer.from(' [{"a": "],[\\"{"}, null]\n'), 'array')).toEqual([
      { at: 0, value: { a: '],["{' } },
      { at: 1, value: null },
    ])
    expect(bodyRows(Buffer.from('[]'), 'array')).toEqual([])
  })

  test.each(['', '{', '[1', '[NaN]', '{"a":1}\n{"a":2}', '"text"', '{}', 'null', '1'])('is not %j', (text) => {
    expect(() => bodyRows(Buffer.from(text), 'array')).toThrow(/JSON/)
  })

  test('nested too deep is refused before it is parsed', () => {
    expect(() => bodyRows(Buffer.from('['.repeat(1_000_000)), 'array')).toThrow('nested deeper')
    expect(() => bodyRows(Buffer.from('[{"a":'.repeat(100_000)), 'array')).toThrow('nested deeper')
    expect(bodyRows(Buffer.from(`["${'['.repeat(1000)}"]`), 'array')).toHaveLength(1)
  })

  test('may have 10,000 elements and no more', () => {
    expect(bodyRows(Buffer.from(`[${Array(10_000).fill('{}').join()}]`), 'array')).toHaveLength(10_000)
    expect(() => bodyRows(Buffer.from(`[${Array(10_001).fill('{}').join()}]`), 'array')).toThrow('10,000 rows')
  })
})

describe('lines', () => {
  test('are rows, blank ones left out; a broken one harms no other', () => {
    expect(bodyRows(Buffer.from('{"a":1}\r\n\n  \nnonsense\n{"a":2}'), 'lines')).toEqual([
      { at: 0, value: { a: 1 } },
      { at: 1, rejection: { code: 'MALFORMED_ROW', message: 'This row is no JSON object: its JSON does not parse.' } },
      { at: 2, value: { a: 2 } },
    ])
  })

  test('may be 10,000 and no more', () => {
    expect(bodyRows(Buffer.from('1\n'.repeat(10_000)), 'lines')).toHaveLength(10_000)
    expect(() => bodyRows(Buffer.from('1\n'.repeat(10_001)), 'lines')).toThrow('10,000 rows')
  })

  test('longer than any row are rejected', () => {
    expect(bodyRows(Buffer.from(`"${'x'.repeat(300_000)}"\n1`), 'lines')).toMatchObject([
      { rejection: { code: 'ROW_TOO_LARGE' } },
      { value: 1 },
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvError, csvLine, csvRecords } from './csv.ts'

describe('csvLine', () => {
  test('quotes cells where necessary and ends with CR LF', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', 'two\nlines', ''])).toBe('a,"b,c","say ""x""","two\nlines",\r\n')
  })

  test.each(['=1+1', '+1', '-cmd', '@SUM(A1)', '\tx', '\rx', '\nx', "'=1"])('defuses %j', (text) => {
    expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true)
  })

  const skipped = [' ', '   ', '\u00a0', '\ufeff', '\u3000', '\u200b', '\u2060', '\u0000', '\u00ad', ' \u00a0\ufeff ', "' "]
  const signs = [...'=+-@＝＋－＠﹦﹢﹣﹫−']
  test.each(skipped)('defuses any formula sign after %j', (before) => {
    for (const sign of signs) expect(csvLine([`${before}${sign}cmd|' /C calc'!A0`]).startsWith("'")).toBe(true)
  })
  test.each(signs)('defuses the sign %s in any width', (sign) => {
    expect(csvLine([`${sign}1+1`]).startsWith("'")).toBe(true)
  })

  test.each([' a', '\u00a0a', '\ufeffa', 'a=1', ' 1', 'é@b'])('leaves %j unchanged', (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`)
  })

  test.each(['-1', '-0.5', '1e-7', '-1.5e+300', '0'])('leaves the number %s unchanged', (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`)
  })
})

describe('csvRecords', () => {
  test('reads back what was written, wherever the text is split', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', "'", '=', '-', ',', '\r', '\n', 'a', '1', ' ', '\u00a0', '\ufeff', '＝', '\t') }),
    )
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (written, size) => {
        const records = await read(written.map(csvLine).join(''), size)
        expect(records.map(({ cells }) => cells)).toEqual(written)
      }),
    )
  })

  test('accepts bare line feeds, blank lines and a last line without a line break, and counts lines', async () => {
    expect(await read('a,b\n\n"x\ny",z\r\nlast,')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 3, cells: ['x\ny', 'z'] },
      { line: 5, cells: ['last', ''] },
    ])
  })

  test.each(['a"b,c\n"', '"a"b\n', '"never closed'])('rejects stray quotes as in %j', async (text) => {
    await expect(read(text)).rejects.toThrow(CsvError)
  })

  test('rejects an endless record before it exhausts memory', async () => {
    await expect(read(`"${'x'.repeat(2000)}`)).rejects.toThrow('line 1 is longer than 1000 characters')
  })
})

async function read(text: string, size = 16) {
  const records = []
  for await (const record of csvRecords(pieces(text, size), 1000)) records.push(record)
  return records
}

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

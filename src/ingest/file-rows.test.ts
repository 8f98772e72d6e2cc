// @slow
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type FileFormat, fileRows, UnreadableFile } from './file-rows.ts'

describe('a file of lines', () => {
  test('yields a row for each, with its line number, wherever the bytes are split', async () => {
    const expected = [
      { at: 1, value: { a: 'ü' } },
      { at: 3, value: { a: 2 } },
      { at: 4, rejection: expect.objectContaining({ code: 'MALFORMED_ROW' }) },
      { at: 5, value: 5 },
    ]
    for (const size of [1, 2, 3, 1000]) expect(await rows('ndjson', Buffer.from('{"a":"ü"}\n\n{"a":2}\r\n{"a"\n5'), size)).toEqual(expected)
  })

  test('may be gzip, also with several members', async () => {
    const bytes = Buffer.concat([gzipSync('1\n2\n'), gzipSync('3\n')])
    expect(await rows('ndjson', bytes, 5)).toEqual([1, 2, 3].map((value) => ({ at: value, value })))
  })

  test('rejects an endless line and continues after it', async () => {
    const read = await rows('ndjson', Buffer.from(`1\n${'x'.repeat(3_000_000)}\n3\n`), 65_536)
    expect(read).toMatchObject([{ value: 1 }, { at: 2, rejection: { code: 'ROW_TOO_LARGE' } }, { at: 3, value: 3 }])
  })

  test('rejects a line that is not UTF-8, or as too large if it is that as well', async () => {
    const read = await rows('ndjson', Buffer.from([0x31, 0x0a, 0xff, 0x0a, 0x33]), 65_536)
    const rejection = { code: 'MALFORMED_ROW', message: 'This row is not a JSON object: it is not UTF-8.' }
    expect(read).toMatchObject([{ value: 1 }, { rejection }, { value: 3 }])
    const long = (length: number) => Buffer.concat([Buffer.from('1\n'), Buffer.alloc(length, 0xff), Buffer.from('\n3')])
    for (const size of [1_000_000, 3_000_000]) {
      expect(await rows('ndjson', long(4 * 262_144), size)).toMatchObject([{ value: 1 }, { rejection }, { value: 3 }])
      const tooLarge = { code: 'ROW_TOO_LARGE', message: 'This row is longer than 262144 characters.' }
      expect(await rows('ndjson', long(4 * 262_144 + 1), size)).toMatchObject([{ value: 1 }, { rejection: tooLarge }, { value: 3 }])
    }
  })

  test('may be much longer than any line', async () => {
    const bytes = Buffer.from('"a line"\n'.repeat(300_000))
    for (const size of [65_536, bytes.length]) {
      const read = await rows('ndjson', bytes, size)
      expect(read).toHaveLength(300_000)
      expect(read.at(-1)).toEqual({ at: 300_000, value: 'a line' })
    }
  })

  test('is not mistaken for gzip because of one byte', async () => {
    expect(await rows('ndjson', Buffer.from([0x1f, 0x0a, 0x31]), 10)).toMatchObject([{ rejection: {} }, { at: 2, value: 1 }])
    expect(await rows('ndjson', Buffer.from([0x0a, 0x8b, 0x0a, 0x31]), 10)).toMatchObject([{ rejection: {} }, { at: 3, value: 1 }])
  })

  test('that is empty has no rows', async () => {
    expect(await rows('ndjson', Buffer.alloc(0), 10)).toEqual([])
    expect(await rows('ndjson', gzipSync(''), 10)).toEqual([])
  })

  test('with truncated gzip is unreadable from there', async () => {
    const read: unknown[] = []
    const bytes = gzipSync('1\n'.repeat(1000)).subarray(0, -9)
    const reading = async () => {
      for await (const list of fileRows(cut(bytes, 10), 'ndjson', 100)) read.push(...list)
    }
    await expect(reading()).rejects.toThrow(new UnreadableFile('The gzip is corrupt or truncated.'))
    expect(read.length).toBeGreaterThan(0)
  })

  test('that cannot be read fails with that error', async () => {
    const broken = async function* () {
      yield Buffer.from('checkId,startedAt\na,b\n')
      throw new TypeError('the disk is gone')
    }
    const reading = async (format: FileFormat) => {
      for await (const _ of fileRows(broken(), format, 10));
    }
    await expect(reading('ndjson')).rejects.toThrow('the disk is gone')
  })
})

describe('a CSV file', () => {
  test('yields values as in JSON, and leaves out empty cells', async () => {
    const text = [
      '\ufeffcheckId,startedAt,hasFailures,isDegraded,attempts,error,dns,pages,id',
      '007,2026-11-14T10:00:00Z,TRUE,false,2,"1,5 Ω",0.25,"[{""pageUrl"":""/""}]",12',
      "c2,1800000000000,false,,,'=x,NaN,,",
    ].join('\n')
    for (const size of [1, 7, 1000])
      expect(await rows('csv', Buffer.from(text), size)).toEqual([
        {
          at: 2,
          value: {
            checkId: '007',
            startedAt: '2026-11-14T10:00:00Z',
            hasFailures: true,
            isDegraded: false,
            attempts: 2,
            error: '1,5 Ω',
            dns: 0.25,
            pages: [{ pageUrl: '/' }],
            id: '12',
          },
        },
        { at: 3, value: { checkId: 'c2', startedAt: 1_800_000_000_000, hasFailures: false, error: '=x', dns: 'NaN' } },
      ])
  })

  test('rejects a line with too few or too many cells', async () => {
    const read = await rows('csv', Buffer.from('checkId,startedAt\na\na,b,c\na,b\n'), 100)
    expect(read).toMatchObject([
      { at: 2, rejection: { code: 'MALFORMED_ROW', message: expect.stringContaining('it has 1 cells, but there are 2 columns') } },
      { at: 3, rejection: { code: 'MALFORMED_ROW', message: expect.stringContaining('it has 3 cells, but there are 2 columns') } },
      { at: 4, value: {} },
    ])
  })

  const header = 'The first line must be a header with checkId and startedAt. It starts with'
  test.each([
    ['has no header', Buffer.from('c1,2026-11-14T10:00:00Z\n'), `${header} "c1,2026-11-14T10:00:00Z".`],
    ['has a header without startedAt', Buffer.from('checkId,hasFailures\n'), `${header} "checkId,hasFailures".`],
    ['has a header without checkId', Buffer.from('startedAt\n'), `${header} "startedAt".`],
    ['has a stray quote', Buffer.from('checkId,startedAt\na"b,c"\n'), 'quote'],
    ['is not UTF-8', Buffer.concat([Buffer.from('checkId,startedAt\n'), Buffer.from([0xff, 0x0a])]), 'The file is not UTF-8.'],
    ['ends within a character', Buffer.concat([Buffer.from('checkId,startedAt\na,'), Buffer.from([0xce])]), 'The file is not UTF-8.'],
    ['never ends a quote', Buffer.from(`checkId,startedAt\n"${'x\n'.repeat(200_000)}`), 'is a quote missing?'],
  ])('that %s is unreadable', async (_, bytes, message) => {
    const reading = rows('csv', bytes, 65_536)
    await expect(reading).rejects.toThrow(UnreadableFile)
    await expect(reading).rejects.toThrow(message)
  })
})

test('rows come in batches of the requested size', async () => {
  const sizes = async (count: number) => {
    const found = []
    for await (const list of fileRows(Readable.from([Buffer.from('1\n'.repeat(count))]), 'ndjson', 10)) found.push(list.length)
    return found
  }
  expect(await sizes(25)).toEqual([10, 10, 5])
  expect(await sizes(20)).toEqual([10, 10])
})

async function rows(format: FileFormat, bytes: Buffer, size: number) {
  const all = []
  for await (const list of fileRows(cut(bytes, size), format, 1000)) all.push(...list)
  return all
}

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type FileFormat, fileRows, UnreadableFile } from './file-rows.ts'

describe('a file of lines', () => {
  test('gives a row for each, with its line, wherever the bytes are cut', async () => {
    const expected = [
      { at: 1, value: { a: 'ü' } },
      { at: 3, value: { a: 2 } },
      { at: 4, rejection: expect.objectContaining({ code: 'MALFORMED_ROW' }) },
      { at: 5, value: 5 },
    ]
    for (const size of [1, 2, 3, 1000]) expect(await rows('ndjson', Buffer.from('{"a":"ü"}\n\n{"a":2}\r\n{"a"\n5'), size)).toEqual(expected)
  })

  test('may be gzip, also of several members', async () => {
    const bytes = Buffer.concat([gzipSync('1\n2\n'), gzipSync('3\n')])
    expect(await rows('ndjson', bytes, 5)).toEqual([1, 2, 3].map((value) => ({ at: value, value })))
  })

  test('rejects an endless line and goes on after it', async () => {
    const read = await rows('ndjson', Buffer.from(`1\n${'x'.repeat(3_000_000)}\n3\n`), 65_536)
    expect(read).toMatchObject([{ value: 1 }, { at: 2, rejection: { code: 'ROW_TOO_LARGE' } }, { at: 3, value: 3 }])
  })

  test('rejects a line that is not UTF-8', async () => {
    const read = await rows('ndjson', Buffer.from([0x31, 0x0a, 0xff, 0x0a, 0x33]), 65_536)
    expect(read).toMatchObject([{ value: 1 }, { rejection: { code: 'MALFORMED_ROW' } }, { value: 3 }])
  })

  test('that is empty has no rows', async () => {
    expect(await rows('ndjson', Buffer.alloc(0), 10)).toEqual([])
    expect(await rows('ndjson', gzipSync(''), 10)).toEqual([])
  })

  test('whose gzip was cut off is unreadable from there', async () => {
    await expect(rows('ndjson', gzipSync('1\n'.repeat(1000)).subarray(0, -9), 10)).rejects.toThrow(UnreadableFile)
  })
})

describe('a CSV file', () => {
  test('gives values as JSON would hold them; an empty cell is nothing', async () => {
    const text = [
      '\ufeffcheckId,startedAt,hasFailures,isDegraded,attempts,error,dns,pages,id',
      '007,2026-11-14T10:00:00Z,TRUE,false,2,"1,5",0.25,"[{""pageUrl"":""/""}]",12',
      "c2,1800000000000,false,,,'=x,NaN,,",
    ].join('\n')
    expect(await rows('csv', Buffer.from(text), 7)).toEqual([
      {
        at: 2,
        value: {
          checkId: '007',
          startedAt: '2026-11-14T10:00:00Z',
          hasFailures: true,
          isDegraded: false,
          attempts: 2,
          error: '1,5',
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
      { at: 2, rejection: { code: 'MALFORMED_ROW' } },
      { at: 3, rejection: {} },
      { at: 4, value: {} },
    ])
  })

  test.each([
    ['has no header', Buffer.from('c1,2026-11-14T10:00:00Z\n')],
    ['has a stray quote', Buffer.from('checkId,startedAt\na"b,c"\n')],
    ['is not UTF-8', Buffer.concat([Buffer.from('checkId,startedAt\n'), Buffer.from([0xff, 0x0a])])],
    ['never ends a quote', Buffer.from(`checkId,startedAt\n"${'x\n'.repeat(200_000)}`)],
  ])('that %s is unreadable', async (_, bytes) => {
    await expect(rows('csv', bytes, 65_536)).rejects.toThrow(UnreadableFile)
  })
})

test('rows come in batches of the requested size', async () => {
  const sizes = []
  for await (const list of fileRows(Readable.from([Buffer.from('1\n'.repeat(25))]), 'ndjson', 10)) sizes.push(list.length)
  expect(sizes).toEqual([10, 10, 5])
})

async function rows(format: FileFormat, bytes: Buffer, size: number) {
  const all = []
  for await (const list of fileRows(cut(bytes, size), format, 1000)) all.push(...list)
  return all
}

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

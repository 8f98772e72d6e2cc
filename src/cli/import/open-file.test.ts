import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openImportFile } from './open-file.ts'

const folder = temporaryFolder()

async function read(name: string, bytes: number) {
  writeFileSync(join(folder, name), Buffer.alloc(bytes))
  const fractions: number[] = []
  const { bytes: stream, format } = await openImportFile(join(folder, name), (fraction) => fractions.push(fraction))
  return { format, length: (await buffer(stream)).length, fractions }
}

test.each([
  ['a.csv', 'csv'],
  ['a.CSV', 'csv'],
  ['a.csv.gz', 'csv'],
  ['a.ndjson', 'ndjson'],
  ['a.ndjson.gz', 'ndjson'],
  ['a.csv.txt', 'ndjson'],
  ['acsv', 'ndjson'],
])('%s is read as %s', async (name, format) => {
  expect(await read(name, 1)).toEqual({ format, length: 1, fractions: [1] })
})

test('progress is the fraction that was read', async () => {
  expect(await read('long', 524_288)).toEqual({ format: 'ndjson', length: 524_288, fractions: [0.5, 1] })
  expect(await read('empty', 0)).toEqual({ format: 'ndjson', length: 0, fractions: [] })
})

test('a hyphen is standard input, and a folder is rejected', async () => {
  expect(await openImportFile('-', () => {})).toEqual({ bytes: process.stdin, format: 'ndjson' })
  mkdirSync(join(folder, 'sub'))
  for (const name of ['sub', 'none'])
    await expect(openImportFile(join(folder, name), () => {})).rejects.toThrow(`File not found: ${join(folder, name)}.`)
})

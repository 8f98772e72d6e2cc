import { expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { CheckRef } from '../../store.ts'
import { toBatches } from '../write/batch.ts'
import { openWriter } from '../write/writer.ts'
import { openFolderReader } from './folder-reader.ts'

const check: CheckRef = { account: 'acme', checkId: 'homepage' }
const start = Date.UTC(2026, 10, 7)
const everything = { startedBefore: Number.MAX_SAFE_INTEGER, minResults: 1, upTo: Number.MAX_SAFE_INTEGER }

function batchAt(ms: number) {
  const result = { ...calm, id: null, startedAt: start + ms, runLocation: 'eu', values: { dns: ms }, pages: [] }
  return toBatches([{ check, result }], result.startedAt).batches
}

test('a cached segment is not confused with one that got its number after a restart of the writer', () => {
  const directory = temporaryFolder()
  const first = openWriter(directory)
  const reader = openFolderReader(directory, 2 ** 20)
  const stored = () =>
    reader.scan({ check, window: { from: 0, to: start + 1000 }, after: null, limit: 10 }).map(({ startedAt }) => startedAt - start)
  first.append(batchAt(1))
  expect(stored()).toEqual([1])
  const number = first.lastSegment()
  while (first.sealSome(everything));
  first.close()
  const second = openWriter(directory)
  second.append(batchAt(2))
  expect(second.lastSegment()).toBe(number)
  expect(stored()).toEqual([1, 2])
  second.close()
  reader.close()
})

import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { describeDocuments } from '../../../test/support/documents-conformance.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { dayMs } from '../../time.ts'
import { logStart } from '../documents/document-log.ts'
import { type Documents, openDocuments } from '../documents/documents.ts'
import { databaseFile, openForReading } from './disk/database.ts'
import { inspect } from './disk/inspect.ts'
import { createDocumentLog } from './document-log.ts'
import { openWriter } from './write/writer.ts'

/** Writers of one folder, as if several processes shared it: what one appends first, another has to read before it goes on. */
async function openFolder(clock: () => number) {
  const directory = temporaryFolder()
  const closers: (() => Promise<void>)[] = []
  async function another(): Promise<Documents> {
    const writer = openWriter(directory)
    const database = openForReading(directory)
    const write = {
      append: async (...args: Parameters<typeof writer.appendDocuments>) => writer.appendDocuments(...args),
      drop: async (...args: Parameters<typeof writer.dropDocuments>) => writer.dropDocuments(...args),
    }
    const documents = await openDocuments(createDocumentLog(database, write, true), { clock, log: console.error })
    closers.push(async () => {
      await documents.close()
      database.close()
      writer.close()
    })
    return documents
  }
  return {
    directory,
    writer: () => openWriter(directory),
    documents: await another(),
    another,
    dispose: async () => {
      for (const close of closers) await close()
    },
  }
}

describeDocuments('a data folder', openFolder)

const author = { keyId: 'abcdefgh', keyName: 'ann' }
const ref = { kind: 'check', account: 'acme', id: 'shop' }
const written = (expected: number, body: string | null = '1') => ({ ...ref, expected, action: 'update', changes: '[]', body })

test('versions are dropped after their time and beyond their number, but what a document is stays', async () => {
  let now = 0
  const { documents, writer, dispose } = await openFolder(() => now)
  for (let version = 0; version < 6; version++) {
    now = version * dayMs
    await documents.write([written(version)], author)
  }
  await documents.write([{ ...written(0), id: 'gone' }], author)
  await documents.write([{ ...written(1, null), id: 'gone' }], author)
  await documents.write([{ ...written(0), id: 'last' }], author)
  const other = writer()
  const left = async () => (await documents.after(logStart, 100)).map(({ id, version }) => `${id} ${version}`)
  while (other.dropDocuments(2 * dayMs, 100)) {}
  expect(await left()).toEqual(['shop 3', 'shop 4', 'shop 5', 'shop 6', 'gone 1', 'gone 2', 'last 1'])
  while (other.dropDocuments(0, 4)) {}
  expect(await left()).toEqual(['shop 6', 'gone 1', 'gone 2', 'last 1'])
  while (other.dropDocuments(100 * dayMs, 100)) {}
  expect(await left()).toEqual(['shop 6', 'last 1'])
  other.close()
  await dispose()
})

test('a damaged version is found, and named', async () => {
  const { documents, directory, dispose } = await openFolder(() => 0)
  await documents.write([written(0, '{"a":1}')], author)
  await dispose()
  const database = new DatabaseSync(databaseFile(directory))
  database.exec(`UPDATE document SET body = '{"a":2}'`)
  database.close()
  expect(inspect(directory).problems).toEqual(['What was written over the API: version 1 of the check shop of acme is damaged.'])
})

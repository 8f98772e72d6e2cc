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

/** Several writers of one folder, like processes that share it: after one appends, the others must read before they can write. */
async function openFolder(clock: () => number, maxDeleted?: number) {
  const directory = temporaryFolder()
  const closers: (() => Promise<void>)[] = []
  async function another(): Promise<Documents> {
    const writer = openWriter(directory)
    const database = openForReading(directory)
    const write = {
      append: async (...args: Parameters<typeof writer.appendDocuments>) => writer.appendDocuments(...args),
      drop: async (...args: Parameters<typeof writer.dropDocuments>) => writer.dropDocuments(...args),
    }
    const documents = await openDocuments(createDocumentLog(database, write, true), {
      clock,
      log: console.error,
      ...(maxDeleted !== undefined && { maxDeleted }),
    })
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

test('versions are dropped after their time and beyond their number, except the current one', async () => {
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
  while (other.dropDocuments(0, 1)) {}
  expect(await left()).toEqual(['shop 6', 'last 1'])
  while (other.dropDocuments(100 * dayMs, 100)) {}
  expect(await left()).toEqual(['shop 6', 'last 1'])
  other.close()
  await dispose()
})

test('a write that is acknowledged after a later one of another process was read does not replace it', async () => {
  const directory = temporaryFolder()
  const [writer, database] = [openWriter(directory), openForReading(directory)]
  const write = {
    append: async (...[versions]: Parameters<typeof writer.appendDocuments>) => writer.appendDocuments(versions),
    drop: async () => false,
  }
  const log = createDocumentLog(database, write, true)
  const other = await openDocuments(log, { clock: () => 0, log: console.error })
  let afterAppend = async () => {}
  const slow = {
    ...log,
    async append(versions: Parameters<typeof log.append>[0]) {
      const isWritten = await log.append(versions)
      await afterAppend()
      return isWritten
    },
  }
  const documents = await openDocuments(slow, { clock: () => 0, log: console.error })
  const heard: number[] = []
  documents.onWritten((versions) => heard.push(...versions.map(({ version }) => version)))
  afterAppend = async () => {
    afterAppend = async () => {}
    await other.refresh()
    await other.write([written(1, '"theirs"')], author)
    await documents.refresh()
  }
  expect(await documents.write([written(0, '"own"')], author)).toHaveLength(1)
  expect(documents.head(ref)).toMatchObject({ version: 2, body: '"theirs"' })
  expect(heard).toEqual([1, 2])
  expect(await documents.write([written(1, '"lost"')], author)).toBeNull()
  await documents.close()
  await other.close()
  database.close()
  writer.close()
})

test('few deleted documents stay in memory, and their numbers are not reused', async () => {
  const { documents, another, dispose } = await openFolder(() => 0, 2)
  for (const id of ['a', 'b', 'c', 'd']) {
    await documents.write([{ ...written(0), id }], author)
    await documents.write([{ ...written(1, null), id }], author)
  }
  const copies = await documents.after(logStart, 100)
  for (const each of [documents, await another()]) {
    expect(each.heads().map(({ id }) => id)).toEqual(['c', 'd'])
    expect(await each.recall({ ...ref, id: 'never' })).toBeUndefined()
    expect(await each.addVersions(copies)).toBe(0)
    expect(await each.recall({ ...ref, id: 'a' })).toMatchObject({ version: 2, body: null })
  }
  expect(await documents.write([{ ...written(2), id: 'a' }], author)).toMatchObject([{ version: 3 }])
  await dispose()
})

test('a damaged version is detected and reported', async () => {
  const { documents, directory, dispose } = await openFolder(() => 0)
  await documents.write([written(0, '{"a":1}')], author)
  await dispose()
  const database = new DatabaseSync(databaseFile(directory))
  database.exec(`UPDATE document SET body = '{"a":2}'`)
  database.close()
  expect(inspect(directory).problems).toEqual(['Data written over the API: version 1 of the check shop of acme is damaged.'])
})

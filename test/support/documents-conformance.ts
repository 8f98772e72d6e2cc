import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type LoggedVersion, logStart } from '../../src/store/documents/document-log.ts'
import type { DocumentChange, Documents } from '../../src/store/documents/documents.ts'
import { dayMs } from '../../src/time.ts'

type OpenDocuments = (clock: () => number) => Promise<{
  readonly documents: Documents
  /** Opens the same documents, like another process or a restart. */
  another(): Promise<Documents>
  dispose(): Promise<void>
}>

const now = Date.UTC(2026, 10, 14)
const ann = { keyId: 'abcdefgh', keyName: 'ann' }
const ben = { keyId: 'ijklmnop', keyName: 'ben' }

/** Behaviour of documents in every store. */
export function describeDocuments(name: string, open: OpenDocuments): void {
  const withDocuments = async (work: (parts: Awaited<ReturnType<OpenDocuments>>) => Promise<void>, clock = () => now) => {
    const opened = await open(clock)
    await work(opened).finally(opened.dispose)
  }

  describe(`documents in ${name}`, () => {
    test('a document has versions with author and time', () =>
      withDocuments(async ({ documents, another }) => {
        await documents.write([change('shop', 0, '{"a":1}', 'create')], ann)
        await documents.write([change('shop', 1, '{"a":"ü 💧"}')], ben)
        await documents.write([change('shop', 2, null, 'delete')], ann)
        const later = await another()
        for (const each of [documents, later]) {
          expect(each.head(ref('shop'))).toMatchObject({ version: 3, body: null, action: 'delete', at: now, ...ann })
          expect(await each.version(ref('shop'), 2)).toMatchObject({ version: 2, body: '{"a":"ü 💧"}', changes: '["2"]', ...ben })
          expect(await each.version(ref('shop'), 4)).toBeNull()
          const records = await each.records({ ...ref('shop'), before: null, limit: 2 })
          expect(records.map(({ version }) => version)).toEqual([3, 2])
          const rest = await each.records({ ...ref('shop'), before: records[1] ?? null, limit: 2 })
          expect(rest.map(({ version }) => version)).toEqual([1])
        }
      }))

    test('of two writes of one version one is rejected, and a write of several documents is atomic', () =>
      withDocuments(async ({ documents }) => {
        expect(await documents.write([change('shop', 0, '1')], ann)).toHaveLength(1)
        expect(await documents.write([change('shop', 0, '2')], ben)).toBeNull()
        expect(await documents.write([change('api', 0, '1'), change('shop', 0, '2')], ben)).toBeNull()
        expect(documents.head(ref('api'))).toBeUndefined()
        const both = await Promise.all([documents.write([change('shop', 1, 'a')], ann), documents.write([change('shop', 1, 'b')], ben)])
        expect(both.filter((written) => written !== null)).toHaveLength(1)
        expect(documents.head(ref('shop'))?.version).toBe(2)
      }))

    test('version numbers of racing writers have no gaps, and each version has one winner', () =>
      withDocuments(async ({ documents, another }) => {
        const homes = [documents, await another()]
        const won: number[] = []
        const race = async (home: Documents, writer: number) => {
          for (let round = 0; round < 8; round++) {
            const expected = home.head(ref('shop'))?.version ?? 0
            const written = await home.write([change('shop', expected, `"${writer} ${round}"`)], ann)
            for (const { version } of written ?? []) won.push(version)
            await nextTurn()
          }
        }
        await Promise.all(homes.flatMap((home, index) => [race(home, 2 * index), race(home, 2 * index + 1)]))
        expect(won.toSorted((a, b) => a - b)).toEqual(Array.from({ length: won.length }, (_, index) => index + 1))
        await documents.refresh()
        const all = await documents.after(logStart, 1000)
        expect(all.map(({ version }) => version)).toEqual(won.toSorted((a, b) => a - b))
      }))

    test('writes are announced in order, and pages of the log join without a gap', () =>
      withDocuments(async ({ documents, another }) => {
        const heard: LoggedVersion[] = []
        documents.onWritten((versions) => heard.push(...versions))
        await Promise.all(Array.from({ length: 30 }, (_, index) => documents.write([change(`check-${index}`, 0, '1')], ann)))
        await documents.write(
          Array.from({ length: 7 }, (_, index) => change(`check-${index}`, 1, '2')),
          ann,
        )
        const later = await another()
        const paged: LoggedVersion[] = []
        for (let page = await later.after(logStart, 5); page.length > 0; page = await later.after(page.at(-1) ?? logStart, 5))
          paged.push(...page)
        expect(paged).toEqual(heard)
        expect(
          later
            .heads()
            .map(({ id, version }) => `${id} ${version}`)
            .toSorted(),
        ).toEqual(
          documents
            .heads()
            .map(({ id, version }) => `${id} ${version}`)
            .toSorted(),
        )
      }))

    test('another process is notified of writes', () =>
      withDocuments(async ({ documents, another }) => {
        const other = await another()
        const heard = new Promise<readonly LoggedVersion[]>((resolve) => other.onWritten(resolve))
        await documents.write([change('shop', 0, '1')], ann)
        expect((await heard).map(({ id, body }) => [id, body])).toEqual([['shop', '1']])
        expect(other.head(ref('shop'))?.version).toBe(1)
      }))

    test('a page of long versions is limited by memory, and no version is left out', () =>
      withDocuments(async ({ documents, another }) => {
        const long = JSON.stringify('x'.repeat(2 ** 20))
        for (let index = 0; index < 12; index++) await documents.write([change(`check-${index}`, 0, long)], ann)
        const first = await documents.after(logStart, 100)
        expect(first.length).toBe(8)
        const rest = await documents.after(first.at(-1) ?? logStart, 100)
        expect(rest.map(({ id }) => id)).toEqual(['check-8', 'check-9', 'check-10', 'check-11'])
        const later = await another()
        expect(later.heads()).toHaveLength(12)
      }))

    test('accounts and kinds are separate', () =>
      withDocuments(async ({ documents }) => {
        await documents.write(
          [{ ...change('x', 0, '1'), account: 'other' }, change('x', 0, '2'), { ...change('x', 0, '3'), kind: 'group' }],
          ann,
        )
        expect(documents.head({ kind: 'check', account: 'other', id: 'x' })?.body).toBe('1')
        const own = await documents.records({ account: 'acme', kind: null, id: null, before: null, limit: 10 })
        expect(own.map(({ kind }) => kind)).toEqual(['group', 'check'])
        expect(await documents.records({ account: 'acme', kind: 'group', id: null, before: null, limit: 10 })).toHaveLength(1)
      }))

    test('a write is validated against the earlier writes of every process', () =>
      withDocuments(async ({ documents, another }) => {
        const homes = [documents, await another()]
        for (const home of homes) home.onWritten(() => {})
        const judge = (home: Documents) => () => {
          if (home.heads().some(({ body }) => body === '"taken"')) throw new RangeError('taken')
        }
        const writes = homes.map((home, index) => home.write([change(`check-${index}`, 0, '"taken"')], ann, { judge: judge(home) }))
        const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status)
        expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
      }))

    test('limits of an account are enforced within the write', () =>
      withDocuments(async ({ documents, another }) => {
        const rules = { limitOf: () => ({ count: 3, characters: 10 }) }
        const add = (id: string, body: string) => documents.write([change(id, 0, body)], ann, rules)
        const added = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((id) => add(id, '12')))
        expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
        await expect(documents.write([change('a', 1, '1234567')], ann, rules)).rejects.toMatchObject({ what: 'characters' })
        await documents.write([change('a', 1, '123456')], ann, rules)
        await expect(add('d', '1')).rejects.toMatchObject({ what: 'count' })
        expect(documents.usage({ kind: 'check', account: 'acme' })).toEqual({ count: 3, characters: 10 })
        await documents.write([change('a', 2, null)], ann, rules)
        await documents.write([{ ...change('a', 0, '1234567'), account: 'other' }], ann, rules)
        for (const each of [documents, await another()])
          expect(each.usage({ kind: 'check', account: 'acme' })).toEqual({ count: 2, characters: 4 })
      }))

    test('versions are kept for 400 days, and the newest version of an existing document is kept longer', async () => {
      let time = now
      const written = async ({ documents, another }: Awaited<ReturnType<OpenDocuments>>) => {
        await documents.write([change('shop', 0, '1')], ann)
        await documents.write([change('shop', 1, '2')], ann)
        await documents.write([change('gone', 0, '1')], ann)
        await documents.write([change('gone', 1, null)], ann)
        time += 399 * dayMs
        await documents.write([change('api', 0, '1')], ann)
        const kept = async () => {
          await documents.expire()
          const records = await documents.records({ account: 'acme', kind: null, id: null, before: null, limit: 10 })
          return records.map(({ id, version }) => `${id} ${version}`)
        }
        expect(await kept()).toEqual(['api 1', 'gone 2', 'gone 1', 'shop 2', 'shop 1'])
        time += 2 * dayMs
        await expect.poll(kept).toEqual(['api 1', 'shop 2'])
        const later = await another()
        expect(later.head(ref('shop'))).toMatchObject({ version: 2, body: '2' })
        expect(await later.version(ref('shop'), 1)).toBeNull()
        expect(later.head(ref('gone'))).toBeUndefined()
      }
      await withDocuments(written, () => time)
    })

    test('versions of another store are added once', () =>
      withDocuments(async ({ documents }) => {
        await documents.write([change('shop', 0, '1')], ann)
        await documents.write([change('shop', 1, '2')], ben)
        const copy = (await documents.after(logStart, 10)).map((version) => ({ ...version, account: 'other', at: now - dayMs }))
        expect(await documents.addVersions(copy)).toBe(2)
        expect(await documents.addVersions(copy)).toBe(0)
        expect(documents.head({ ...ref('shop'), account: 'other' })).toMatchObject({ version: 2, body: '2', at: now - dayMs, ...ben })
      }))
  })
}

const ref = (id: string) => ({ kind: 'check', account: 'acme', id })

function change(id: string, expected: number, body: string | null, action = 'update'): DocumentChange {
  return { ...ref(id), expected, action, changes: JSON.stringify([String(expected + 1)]), body }
}

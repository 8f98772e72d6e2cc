import { expect, onTestFinished, test } from 'vitest'
import { manageChecks } from '../../../test/support/app.ts'
import { openAppStore } from '../../../test/support/app-store.ts'
import { account, testCatalogue } from '../../../test/support/catalogue.ts'
import { type DocumentLog, isAfter, type LoggedVersion, type LogPlace } from '../../store/documents/document-log.ts'
import { openDocuments } from '../../store/documents/documents.ts'
import { privateLocationKind as kind } from './private-location.ts'

const owner = { id: account, name: 'Acme', publicBadges: false }
const writing = { account: owner, author: { keyId: 'k', keyName: 'k' } }
const definition = (slugName: string) => ({ name: slugName, slugName, keys: [] })

async function open() {
  const store = await openAppStore({ clock: () => 0 })
  onTestFinished(store.close)
  return resourcesOver(store)
}

async function resourcesOver(store: Parameters<typeof manageChecks>[0]['store']) {
  const { managed } = await manageChecks({ ofFile: testCatalogue(), store, now: () => 0, env: {} })
  onTestFinished(managed.close)
  return managed.resources
}

/** A log that several processes share. Appending fails unless the newest version was read before. */
function sharedLog(): DocumentLog {
  const versions: LoggedVersion[] = []
  const after = async (place: LogPlace) => versions.filter((version) => isAfter(version, place))
  return {
    isShared: true,
    async append(added) {
      const position = versions.at(-1)?.position ?? 0
      if (added.some((version) => version.position !== position + 1)) return false
      versions.push(...added)
      return true
    },
    after,
    heads: after,
    records: async () => [],
    version: async () => null,
    expire: async () => {},
    close: async () => {},
  }
}

test('of two processes that use the same name at once, one is refused, however it is written', async () => {
  const log = sharedLog()
  const processes = await Promise.all(
    ['one', 'two'].map(async (id) => {
      const documents = await openDocuments(log, { clock: () => 0, log: () => {} })
      onTestFinished(documents.close)
      return { id, resources: await resourcesOver({ documents, recordDefinitions: async () => [] }) }
    }),
  )
  const create = processes.map(({ id, resources }) => resources.create(writing, kind, { id, definition: definition('dc') }))
  expect((await outcomes(create)).toSorted()).toEqual(['RESOURCE_EXISTS', 'fulfilled'])
  const others = processes.map(({ id, resources }) => resources.create(writing, kind, { id: `other-${id}`, definition: definition(id) }))
  expect(await outcomes(others)).toEqual(['fulfilled', 'fulfilled'])
  const rename = processes.map(({ id, resources }) =>
    resources.replace(writing, kind, { id: `other-${id}`, precondition: null, change: () => definition('edge') }),
  )
  expect((await outcomes(rename)).toSorted()).toEqual(['RESOURCE_EXISTS', 'fulfilled'])
})

const outcomes = async (writes: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : outcome.status))

test('of two resources that are added at once with the same name, the second is refused', async () => {
  const resources = await open()
  const writes = ['one', 'two'].map((id) => resources.create(writing, kind, { id, definition: definition('dc') }))
  expect(await outcomes(writes)).toEqual(['fulfilled', 'RESOURCE_EXISTS'])
  expect(resources.list(owner, kind)).toHaveLength(1)
})

test('of two resources that are renamed at once to the same name, the second is refused; each can keep its own', async () => {
  const resources = await open()
  for (const id of ['one', 'two']) await resources.create(writing, kind, { id, definition: definition(id) })
  const rename = (id: string) => resources.replace(writing, kind, { id, precondition: null, change: () => definition('dc') })
  expect(await outcomes([rename('one'), rename('two')])).toEqual(['fulfilled', 'RESOURCE_EXISTS'])
  const change = () => ({ ...definition('dc'), name: 'Another title' })
  expect(await resources.replace(writing, kind, { id: 'one', precondition: null, change })).toMatchObject({ version: 3 })
})

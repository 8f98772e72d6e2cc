import { expect, onTestFinished, test } from 'vitest'
import { manageChecks } from '../../../test/support/app.ts'
import { openAppStore } from '../../../test/support/app-store.ts'
import { account, testCatalogue } from '../../../test/support/catalogue.ts'
import { privateLocationKind as kind } from './private-location.ts'

const owner = { id: account, name: 'Acme', publicBadges: false }
const writing = { account: owner, author: { keyId: 'k', keyName: 'k' } }
const definition = (slugName: string) => ({ name: slugName, slugName, keys: [] })

async function open() {
  const store = await openAppStore({ clock: () => 0 })
  const { managed } = await manageChecks({ ofFile: testCatalogue(), store, now: () => 0, env: {} })
  onTestFinished(async () => {
    await managed.close()
    await store.close()
  })
  return managed.resources
}

const outcomes = async (writes: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : outcome.status))

test('of two resources that are added at once with one name, the second is refused', async () => {
  const resources = await open()
  const writes = ['one', 'two'].map((id) => resources.create(writing, kind, { id, definition: definition('dc') }))
  expect(await outcomes(writes)).toEqual(['fulfilled', 'RESOURCE_EXISTS'])
  expect(resources.list(owner, kind)).toHaveLength(1)
})

test('of two resources that are given one name at once, the second is refused; each may keep its own', async () => {
  const resources = await open()
  for (const id of ['one', 'two']) await resources.create(writing, kind, { id, definition: definition(id) })
  const rename = (id: string) => resources.replace(writing, kind, { id, precondition: null, change: () => definition('dc') })
  expect(await outcomes([rename('one'), rename('two')])).toEqual(['fulfilled', 'RESOURCE_EXISTS'])
  const change = () => ({ ...definition('dc'), name: 'Another title' })
  expect(await resources.replace(writing, kind, { id: 'one', precondition: null, change })).toMatchObject({ version: 3 })
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AppStore, openAppStore } from '../../test/support/app-store.ts'
import { account, service, testCatalogue } from '../../test/support/catalogue.ts'
import { anyRunType, exampleCheck } from '../../test/support/example-config.ts'
import type { Account } from '../catalogue/catalogue.ts'
import { createOverlay } from '../catalogue/managed/overlay.ts'
import { checkTypes } from '../checks/registry.ts'
import { createManagedChecks } from './managed-checks.ts'

const scripted = checkTypes.find(({ codeSettings }) => codeSettings) ?? anyRunType()
const author = { keyId: 'k', keyName: 'k' }
let store: AppStore
let said: string[] = []

beforeEach(async () => {
  said = []
  store = await openAppStore({ clock: () => 0 })
})
afterEach(() => store.close())

/** A process whose config file opens these variables, and allows code or does not. */
async function start(managedVariables: readonly string[], allowUploadedCode: boolean) {
  const acme: Account = { id: account, name: 'Acme', publicBadges: false, managedVariables }
  const overlay = createOverlay()
  const catalogue = overlay.over(testCatalogue({ accounts: [acme], service: () => ({ ...service, allowUploadedCode }) }), [])
  const managed = await createManagedChecks({
    documents: store.documents,
    opened: {
      fileName: 'tidemark.yaml',
      catalogue,
      applyManaged: overlay.apply,
      onChange: () => () => true,
      definedAt: async () => null,
    },
    env: { OPEN: 'example.org' },
    now: () => 0,
    log: { error: (text) => said.push(text) },
    recordDefinitions: store.recordDefinitions,
  })
  return { managed, catalogue, writing: { account: acme, author } }
}

test('after a restart, what is no longer allowed is not run, stays stored, and can be paused and deleted', async () => {
  const first = await start(['OPEN'], true)
  await first.managed.create(first.writing, { ...exampleCheck(anyRunType()), id: 'open', tags: [`$\{OPEN}`] })
  await first.managed.create(first.writing, { ...exampleCheck(scripted), id: 'coded' })
  expect(first.catalogue.checks(account)).toHaveLength(2)
  await first.managed.close()

  const { managed, catalogue, writing } = await start([], false)
  expect(catalogue.checks(account)).toEqual([])
  expect(said).toEqual([expect.stringContaining('managedVariables'), expect.stringContaining('allowUploadedCode')])
  for (const id of ['open', 'coded']) {
    expect(managed.whyFaulty(writing.account, id)).not.toBeNull()
    const change = (definition: object) => ({ ...definition, activated: false })
    expect(await managed.change(writing, { id, precondition: null, action: 'update', change, isPause: true })).toMatchObject({ version: 2 })
    expect(await managed.remove(writing, id, null)).toMatchObject({ action: 'delete' })
    expect(managed.whyFaulty(writing.account, id)).toBeNull()
  }
  await managed.close()
})

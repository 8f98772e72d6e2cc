import { afterEach, beforeEach, expect, test } from 'vitest'
import { manageChecks } from '../../test/support/app.ts'
import { type AppStore, openAppStore } from '../../test/support/app-store.ts'
import { account, service, testCatalogue } from '../../test/support/catalogue.ts'
import { anyRunType, exampleCheck } from '../../test/support/example-config.ts'
import type { Account } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import { checkTypes } from '../checks/registry.ts'

const scripted = checkTypes.find(({ codeSettings }) => codeSettings) ?? anyRunType()
const author = { keyId: 'k', keyName: 'k' }
let store: AppStore
let said: string[] = []

beforeEach(async () => {
  said = []
  store = await openAppStore({ clock: () => 0 })
})
afterEach(() => store.close())

/** Starts a process whose config file allows these variables, and code or not. */
async function start(managedVariables: readonly string[], allowUploadedCode: boolean, types: readonly CheckType[] = checkTypes) {
  const acme: Account = { id: account, name: 'Acme', publicBadges: false, managedVariables }
  const { catalogue, managed } = await manageChecks({
    ofFile: testCatalogue({ accounts: [acme], service: () => ({ ...service, allowUploadedCode }) }),
    store,
    now: () => 0,
    env: { OPEN: 'example.org' },
    log: { error: (text) => said.push(text) },
    checkTypes: types,
  })
  return { managed, catalogue, writing: { account: acme, author } }
}

test('after a restart, checks that are no longer allowed do not run, stay stored, and can be paused and deleted', async () => {
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

test('a check that cannot be parsed or read does not keep others from running, and can be replaced', async () => {
  const type = checkTypes.find(({ groupRequest }) => groupRequest) ?? anyRunType()
  const failing: CheckType = {
    ...type,
    files: (settings) => {
      if (JSON.stringify(settings).includes('fails.example')) throw new TypeError('hunter2-hunter2')
      return []
    },
  }
  const example = exampleCheck(type)
  const first = await start([], false)
  await first.managed.create(first.writing, { ...example, request: { url: 'https://fails.example/' }, id: 'fails' })
  await first.managed.create(first.writing, { ...example, id: 'runs' })
  await first.managed.close()
  const unreadable = { kind: 'check', account, id: 'unreadable', expected: 0, action: 'create', changes: '[]', body: '{' } as const
  await store.documents.write([unreadable, { ...unreadable, kind: 'variable', id: 'A' }], author)

  const { managed, catalogue, writing } = await start([], false, [failing])
  const ids = () => catalogue.checks(account).map(({ id }) => id)
  expect(ids()).toEqual(['runs'])
  expect(managed.faulty(writing.account).map(({ id }) => id)).toEqual(['fails', 'unreadable'])
  expect(said.join()).toContain('TypeError')
  expect(said.join()).not.toContain('hunter2')
  const change = (definition: object) => ({ ...definition, ...example })
  for (const id of ['fails', 'unreadable']) await managed.change(writing, { id, precondition: null, action: 'update', change })
  expect(ids().sort()).toEqual(['fails', 'runs', 'unreadable'])
  await managed.close()
})

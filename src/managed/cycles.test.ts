import { afterEach, beforeEach, expect, test } from 'vitest'
import { manageChecks } from '../../test/support/app.ts'
import { type AppStore, openAppStore } from '../../test/support/app-store.ts'
import { account, testCatalogue } from '../../test/support/catalogue.ts'
import { anyRunType, exampleCheck } from '../../test/support/example-config.ts'
import { checkKind, documentText } from './managed-document.ts'

const author = { keyId: 'k', keyName: 'k' }
let store: AppStore
let said: string[] = []

beforeEach(async () => {
  said = []
  store = await openAppStore({ clock: () => 0 })
})
afterEach(() => store.close())

async function start() {
  const { catalogue, managed } = await manageChecks({
    ofFile: testCatalogue({ checks: [] }),
    store,
    now: () => 0,
    env: {},
    log: { error: (text) => said.push(text) },
  })
  const dependencies = () => ['a', 'b', 'c'].map((id) => catalogue.check(account, id)?.dependsOn)
  return { managed, dependencies }
}

/** Writes as another process, which does not know of concurrent writes of this one. */
const writeElsewhere = (expected: number, dependencies: Readonly<Record<string, readonly string[]>>) =>
  store.documents.write(
    Object.entries(dependencies).map(([id, dependsOn]) => ({
      kind: checkKind,
      account,
      id,
      expected,
      action: 'update',
      changes: '[]',
      body: documentText({ definition: { ...exampleCheck(anyRunType()), id, dependsOn }, createdAt: 0 }),
    })),
    author,
  )

test('a cycle that several processes have written is broken at its last check, in each of them and after a restart', async () => {
  const first = await start()
  await writeElsewhere(0, { a: ['b'], b: ['c'] })
  await writeElsewhere(0, { c: ['a'] })
  await expect.poll(first.dependencies).toEqual([['b'], ['c'], []])
  expect(said).toEqual([expect.stringContaining('c runs as if it did not depend on a')])
  await first.managed.close()
  const second = await start()
  expect(second.dependencies()).toEqual([['b'], ['c'], []])
  await second.managed.close()
})

test('a broken dependency is restored once there is no cycle', async () => {
  const { managed, dependencies } = await start()
  await writeElsewhere(0, { a: ['b'], b: ['a'] })
  await expect.poll(dependencies).toEqual([['b'], [], undefined])
  await writeElsewhere(1, { a: [] })
  await expect.poll(dependencies).toEqual([[], ['a'], undefined])
  await managed.close()
})

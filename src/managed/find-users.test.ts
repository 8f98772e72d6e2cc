import { expect, test } from 'vitest'
import { account, testCatalogue } from '../../test/support/catalogue.ts'
import { groupKind } from '../catalogue/managed/check-group.ts'
import { createResourceIndex } from '../catalogue/managed/resources.ts'
import { variableKind } from '../catalogue/managed/variables.ts'
import type { Documents } from '../store/documents/documents.ts'
import { findUsers } from './find-users.ts'
import { checkKind, documentText } from './managed-document.ts'
import { createUserJudge } from './user-judge.ts'

const author = { keyId: 'k', keyName: 'k' }
const head = (id: string, definition: object) => {
  const body = documentText({ definition: { ...definition }, createdAt: 0 })
  return { kind: checkKind, account, id, version: 1, at: 0, action: 'create', changes: '[]', position: 1, place: 0, ...author, body }
}
const heads = [
  head('named', { url: `https://$\{e}/` }),
  head('defaulted', { url: `https://$\{e:-x}/` }),
  head('grouped', { groupId: 7, name: 'e' }),
  head('last', { name: 'e', groupId: 7 }),
  head('other-group', { groupId: 70, name: 'e' }),
  head('other', { name: 'e', url: `https://$\{ee}/` }),
]
const documents = { heads: () => heads } as unknown as Documents
const resources = createResourceIndex()
const group = { kind: groupKind, account, id: '7' }
const definition = { name: 'Shop', request: { url: `https://$\{e}` } }
resources.apply([{ ...group, resource: { ...group, version: 1, definition, createdAt: 0, updatedAt: 0 } }])
const variable = { kind: variableKind, account, id: 'e' }

test('users of a variable reference it, or are in a group that does', async () => {
  const found = await findUsers([variable], { documents, resources })
  expect(found.map(({ id }) => id)).toEqual(['named', 'defaulted', 'grouped', 'last'])
})

test('users of a group are in it, and not in one whose number has the same prefix', async () => {
  const found = await findUsers([group], { documents, resources })
  expect(found.map(({ id }) => id)).toEqual(['grouped', 'last'])
})

test('only a few lookups of an account wait; the next is refused, and answered later', async () => {
  const lengths = { of: () => 0, ofAccount: () => 0 }
  const judge = createUserJudge({
    documents,
    catalogue: testCatalogue(),
    resources,
    judged: () => ({ faults: [] }),
    lengths,
    checkLimit: { count: 10, characters: 1000 },
  })
  const ask = () => judge({ id: account, name: 'Acme', publicBadges: false }, [{ ...variable, resource: null }])
  const answers = await Promise.allSettled(Array.from({ length: 30 }, ask))
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []))
  expect([answers.length - refused.length, new Set(refused)]).toEqual([21, new Set(['BULK_CHANGE_UNDER_WAY'])])
  expect(await ask()).toEqual([])
})

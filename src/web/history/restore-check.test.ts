import { expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { createApi } from '../api/client.ts'
import { restoreAllDeleted, restoreDeleted } from './restore-check.ts'

const api = createApi({ key: 'the-key', account: 'acme' })
const { signal } = new AbortController()

/** A server with the action of the newest version of each check; `stuck` cannot be restored. */
function server(newest: Readonly<Record<string, string>>) {
  const restored: unknown[] = []
  answerPage(({ path, body }, { headers }) => {
    const [, id = '', what] = /^\/v1\/checks\/(\w+)\/(\w+)$/.exec(path) ?? []
    if (what === 'versions') return { versions: [{ version: 7, action: newest[id] }], pagination: { next: null } }
    restored.push([id, body, headers?.['If-Match']])
    return id === 'stuck' ? Response.json({ message: 'It is too late.', code: 'VERSION_NOT_FOUND' }, { status: 404 }) : {}
  })
  return restored
}

test('a deleted check is restored if the deletion is its newest version', async () => {
  const restored = server({ shop: 'delete' })
  await restoreDeleted(api, 'shop', signal)
  expect(restored).toEqual([['shop', {}, '"v7"']])
})

test.each(['restore', 'update', 'create'])('a check whose newest version is a %s is left unchanged', async (action) => {
  const restored = server({ shop: action })
  await restoreDeleted(api, 'shop', signal)
  expect(restored).toEqual([])
})

test('a check that cannot be restored does not keep others from being restored', async () => {
  const restored = server({ stuck: 'delete', back: 'restore', shop: 'delete' })
  await expect(restoreAllDeleted(api, ['stuck', 'back', 'shop'], signal)).rejects.toMatchObject({ message: 'It is too late.' })
  expect(restored).toEqual([
    ['stuck', {}, '"v7"'],
    ['shop', {}, '"v7"'],
  ])
})

test.each([
  [429, 'RATE_LIMITED'],
  [401, 'UNKNOWN_KEY'],
  [502, undefined],
])('after a response with status %d, the other checks are left for another try', async (status, code) => {
  const asked = answerPage(({ path }) => {
    if (path === '/v1/checks/b/versions') return Response.json(code ? { message: 'Not now.', code } : {}, { status })
    return path.endsWith('/versions') ? { versions: [{ version: 7, action: 'delete' }], pagination: { next: null } } : {}
  })
  await expect(restoreAllDeleted(api, ['a', 'b', 'c'], signal)).rejects.toMatchObject({ status })
  expect(asked.map(({ path }) => path)).toEqual(['/v1/checks/a/versions', '/v1/checks/a/restore', '/v1/checks/b/versions'])
})

import { beforeEach, expect, test, vi } from 'vitest'
import { openAddress, type PageAddress } from '../../../test/support/page-address.ts'
import { type AskedOfApi, answerPage } from '../../../test/support/page-api.ts'
import type { CheckType } from '../api/answers.ts'
import { openHook, stopTime, testSession } from '../testing/open-hook.tsx'
import type { FormField } from './form-model.ts'
import type { EditableCheck } from './stored-check.ts'
import { useCheckForm } from './use-check-form.ts'

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  kind: 'text',
  label: name,
  help: '',
  isNeeded: false,
  choices: [],
  fields: [],
  minLength: 0,
  takesNumbers: false,
  ...more,
})
const form = { own: [field('request', { kind: 'group', fields: [field('url')] })], common: [field('name')] }
const checkType = { type: 'ANY', createAt: '/v1/checks/any' } as unknown as CheckType
const stored: EditableCheck = { id: 'a/b', definition: { name: 'Shop', request: {} }, tag: '"1"', yaml: '', place: null, faults: [] }
const theirs = { definition: { name: 'Theirs' }, yaml: '', place: null, faults: [] }
const soon = { interval: 5 }

/** The responses of the server to writes and to dry runs. */
let write: () => unknown
let dryRun: () => unknown
let asked: readonly AskedOfApi[]
let sent: unknown[]
let address: PageAddress

beforeEach(() => {
  write = () => ({ id: 'a/b' })
  dryRun = () => ({ faults: [] })
  sent = []
  asked = answerPage((one, { method = 'GET', headers }) => {
    if (method === 'GET') return Response.json(theirs, { headers: { etag: '"2"' } })
    if (one.query.dryRun === 'true') return dryRun()
    sent.push([method, one.path, one.body, headers?.['If-Match']])
    return write()
  })
  address = openAddress('/checks/new')
})

const refused = (status: number, more: object = {}) => Response.json({ message: 'Refused.', ...more }, { status })

function openForm(more: Partial<Parameters<typeof useCheckForm>[0]> = {}, session = testSession()) {
  const hook = openHook(() => useCheckForm({ checkType, form, initial: stored.definition, stored, draftKey: 'a/b', ...more }), session)
  const set = (name: string, value: unknown) => {
    hook.last().set([name], value)
    return expect.poll(() => hook.last().definition[name], soon).toEqual(value)
  }
  return { hook, session, set }
}

test('a stored check counts as unchanged until a value differs', async () => {
  const { hook, set } = openForm()
  const { isDirty, wasDraft, base, sent: cleaned, refused: faults } = hook.last()
  expect([isDirty, wasDraft, base, cleaned, faults]).toEqual([false, false, stored.definition, { name: 'Shop' }, []])
  await set('request', { url: '' })
  expect(hook.last().isDirty).toBe(true)
  await set('request', {})
  expect(hook.last().isDirty).toBe(false)
})

test('a stored check is saved with its edited version, and then shown', async () => {
  const { hook, set, session } = openForm()
  await set('name', 'Store')
  await hook.last().save()
  expect(sent).toEqual([['PUT', '/v1/checks/a%2Fb', { definition: { name: 'Store' } }, '"1"']])
  expect(address.done).toEqual([['push', '/checks/a%2Fb']])
  expect(session.calls).toContainEqual(['refresh'])
})

test('a new check counts as changed from the start, and is saved without a version', async () => {
  const { hook } = openForm({ stored: null, initial: { name: 'New' }, draftKey: 'new' })
  expect(hook.last().isDirty).toBe(true)
  await hook.last().save()
  expect(sent).toEqual([['POST', '/v1/checks/any', { definition: { name: 'New' } }, undefined]])
})

test('unsaved changes are kept as a draft for the session, until it is dropped', async () => {
  const { hook, set, session } = openForm()
  await set('name', 'Store')
  hook.close()
  const again = openForm({ stored: { ...stored, tag: '"2"' } }, session).hook
  expect([again.last().wasDraft, again.last().definition.name]).toEqual([true, 'Store'])
  await again.last().save()
  expect(sent).toMatchObject([['PUT', '/v1/checks/a%2Fb', {}, '"1"']])
  const other = openForm({ draftKey: 'other' }, session).hook
  expect([other.last().wasDraft, other.last().definition.name]).toEqual([false, 'Shop'])
})

test('a dropped draft restores the stored definition, also for later', async () => {
  const { hook, set, session } = openForm()
  await set('name', 'Store')
  hook.last().drop()
  await expect.poll(() => hook.last().definition, soon).toEqual(stored.definition)
  expect([hook.last().wasDraft, hook.last().isDirty]).toEqual([false, false])
  expect(openForm({}, session).hook.last().wasDraft).toBe(false)
})

test('faults of a save are shown at their fields, until a value is set', async () => {
  const { hook, set } = openForm()
  await set('name', '')
  write = () => refused(400, { faults: [{ pointer: '/definition/request/url', message: 'is needed' }] })
  await hook.last().save()
  await expect.poll(() => hook.last().refused, soon).toEqual([{ at: '/request/url', message: 'is needed' }])
  expect([...hook.last().faults]).toEqual([['/request/url', ['is needed']]])
  expect([hook.last().saving.problem, address.done]).toEqual([null, []])
  await set('name', 'Store')
  expect(hook.last().refused).toEqual([])
})

test.each([
  [404, 'Refused.'],
  [500, 'Refused.'],
])('a save that is rejected with %i and without faults is a problem of the form', async (status, problem) => {
  const { hook, set } = openForm()
  await set('name', 'Store')
  write = () => refused(status)
  await hook.last().save()
  await expect.poll(() => hook.last().saving.problem, soon).toBe(problem)
  expect([hook.last().newer, hook.last().refused]).toEqual([null, []])
})

test('an unreadable response is a problem, too, and not a conflict', async () => {
  const { hook, set } = openForm()
  await set('name', 'Store')
  write = () => new Response('not JSON')
  await hook.last().save()
  await expect.poll(() => hook.last().saving.problem, soon).toContain('Unexpected response')
  expect(hook.last().newer).toBeNull()
})

test('a conflicting version is shown, and can be taken or overwritten', async () => {
  const { hook, set } = openForm()
  await set('name', 'Store')
  write = () => refused(412)
  await hook.last().save()
  const newer = { id: 'a/b', tag: '"2"', ...theirs }
  await expect.poll(() => hook.last().newer, soon).toEqual(newer)
  expect(asked.at(-1)?.path).toBe('/v1/checks/a%2Fb/definition')
  write = () => ({ id: 'a/b' })
  await hook.last().overwrite(newer)
  expect(sent.at(-1)).toEqual(['PUT', '/v1/checks/a%2Fb', { definition: { name: 'Store' } }, '"2"'])
  expect([hook.last().newer, hook.last().base]).toEqual([null, theirs.definition])
  hook.last().take(newer)
  await expect.poll(() => hook.last().definition, soon).toEqual(theirs.definition)
  expect(hook.last().isDirty).toBe(false)
})

test('a rejected version of a new check is a problem, since there is no conflict', async () => {
  const { hook } = openForm({ stored: null, draftKey: 'new' })
  write = () => refused(412)
  await hook.last().save()
  await expect.poll(() => hook.last().saving.problem, soon).toBe('Refused.')
})

test('a check that is stored with faults shows all of them at once', () => {
  const { hook } = openForm({ stored: { ...stored, faults: [{ pointer: '/name', message: 'is too long' }] } })
  expect([...hook.last().faults]).toEqual([['/name', ['is too long']]])
  expect(hook.last().refused).toEqual([{ at: '/name', message: 'is too long' }])
})

test('while typing, only changed fields show faults, several of them combined', async () => {
  stopTime()
  const faults = [
    ['/definition/name', 'is too long'],
    ['/definition/name', 'is taken'],
    ['/definition/request/url', 'is needed'],
  ].map(([pointer, message]) => ({ pointer, message }))
  dryRun = () => ({ faults })
  const { hook } = openForm()
  hook.last().set(['name'], 'Store')
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked.map(({ path, query, body }) => [path, query, body])).toEqual([
    ['/v1/checks/a%2Fb', { dryRun: 'true' }, { definition: { name: 'Store' } }],
  ])
  expect([...hook.last().faults]).toEqual([['/name', ['is too long', 'is taken']]])
  expect(hook.last().refused).toEqual([])
  hook.last().refuse([{ pointer: '/definition/request/url', message: 'is no address' }], '/definition')
  await vi.advanceTimersByTimeAsync(1000)
  expect([...hook.last().faults]).toEqual([['/request/url', ['is no address']]])
})

test('the browser asks before unsaved changes are left', async () => {
  const { hook, set } = openForm()
  const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(asks()).toBe(false)
  await set('name', 'Store')
  await expect.poll(asks, soon).toBe(true)
  hook.last().drop()
  await expect.poll(asks, soon).toBe(false)
})

test('values set during a save are kept as changes of the saved version', async () => {
  const { hook, set, session } = openForm({ draftKey: 'check a/b' })
  await set('name', 'Store')
  let end: (answer: object) => void = () => {}
  write = () =>
    new Promise((resolve) => {
      end = resolve
    })
  const saved = hook.last().save()
  await expect.poll(() => sent.length, soon).toBe(1)
  await set('name', 'Store 2')
  end({ id: 'a/b' })
  await saved
  await expect.poll(() => hook.last().base, soon).toEqual(theirs.definition)
  expect([hook.last().definition.name, hook.last().isDirty, address.done]).toEqual(['Store 2', true, []])
  write = () => ({ id: 'a/b' })
  await hook.last().save()
  expect(sent.at(-1)).toEqual(['PUT', '/v1/checks/a%2Fb', { definition: { name: 'Store 2' } }, '"2"'])
  expect(address.done).toEqual([['push', '/checks/a%2Fb']])
  expect(openForm({ draftKey: 'check a/b' }, session).hook.last().wasDraft).toBe(false)
})

test('values set while a new check is added become a draft of that check, whose form is shown', async () => {
  const { hook, set, session } = openForm({ stored: null, initial: { name: 'New' }, draftKey: 'new' })
  let end: (answer: object) => void = () => {}
  write = () =>
    new Promise((resolve) => {
      end = resolve
    })
  const saved = hook.last().save()
  await expect.poll(() => sent.length, soon).toBe(1)
  await set('name', 'New 2')
  end({ id: 'a/b' })
  await saved
  expect(address.done).toEqual([['push', '/checks/a%2Fb/edit']])
  const edited = openForm({ draftKey: 'check a/b' }, session).hook.last()
  expect([edited.wasDraft, edited.definition.name]).toEqual([true, 'New 2'])
})

test('a save that finishes after the form was left does not navigate, and leaves no draft', async () => {
  const { hook, set, session } = openForm()
  await set('name', 'Store')
  let end: (answer: object) => void = () => {}
  write = () =>
    new Promise((resolve) => {
      end = resolve
    })
  const saved = hook.last().save()
  await expect.poll(() => sent.length, soon).toBe(1)
  hook.close()
  end({ id: 'a/b' })
  await saved
  expect(address.done).toEqual([])
  expect(openForm({}, session).hook.last().wasDraft).toBe(false)
})

import { expect, onTestFinished, test } from 'vitest'
import { manageChecks } from '../../test/support/app.ts'
import { openAppStore } from '../../test/support/app-store.ts'
import { account, testCatalogue, testCheck } from '../../test/support/catalogue.ts'
import { anyRunType, exampleCheck } from '../../test/support/example-config.ts'
import type { WrittenDefinition } from '../catalogue/written-definition.ts'
import { apiError } from '../errors.ts'
import { hourMs } from '../time.ts'
import type { ResourceKind } from './resources/resource-kind.ts'

const owner = { id: account, name: 'Acme', publicBadges: false }
const author = { keyId: 'k', keyName: 'k' }
const writing = { account: owner, author }
const dry = { ...writing, isDryRun: true }
const start = 1_000_000
const no = (error: string) => expect.objectContaining({ code: error })

/** A kind with low limits, whose `key` is redacted. */
const kind: ResourceKind = {
  kind: 'maintenance-window',
  noun: 'thing',
  limit: { count: 3, characters: 1000 },
  maxLength: 100,
  shown: ({ key: _, ...shown }) => shown,
}

async function open(limit = { count: 3, characters: 100_000 }) {
  const clock = { now: start }
  const now = () => clock.now
  const store = await openAppStore({ clock: now })
  onTestFinished(store.close)
  const ofFile = testCatalogue({ checks: [testCheck(anyRunType(), { id: 'of-file' })] })
  const { managed, catalogue } = await manageChecks({ ofFile, store, now, env: {}, limit, log: { error: () => {} } })
  onTestFinished(managed.close)
  return { clock, managed, catalogue, things: managed.resources }
}

const isVersion = (wanted: number) => (version: number) => version === wanted
const replaceBy = (definition: WrittenDefinition, precondition: ((version: number) => boolean) | null = null) => ({
  id: 'a',
  precondition,
  change: () => definition,
})
const restoring = (version: number | null, precondition: ((version: number) => boolean) | null = null) => ({
  id: 'a',
  version,
  precondition,
  judge: (earlier: WrittenDefinition) => earlier,
})

test('a resource is written version by version, and each write lists its changes, without secrets', async () => {
  const { things } = await open()
  const one = { name: 'One', key: 'hush-hush' }
  expect(await things.create(writing, kind, { id: 'a', definition: one })).toEqual({
    id: 'a',
    action: 'create',
    version: 1,
    changes: [{ pointer: '', after: { name: 'One' } }],
  })
  expect(things.find(owner, kind, 'a')).toMatchObject({ id: 'a', version: 1, definition: one, createdAt: start })
  expect(await things.replace(writing, kind, replaceBy(one))).toEqual({ id: 'a', action: 'none', version: 1, changes: [] })
  expect(await things.replace(writing, kind, replaceBy({ ...one, name: 'Two' }))).toEqual({
    id: 'a',
    action: 'update',
    version: 2,
    changes: [{ pointer: '/name', before: 'One', after: 'Two' }],
  })
  expect(await things.restore(writing, kind, restoring(null))).toMatchObject({ action: 'restore', version: 3 })
  expect(things.find(owner, kind, 'a')).toMatchObject({ definition: one, createdAt: start, version: 3 })
  expect(await things.remove(writing, kind, { id: 'a', precondition: null })).toEqual({
    id: 'a',
    action: 'delete',
    version: 4,
    changes: [],
  })
  expect([things.find(owner, kind, 'a'), things.list(owner, kind)]).toEqual([undefined, []])
  expect(await things.restore(writing, kind, restoring(null))).toEqual({
    id: 'a',
    action: 'restore',
    version: 5,
    changes: [
      { pointer: '/name', after: 'One' },
      { pointer: '/key', after: undefined },
    ],
  })
})

test('a dry run returns what would happen, and changes nothing', async () => {
  const { things } = await open()
  expect(await things.create(dry, kind, { id: 'a', definition: { name: 'One' } })).toMatchObject({ action: 'create', version: 1 })
  expect(things.find(owner, kind, 'a')).toBeUndefined()
  await things.create(writing, kind, { id: 'a', definition: { name: 'One' } })
  expect(await things.replace(dry, kind, replaceBy({ name: 'Two' }))).toMatchObject({ action: 'update', version: 2 })
  expect(await things.remove(dry, kind, { id: 'a', precondition: null })).toMatchObject({ action: 'delete', version: 2 })
  expect(things.find(owner, kind, 'a')).toMatchObject({ version: 1, definition: { name: 'One' } })
})

test('a missing or guarded resource, or one of another version, is not written', async () => {
  const { things } = await open()
  const message = 'It was changed in the meantime: its version is now 1. Read it again.'
  const conflict = expect.objectContaining({ code: 'VERSION_CONFLICT', message })
  await expect(things.replace(writing, kind, replaceBy({ name: 'One' }))).rejects.toEqual(no('RESOURCE_NOT_FOUND'))
  await expect(things.restore(writing, kind, restoring(1))).rejects.toEqual(no('RESOURCE_NOT_FOUND'))
  expect(await things.isKnown(owner, kind, 'a')).toBe(false)
  await things.create(writing, kind, { id: 'a', definition: { name: 'One' } })
  expect(await things.isKnown(owner, kind, 'a')).toBe(true)
  await expect(things.create(writing, kind, { id: 'a', definition: { name: 'One' } })).rejects.toEqual(no('RESOURCE_EXISTS'))
  await expect(things.replace(writing, kind, replaceBy({ name: 'Two' }, isVersion(2)))).rejects.toEqual(conflict)
  await expect(things.remove(writing, kind, { id: 'a', precondition: isVersion(2) })).rejects.toEqual(conflict)
  await expect(things.restore(writing, kind, restoring(1, isVersion(2)))).rejects.toEqual(conflict)
  expect(await things.replace(writing, kind, replaceBy({ name: 'Two' }, isVersion(1)))).toMatchObject({ version: 2 })
  const guard = () => {
    throw new RangeError('in use')
  }
  await expect(things.remove(writing, kind, { id: 'a', precondition: null, guard })).rejects.toThrow('in use')
  expect(things.find(owner, kind, 'a')).toMatchObject({ version: 2 })
})

test('a deleted resource can be restored for an hour, in one of its versions', async () => {
  const { things, clock } = await open()
  await things.create(writing, kind, { id: 'a', definition: { name: 'One' } })
  await expect(things.restore(writing, kind, restoring(null))).rejects.toEqual(no('VERSION_NOT_FOUND'))
  await expect(things.restore(writing, kind, restoring(7))).rejects.toEqual(no('VERSION_NOT_FOUND'))
  await things.remove(writing, kind, { id: 'a', precondition: null })
  clock.now += hourMs
  expect(await things.restore(dry, kind, restoring(1))).toMatchObject({ action: 'restore', version: 3 })
  clock.now += 1
  await expect(things.restore(writing, kind, restoring(1))).rejects.toEqual(no('VERSION_NOT_FOUND'))
  await things.create(writing, kind, { id: 'a', definition: { name: 'Other' } })
  await expect(things.restore(writing, kind, restoring(1))).rejects.toEqual(no('VERSION_NOT_FOUND'))
})

test('a resource is limited in length, and gets a number if it has no name', async () => {
  const { things } = await open()
  const fault = [{ pointer: '', message: 'a thing must have at most 100 characters as JSON' }]
  const sized = (length: number) => ({ name: 'x'.repeat(length - 11) })
  const ids = [await things.create(writing, kind, { definition: sized(100) }), await things.create(writing, kind, { definition: {} })].map(
    ({ id }) => id,
  )
  expect(ids.every((id) => /^[1-9]\d*$/.test(id)) && ids[0] !== ids[1]).toBe(true)
  await expect(things.create(writing, kind, { definition: sized(101) })).rejects.toMatchObject({ faults: fault })
  await expect(things.replace(writing, kind, { ...replaceBy(sized(101)), id: ids[0] ?? '' })).rejects.toMatchObject({ faults: fault })
})

const definition = (id: string, more: object = {}): WrittenDefinition => ({ ...exampleCheck(anyRunType()), id, ...more })
const order = (id: string, change: WrittenDefinition, precondition: ((version: number) => boolean) | null = null) => ({
  id,
  precondition,
  action: 'update' as const,
  change: () => change,
})

test('a check is created, changed, and restored', async () => {
  const { managed, catalogue, clock } = await open()
  const first = definition('a', { name: 'One' })
  expect(await managed.create(dry, first)).toMatchObject({ action: 'create', version: 1 })
  expect(catalogue.check(account, 'a')).toBeUndefined()
  await managed.create(writing, first)
  await expect(managed.create(writing, first)).rejects.toEqual(no('CHECK_EXISTS'))
  expect(catalogue.check(account, 'a')).toMatchObject({ name: 'One', createdAt: start })
  expect(await managed.change(writing, order('a', first))).toEqual({ id: 'a', action: 'none', version: 1, changes: [] })
  expect(await managed.change(dry, order('a', { ...first, name: 'Two' }))).toMatchObject({ version: 2 })
  expect(await managed.change(writing, order('a', { ...first, name: 'Two' }))).toEqual({
    id: 'a',
    action: 'update',
    version: 2,
    changes: [{ pointer: '/name', before: 'One', after: 'Two' }],
  })
  await expect(managed.change(writing, order('a', first, isVersion(1)))).rejects.toEqual(no('VERSION_CONFLICT'))
  await expect(managed.change(writing, order('a', { ...first, name: 7 }))).rejects.toEqual(no('INVALID_DEFINITION'))
  expect(catalogue.check(account, 'a')).toMatchObject({ name: 'Two' })
  expect(await managed.restore(writing, 'a', { version: 1, precondition: null })).toMatchObject({ action: 'restore', version: 3 })
  expect(catalogue.check(account, 'a')).toMatchObject({ name: 'One', createdAt: start })
  await managed.removeMany(writing, ['a'])
  expect([catalogue.check(account, 'a'), await managed.isKnown(owner, 'a'), await managed.isKnown(owner, 'b')]).toEqual([
    undefined,
    true,
    false,
  ])
  clock.now += 1000
  expect(await managed.restore(writing, 'a', { version: null, precondition: null })).toMatchObject({
    action: 'restore',
    version: 5,
    changes: expect.arrayContaining([{ pointer: '/name', after: 'One' }]),
  })
  expect(catalogue.check(account, 'a')).toMatchObject({ name: 'One', createdAt: start })
})

test('checks of the config file cannot be written, and neither can unknown ones', async () => {
  const { managed } = await open()
  const inFile = (otherwise: string) => apiError('DEFINED_IN_FILE', { place: `tidemark.yaml:12${otherwise}` }).message
  await expect(managed.create(writing, definition('of-file'))).rejects.toMatchObject({ message: inFile('') })
  await expect(managed.create(writing, definition('of-file'), true)).rejects.toMatchObject({ message: inFile(', with another definition') })
  await expect(managed.change(writing, order('of-file', definition('of-file')))).rejects.toThrow('tidemark.yaml:12')
  await expect(managed.change(writing, order('none', definition('none')))).rejects.toEqual(no('CHECK_NOT_FOUND'))
  await expect(managed.restore(writing, 'none', { version: 1, precondition: null })).rejects.toEqual(no('CHECK_NOT_FOUND'))
})

test('checks of an account are limited in number, and can depend only on existing ones', async () => {
  const { managed } = await open()
  await expect(managed.create(writing, definition('a', { dependsOn: ['b'] }))).rejects.toEqual(no('INVALID_DEFINITION'))
  await managed.create(writing, definition('b'))
  await managed.create(writing, definition('a', { dependsOn: ['b'] }))
  await expect(managed.change(writing, order('b', definition('b', { dependsOn: ['a'] })))).rejects.toEqual(no('INVALID_DEFINITION'))
  await managed.create(writing, definition('c'))
  await expect(managed.create(writing, definition('d'))).rejects.toEqual(no('TOO_MANY_CHECKS'))
  await expect(managed.create(dry, definition('d'))).rejects.toEqual(no('TOO_MANY_CHECKS'))
})

test('definitions of an account are limited in total length', async () => {
  const { managed } = await open({ count: 10, characters: 1500 })
  await managed.create(writing, definition('a', { name: 'x'.repeat(200) }))
  await expect(
    managed.change(writing, order('a', definition('a', { tags: Array.from({ length: 20 }, (_, i) => `${i}${'t'.repeat(90)}`) }))),
  ).rejects.toEqual(no('DEFINITIONS_TOO_LONG'))
})

test('name and type of a check are those of its definition, and of an unknown one its id', async () => {
  const { managed } = await open()
  await managed.create(writing, definition('a', { name: 'Shop', activated: false }))
  expect(managed.writtenName(owner, 'a')).toEqual({ name: 'Shop', type: anyRunType().type, activated: false })
  expect(managed.writtenName(owner, 'none')).toEqual({ name: 'none', type: '', activated: true })
  expect([managed.whyFaulty(owner, 'a'), managed.faultyDefinition(owner, 'a'), managed.faulty(owner)]).toEqual([null, null, []])
  expect([managed.whyFaulty(owner, 'none'), managed.faultyDefinition(owner, 'none')]).toEqual([null, null])
  expect(managed.faults(owner, 'a', definition('other'))).toEqual([])
  expect(managed.faults(owner, 'a', definition('a', { name: 7 }))).toMatchObject([{ pointer: '/name' }])
})

test('many checks are changed at once, except those of the file and those with faults', async () => {
  const { managed, catalogue } = await open()
  await managed.create(writing, definition('a', { tags: ['web'] }))
  await managed.create(writing, definition('b', { tags: ['web'], muted: true }))
  await managed.create(writing, definition('c', { tags: ['mail'] }))
  const mute = { change: (written: WrittenDefinition) => ({ ...written, muted: true }) }
  expect(await managed.changeSelected(writing, { tags: ['web'] }, mute)).toEqual({ changed: 1, unchanged: 1, definedInFile: 1, failed: [] })
  expect(['a', 'b', 'c'].map((id) => catalogue.check(account, id)?.muted)).toEqual([true, true, false])
  const faulty = { change: (written: WrittenDefinition) => ({ ...written, name: 7 }) }
  expect(await managed.changeSelected(writing, { ids: ['c'] }, faulty)).toMatchObject({
    changed: 0,
    unchanged: 0,
    definedInFile: 0,
    failed: [{ id: 'c' }],
  })
  const both = [1, 2].map(() => managed.changeSelected(writing, { ids: ['c'] }, mute).catch((error: unknown) => error))
  expect(await Promise.all(both)).toEqual([{ changed: 1, unchanged: 0, definedInFile: 0, failed: [] }, no('BULK_CHANGE_UNDER_WAY')])
  expect(await managed.changeSelected(dry, { ids: ['a'] }, { change: (written) => ({ ...written, muted: false }) })).toMatchObject({
    changed: 1,
  })
  expect(catalogue.check(account, 'a')?.muted).toBe(true)
})

test('of many checks that are changed at once, as many as there is room for', async () => {
  const { managed, catalogue } = await open({ count: 10, characters: 4000 })
  for (const id of ['a', 'b', 'c']) await managed.create(writing, definition(id, { tags: [] }))
  const tags = Array.from({ length: 20 }, (_, i) => `${i}${'t'.repeat(90)}`)
  const grow = { change: (written: WrittenDefinition) => (written.id === 'c' ? written : { ...written, tags }) }
  expect(await managed.changeSelected(writing, { ids: ['a', 'b', 'c'] }, grow)).toMatchObject({
    changed: 1,
    unchanged: 1,
    failed: [{ id: 'b', faults: [{ message: expect.stringContaining('more than 4000 characters') }] }],
  })
  expect(['a', 'b', 'c'].map((id) => catalogue.check(account, id)?.tags.length)).toEqual([20, 0, 0])
})

import { expect, test } from 'vitest'
import { account, testCatalogue } from '../../../test/support/catalogue.ts'
import { locationKind } from '../../catalogue/managed/location-layer.ts'
import { ApiError, apiError } from '../../errors.ts'
import { createProjectFaults } from './project-faults.ts'
import { deployedChanges } from './project-kind.ts'
import { readResources } from './read-resources.ts'
import { createRelations, type Relations, withLocations, withSubscriptions } from './relations.ts'
import { asFaults } from './resource-writer.ts'
import { ResourceFaults } from './sent-resource.ts'

const check = (logicalId: string, more: object = {}) => ({ type: 'check', logicalId, payload: { name: logicalId }, ...more })
const subscription = (payload: object) => ({ type: 'alert-channel-subscription', logicalId: JSON.stringify(payload), payload })
const channel = check('chat', { type: 'alert-channel' })

/** Reads these resources, and returns their faults as clients see them. */
async function read(...resources: readonly unknown[]) {
  const faults = createProjectFaults()
  const isSupported = (type: string) => ['check', 'check-group', 'alert-channel', 'private-location'].includes(type)
  const texts = resources.map((resource) => JSON.stringify(resource))
  const found = await readResources(texts, { isSupported, faults, pause: () => undefined })
  let problem: ApiError | null = null
  try {
    faults.throwAny()
  } catch (error) {
    problem = error as ApiError
  }
  return { ...found, faults: problem?.faults ?? [] }
}

const unreadable = 'a resource must have type, logicalId and payload'

test.each<[string, unknown]>([
  ['nothing', null],
  ['a list', []],
  ['no type', { ...check('a'), type: undefined }],
  ['an empty id', { ...check('') }],
  ['an id that is no text', { ...check('a'), logicalId: 1 }],
  ['too long an id', check('a'.repeat(513))],
  ['too long a type', check('a', { type: 'a'.repeat(101) })],
  ['no payload', { ...check('a'), payload: undefined }],
])('a resource that is or has %s is a fault at its index', async (_, resource) => {
  const { faults, ofType } = await read(check('b'), resource)
  expect(faults).toEqual([{ pointer: '/resources/1', message: unreadable }])
  expect(ofType('check').map(({ name }) => name)).toEqual(['check b'])
})

test('an id may be long, and must be unique within its type', async () => {
  const long = 'a'.repeat(512)
  const { faults, ofType } = await read(
    check(long),
    check('x', { type: 'check-group' }),
    check('x'),
    check('x'),
    check('y', { type: 'robot' }),
  )
  expect(ofType('check').map(({ index, resource }) => [index, resource.logicalId, resource.payload])).toEqual([
    [0, long, { name: long }],
    [2, 'x', { name: 'x' }],
  ])
  expect([ofType('check-group').length, ofType('robot')]).toEqual([1, []])
  expect(faults).toEqual([
    { pointer: '/resources/3', message: 'check x: there is another resource of this type with the same logicalId' },
    { pointer: '/resources/4', message: 'robot y: resources of type robot are not supported' },
  ])
})

test('a referenced resource that the project does not own needs no payload, and is not written', async () => {
  const other = (logicalId: string, physicalId: unknown) => ({ type: 'check', logicalId, member: false, physicalId })
  const { others, ofType, faults } = await read(other('a', 'id-of-a'), other('b', 7), other('c', null), {
    ...other('d', 'x'),
    member: true,
    payload: {},
  })
  expect([...others.values()]).toEqual(['id-of-a', 7])
  expect(ofType('check').map(({ resource }) => resource.logicalId)).toEqual(['c', 'd'])
  expect(faults).toEqual([])
})

test('relations belong to their check or group, in the order in which they are sent', async () => {
  const [shop, mail] = [{ ref: 'shop' }, { ref: 'mail' }]
  const location = {
    type: 'private-location-check-assignment',
    logicalId: 'l',
    payload: { checkId: shop, privateLocationId: { ref: 'office' } },
  }
  const { relations, faults } = await read(
    subscription({ checkId: shop, alertChannelId: { ref: 'chat' } }),
    location,
    { ...location, type: 'private-location-group-assignment', payload: { groupId: mail, privateLocationId: { ref: 'office' } } },
    subscription({ groupId: mail, alertChannelId: { ref: 'chat' }, activated: false }),
    check('shop'),
    check('mail', { type: 'check-group' }),
    check('office', { type: 'private-location' }),
    channel,
  )
  const [chat, office] = [
    { type: 'alert-channel', logicalId: 'chat' },
    { type: 'private-location', logicalId: 'office' },
  ]
  expect(faults).toEqual([])
  expect(relations.of({ type: 'check', logicalId: 'shop' })).toEqual({
    locations: [office],
    subscriptions: [{ channel: chat, activated: true }],
  })
  expect(relations.of({ type: 'check-group', logicalId: 'mail' })).toEqual({
    locations: [office],
    subscriptions: [{ channel: chat, activated: false }],
  })
  expect(relations.of({ type: 'check', logicalId: 'mail' })).toEqual({ locations: [], subscriptions: [] })
})

test.each([
  [{ alertChannelId: { ref: 'chat' } }, '/payload/checkId', 'checkId must refer to a check of the project'],
  [{ checkId: 'shop', alertChannelId: { ref: 'chat' } }, '/payload/checkId', 'checkId must refer to a check of the project'],
  [{ groupId: {}, alertChannelId: { ref: 'chat' } }, '/payload/groupId', 'groupId must refer to a check-group of the project'],
  [{ checkId: { ref: 'shop' } }, '/payload/alertChannelId', 'alertChannelId must refer to a alert-channel of the project'],
  [{ checkId: { ref: 'none' }, alertChannelId: { ref: 'chat' } }, '', 'there is no check none in the project'],
  [{ checkId: { ref: 'shop' }, alertChannelId: { ref: 'none' } }, '', 'there is no alert-channel none in the project'],
])('a relation with %o is a fault', async (payload, pointer, message) => {
  const { faults } = await read(check('shop'), channel, subscription(payload))
  expect(faults).toEqual([{ pointer: `/resources/2${pointer}`, message: expect.stringContaining(message) }])
})

const relationsOf = (more: Partial<Relations>): Relations => ({ locations: [], subscriptions: [], ...more })
const chat = { type: 'alert-channel', logicalId: 'chat' }
const office = { type: 'private-location', logicalId: 'office' }

test('subscriptions are added to those of the payload', () => {
  const state = { relations: relationsOf({ subscriptions: [{ channel: chat, activated: false }] }), idOf: () => 7 }
  const added = { alertChannelId: 7, activated: false }
  expect(withSubscriptions({ name: 'Shop' }, state)).toEqual({ name: 'Shop', alertChannelSubscriptions: [added] })
  expect(withSubscriptions({ alertChannelSubscriptions: ['own'] }, state)).toEqual({ alertChannelSubscriptions: ['own', added] })
  expect(withSubscriptions({ alertChannelSubscriptions: 'x' }, { ...state, relations: relationsOf({}) })).toEqual({
    alertChannelSubscriptions: 'x',
  })
})

test('private locations are added by name without duplicates, and must exist', () => {
  const resource = { kind: locationKind, account, id: '7', version: 1, definition: { slugName: 'head-office' }, createdAt: 0, updatedAt: 0 }
  const resources = { find: ({ id }: { id: string }) => (id === '7' ? resource : undefined) }
  const state = {
    relations: relationsOf({ locations: [office] }),
    account: { id: account } as never,
    view: { catalogue: testCatalogue(), resources } as never,
    idOf: () => 7,
  }
  expect(withLocations({ privateLocations: ['home', 'head-office'] }, state)).toEqual({ privateLocations: ['home', 'head-office'] })
  expect(withLocations({}, state)).toEqual({ privateLocations: ['head-office'] })
  expect(withLocations({ privateLocations: 'x' }, { ...state, relations: relationsOf({}) })).toEqual({ privateLocations: 'x' })
  const faults = [{ pointer: '/privateLocations', message: 'there is no private-location office' }]
  expect(() => withLocations({}, { ...state, idOf: () => 8 })).toThrow(expect.objectContaining({ faults }))
})

test('faults beyond the limit are only counted, and their messages are short', () => {
  const faults = createProjectFaults()
  expect(() => faults.throwAny()).not.toThrow()
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ pointer: `/a${i}`, message: 'm'.repeat(500) }))
  faults.add({ index: 0, name: 'n'.repeat(300) }, many(1))
  faults.add({ index: null, name: '' }, [{ pointer: '', message: 'as a whole' }])
  faults.add({ index: 2, name: 'check c' }, many(99))
  faults.add({ index: 3, name: 'check d' }, many(2))
  let problem: ApiError | undefined
  try {
    faults.throwAny()
  } catch (error) {
    problem = error as ApiError
  }
  const listed = problem?.faults ?? []
  expect([listed.length, listed[0]?.pointer, listed[1], listed[2]?.pointer]).toEqual([
    100,
    '/resources/0/payload/a0',
    { pointer: '', message: 'as a whole' },
    '/resources/2/payload/a0',
  ])
  expect(listed[0]?.message).toMatch(/^n{150,200}… at \/a0: m+…$/)
  expect(Math.max(...listed.map((fault) => fault.message.length))).toBe(401)
  const lines = problem?.message.split('\n') ?? []
  expect([lines[0], lines.length, lines[2], lines.at(-1)]).toEqual([
    apiError('INVALID_PROJECT').message,
    12,
    '- as a whole',
    '- and 93 more',
  ])
})

test('API errors become faults of a resource, at pointers into its payload, and bugs do not', async () => {
  const thrown = (error: unknown, placed?: (pointer: string) => string) =>
    asFaults(() => Promise.reject(error), placed).catch((problem: unknown) => problem)
  expect(await asFaults(() => 7)).toBe(7)
  expect(await thrown(apiError('CHECK_NOT_FOUND'))).toMatchObject({
    faults: [{ pointer: '', message: apiError('CHECK_NOT_FOUND').message }],
  })
  const faulty = new ApiError('INVALID_DEFINITION', 'Faulty.', {}, [{ pointer: '/name', message: 'is needed' }])
  expect(await thrown(faulty, (pointer) => `/payload${pointer}`)).toMatchObject({
    faults: [{ pointer: '/payload/name', message: 'is needed' }],
  })
  const bug = new TypeError('x is undefined')
  expect(await thrown(bug)).toBe(bug)
  await expect(createProjectFaults().collect({ index: 0, name: '' }, () => Promise.reject(bug))).rejects.toBe(bug)
  const faults = createProjectFaults()
  await faults.collect({ index: 0, name: 'check a' }, () => Promise.reject(new ResourceFaults([{ pointer: '', message: 'is wrong' }])))
  expect(() => faults.throwAny()).toThrow('- check a: is wrong')
})

test('a deployment creates, updates and removes members', () => {
  const member = (logicalId: string) => ({ type: 'check', logicalId, physicalId: logicalId })
  const removed = { ...member('c'), action: 'DETACHED' as const }
  const changes = deployedChanges({ members: ['a', 'b'].map(member), deployment: { created: [1], removed: [removed] } })
  expect(changes.map(({ logicalId, action }) => [logicalId, action])).toEqual([
    ['a', 'UPDATE'],
    ['b', 'CREATE'],
    ['c', 'DETACHED'],
  ])
})

test('a resource without relations has none', () => {
  const relations = createRelations()
  expect(relations.of(chat)).toEqual({ locations: [], subscriptions: [] })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testKey } from '../support/catalogue.ts'
import { deployedTo, deployHeaders, deployKey, deployTo, recordedCheck, resource } from '../support/projects.ts'

let app: TestApp
let allowManagedLocations = true
beforeEach(async () => {
  const keys = [
    testKey(deployKey, account, ['read', 'write']),
    testKey(readKey, account, ['read']),
    testKey('tdm_agent', account, ['agent:of-file']),
  ]
  allowManagedLocations = true
  const catalogue = testCatalogue({ keys, service: () => ({ ...service, allowManagedLocations }) })
  app = await openTestApp({ managed: true, now: Date.UTC(2026, 10, 14, 12), catalogue })
})
afterEach(() => app.close())

const deploy = (...resources: readonly object[]) => deployTo(app, resources)
const read = async (url: string) => (await app.get(url, deployHeaders)).body

const window = {
  name: 'Database move',
  tags: ['shop'],
  startsAt: '2026-11-20T21:00:00.000Z',
  endsAt: '2026-11-21T01:00:00.000Z',
  repeatInterval: 1,
  repeatUnit: 'WEEK',
  repeatEndsAt: '2027-06-01T00:00:00.000Z',
}

test('maintenance windows are created, updated and deleted with their project', async () => {
  const ids = await deployedTo(app, [resource('maintenance-window', 'move', window)])
  expect(await read('/v1/maintenance-windows')).toMatchObject([{ id: ids.move, ...window }])
  expect((await deploy(resource('maintenance-window', 'move', window))).body.id).toMatch(/^unchanged-/)
  await deployedTo(app, [resource('maintenance-window', 'move', { ...window, name: 'Moved' })])
  expect(await read('/v1/maintenance-windows')).toMatchObject([{ id: ids.move, name: 'Moved' }])
  await deployedTo(app, [])
  expect(await read('/v1/maintenance-windows')).toEqual([])
})

test('an invalid maintenance window is rejected by name', async () => {
  const { status, body } = await deploy(resource('maintenance-window', 'move', { ...window, startsAt: 'soon' }))
  expect([status, body.message]).toEqual([400, expect.stringContaining('maintenance-window move at /startsAt')])
})

const hook = {
  type: 'WEBHOOK',
  config: { name: 'Ops', url: 'https://hooks.example.com/x', headers: [{ key: 'Authorization', value: 'Bearer hush-hush' }] },
  sendRecovery: true,
  sendFailure: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
}
const channel = resource('alert-channel', 'ops', hook)
const subscription = (owner: object, activated = true) =>
  resource('alert-channel-subscription', `subscription-${Object.keys(owner)}`, { alertChannelId: { ref: 'ops' }, ...owner, activated })

test('alert channels are deployed with the checks and groups that subscribe to them, and deploying again changes nothing', async () => {
  const check = resource('check', 'home', recordedCheck('home'))
  const group = resource('check-group', 'shop', { name: 'Shop' })
  const all = [check, group, channel, subscription({ checkId: { ref: 'home' } }, false), subscription({ groupId: { ref: 'shop' } })]
  const ids = await deployedTo(app, all)
  const told = async () => [
    (await read(`/v1/checks/${ids.home}`)).alertChannelSubscriptions,
    (await read(`/v1/check-groups/${ids.shop}`)).alertChannelSubscriptions,
  ]
  expect(await told()).toMatchObject([[{ alertChannelId: ids.ops, activated: false }], [{ alertChannelId: ids.ops, activated: true }]])
  expect((await app.get(`/v1/alert-channels/${ids.ops}`)).text).not.toContain('hush')
  expect((await deploy(...all)).body.id).toMatch(/^unchanged-/)
  await deployedTo(app, [check, group, channel])
  expect(await told()).toEqual([[], []])
  await deployedTo(app, [check, group])
  expect((await app.get(`/v1/alert-channels/${ids.ops}`)).status).toBe(404)
})

test.each([
  ['check', 'checkId'],
  ['check-group', 'groupId'],
])('a %s cannot subscribe to a channel that does not exist', async (type, field) => {
  const other = { type: 'alert-channel', logicalId: 'ops', physicalId: 4711, member: false, payload: null }
  const owner = resource(type, 'home', type === 'check' ? recordedCheck('home') : { name: 'Home' })
  const { status, body } = await deploy(owner, other, subscription({ [field]: { ref: 'home' } }))
  expect([status, body.message]).toEqual([400, expect.stringContaining('there is no managed alert channel with the id 4711')])
})

test('a subscription to a channel that the project does not have is rejected', async () => {
  const { status, body } = await deploy(resource('check', 'home', recordedCheck('home')), subscription({ checkId: { ref: 'home' } }))
  expect([status, body.message]).toEqual([400, expect.stringContaining('there is no alert-channel ops in the project')])
})

describe('private locations', () => {
  const place = (slugName = 'dc-2', more: object = {}) =>
    resource('private-location', 'dc', { name: 'Data centre 2', slugName, icon: 'server', ...more })
  const check = resource('check', 'home', recordedCheck('home'))
  const group = resource('check-group', 'shop', { name: 'Shop' })
  const assignment = (owner: 'check' | 'group', ref: string, location = 'dc') =>
    resource(`private-location-${owner}-assignment`, `${ref}#${location}`, {
      privateLocationId: { ref: location },
      [`${owner}Id`]: { ref },
    })
  const assigned = [check, group, place(), assignment('check', 'home'), assignment('group', 'shop')]
  const placesOf = async (ids: Readonly<Record<string, string | number>>) => [
    (await read(`/v1/checks/${ids.home}`)).privateLocations,
    (await read(`/v1/check-groups/${ids.shop}`)).privateLocations,
  ]

  test('are shown by a dry run, deployed with the checks and groups that run there, renamed, and deleted', async () => {
    const dryRun = await deployTo(app, assigned, 'dryRun=true')
    expect(dryRun.body.diff.map(({ type, action }: Readonly<Record<string, string>>) => `${action} ${type}`).toSorted()).toEqual([
      'CREATE check',
      'CREATE check-group',
      'CREATE private-location',
    ])
    const ids = await deployedTo(app, assigned)
    expect(await read('/v1/private-locations')).toContainEqual(
      expect.objectContaining({ id: ids.dc, name: 'Data centre 2', slugName: 'dc-2', icon: 'server', keys: [] }),
    )
    expect(await placesOf(ids)).toEqual([['dc-2'], ['dc-2']])
    expect((await deploy(...assigned)).body.id).toMatch(/^unchanged-/)

    await deployedTo(app, [check, group, place('dc-3'), ...assigned.slice(3)])
    expect(await placesOf(ids)).toEqual([['dc-3'], ['dc-3']])
    expect((await read(`/v1/private-locations/${ids.dc}`)).slugName).toBe('dc-3')

    await deployedTo(app, [check, group])
    expect([await placesOf(ids), (await app.get(`/v1/private-locations/${ids.dc}`)).status]).toEqual([[[], []], 404])
  })

  test('have no key until one is added, which is shown once, and keep it when they are deployed again', async () => {
    const { dc } = await deployedTo(app, assigned)
    const added = await app.call({ method: 'POST', url: `/v1/private-locations/${dc}/keys`, headers: deployHeaders })
    expect([added.status, added.body.rawKey]).toEqual([201, expect.stringMatching(/^tdm_/)])
    const agent = { authorization: `Bearer ${added.body.rawKey}` }
    const poll = () => app.call({ url: '/v1/agents/checks?protocol=1&location=dc-2', headers: agent })
    expect((await poll()).status).toBe(200)
    await deployedTo(app, [place('dc-2', { name: 'Renamed' }), ...assigned.filter(({ logicalId }) => logicalId !== 'dc')])
    const { text, body } = await app.get(`/v1/private-locations/${dc}`, deployHeaders)
    expect([body.name, body.keys.length, text.includes(added.body.rawKey)]).toEqual(['Renamed', 1, false])
    expect((await poll()).status).toBe(200)
    const destroyed = await app.call({ method: 'DELETE', url: '/v1/projects/shop', headers: deployHeaders })
    expect([destroyed.status, (await poll()).status]).toEqual([200, 401])
  })

  test('are rejected if the config file does not allow them, but existing ones can still be deleted', async () => {
    await deployedTo(app, assigned)
    allowManagedLocations = false
    const { status, body } = await deploy(...assigned)
    expect([status, body.message]).toEqual([400, expect.stringContaining('only where the config file says allowManagedLocations: true')])
    await deployedTo(app, [check, group])
    expect(await read('/v1/private-locations')).toMatchObject([{ slugName: 'of-file' }])
  })

  test('outside the project are referenced by id, also those of the config file', async () => {
    const [{ id: ofFile }] = await read('/v1/private-locations')
    const other = { type: 'private-location', logicalId: 'other', physicalId: ofFile, member: false, payload: null }
    const { home } = await deployedTo(app, [check, other, assignment('check', 'home', 'other')])
    expect((await read(`/v1/checks/${home}/definition`)).definition.locations).toContain('of-file')
    const unknown = await deploy(check, { ...other, physicalId: '0a' }, assignment('check', 'home', 'other'))
    expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('there is no private-location other')])
  })

  test('are kept while a check outside the project runs there, and their names are unique', async () => {
    await deployedTo(app, [place()])
    const { id: groupId } = (
      await app.call({
        method: 'POST',
        url: '/v1/check-groups',
        headers: deployHeaders,
        payload: { name: 'Other', privateLocations: ['dc-2'] },
      })
    ).body
    const { request } = recordedCheck('home')
    await app.call({
      method: 'POST',
      url: '/v1/checks/url',
      headers: deployHeaders,
      payload: { name: 'Other', frequency: 1, groupId, request },
    })
    expect((await deploy()).body.message).toContain('private-location dc: ')
    const twice = await deploy(place(), { ...place(), logicalId: 'again' })
    expect([twice.status, twice.body.message]).toEqual([400, expect.stringContaining('private-location again')])
  })
})

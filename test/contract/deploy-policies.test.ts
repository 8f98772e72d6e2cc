import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testKey } from '../support/catalogue.ts'
import { deployedTo, deployHeaders, deployKey, deployTo, recordedCheck, resource } from '../support/projects.ts'

let app: TestApp
beforeEach(async () => {
  const keys = [testKey(deployKey, account, ['read', 'write']), testKey(readKey, account, ['read'])]
  app = await openTestApp({ managed: true, now: Date.UTC(2026, 10, 14, 12), catalogue: testCatalogue({ keys }) })
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

test('maintenance windows are written, replaced and deleted with their project', async () => {
  const ids = await deployedTo(app, [resource('maintenance-window', 'move', window)])
  expect(await read('/v1/maintenance-windows')).toMatchObject([{ id: ids.move, ...window }])
  expect((await deploy(resource('maintenance-window', 'move', window))).body.id).toMatch(/^unchanged-/)
  await deployedTo(app, [resource('maintenance-window', 'move', { ...window, name: 'Moved' })])
  expect(await read('/v1/maintenance-windows')).toMatchObject([{ id: ids.move, name: 'Moved' }])
  await deployedTo(app, [])
  expect(await read('/v1/maintenance-windows')).toEqual([])
})

test('a maintenance window with a fault is refused by its name', async () => {
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

test('alert channels are written with the checks and groups that subscribe to them, and a second time change nothing', async () => {
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

test('a subscription to a channel that the project does not have is refused', async () => {
  const { status, body } = await deploy(resource('check', 'home', recordedCheck('home')), subscription({ checkId: { ref: 'home' } }))
  expect([status, body.message]).toEqual([400, expect.stringContaining('there is no alert-channel ops in the project')])
})

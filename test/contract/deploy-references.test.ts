import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, testCatalogue, testKey } from '../support/catalogue.ts'
import { deployedTo, deployHeaders, deployKey, deployTo, recordedCheck, resource } from '../support/projects.ts'

const { field } = checkTypes.find(({ groupRequest }) => groupRequest)?.groupRequest ?? { field: '' }

let app: TestApp
/** How often the catalogue was asked for the dependents of a check. */
let questions = 0
beforeEach(async () => {
  const catalogue = testCatalogue({ keys: [testKey(deployKey, account, ['read', 'write'])] })
  const dependents: typeof catalogue.dependents = (...asked) => {
    questions++
    return catalogue.dependents(...asked)
  }
  app = await openTestApp({ managed: true, now: Date.UTC(2026, 10, 14, 12), catalogue: { ...catalogue, dependents } })
})
afterEach(() => app.close())

type Pair = { readonly key: string; readonly value: string }

const { request: ordersRequest, ...ordersPayload } = recordedCheck('orders')
const homePage = recordedCheck('home')
const group = (url: string) => resource('check-group', 'shop', { name: 'Shop', [field]: { url } })
const orders = (pairs: readonly Pair[], groupId: unknown = { ref: 'shop' }) =>
  resource('check', 'orders', {
    ...ordersPayload,
    groupId,
    request: { ...Object(ordersRequest), url: '{{GROUP_BASE_URL}}/orders', headers: pairs },
  })

const deploy = (resources: readonly object[], query = '') => deployTo(app, resources, query)
const deployed = (resources: readonly object[]) => deployedTo(app, resources)
const read = async (id: string | number | undefined) => (await app.get(`/v1/checks/${id}`, deployHeaders)).body

describe('hidden values', () => {
  const written = [{ key: 'Authorization', value: 'Bearer hush-hush' }]
  const shop = 'https://shop.example'
  const elsewhere = 'https://elsewhere.example'

  async function shownPairs(): Promise<readonly Pair[]> {
    const ids = await deployed([group(shop), orders(written)])
    const { request } = await read(ids.orders)
    expect(JSON.stringify(request)).not.toContain('hush')
    return request.headers.map(({ key, value }: Pair) => ({ key, value }))
  }

  test('are not sent to another address that the group of a check gets in the same deployment', async () => {
    const shown = await shownPairs()
    const { status, body } = await deploy([group(elsewhere), orders(shown)])
    expect([status, body.message]).toEqual([400, expect.stringContaining('check orders: it has values that answers hide')])
  })

  test('are kept if the group changes only the path of its URL, or if they are sent again', async () => {
    const shown = await shownPairs()
    expect((await deploy([group(`${shop}/v2`), orders(shown)])).status).toBe(200)
    expect((await deploy([group(elsewhere), orders(written)])).status).toBe(200)
    expect((await app.get('/v1/faulty-checks', deployHeaders)).body).toEqual([])
  })

  test('are not sent elsewhere by a check that leaves the project and is kept', async () => {
    await shownPairs()
    const { status, body } = await deploy([group(elsewhere)], 'preserveResources=true')
    expect([status, body.message]).toEqual([400, expect.stringContaining('it has values that answers hide')])
  })
})

describe('a resource removed from a project', () => {
  test('is no longer available to the remaining checks, such as a group that one references by number', async () => {
    const ids = await deployed([group('https://shop.example'), orders([])])
    const { status, body } = await deploy([orders([], ids.shop)])
    expect([status, body.message]).toEqual([400, expect.stringContaining('check orders at /groupId: there is no check group')])
    expect((await deploy([orders([], ids.shop)], 'preserveResources=true')).status).toBe(200)
  })

  test('is no longer available to the remaining checks, such as a check that one depends on', async () => {
    const ids = await deployed([resource('check', 'home', homePage), resource('check', 'cart', homePage)])
    const { definition, ...shown } = await read(ids.home)
    const dependent = { ...shown, definition: { ...definition, dependsOn: [ids.cart] } }
    expect((await deploy([resource('check', 'home', dependent), resource('check', 'cart', homePage)], 'dryRun=true')).status).toBe(200)
    const { status, body } = await deploy([resource('check', 'home', dependent)])
    expect([status, body.message]).toEqual([400, expect.stringContaining(`there is no check with the id ${ids.cart}`)])
  })

  test('is kept while a check outside the project depends on it', async () => {
    const ids = await deployed([resource('check', 'home', homePage)])
    const { definition } = await read(ids.home)
    const added = { definition: { ...definition, id: 'own', name: 'Own', dependsOn: [ids.home] } }
    expect((await app.call({ method: 'POST', url: '/v1/checks/url', headers: deployHeaders, payload: added })).status).toBe(201)
    const { status, body } = await deploy([])
    expect([status, body.message]).toEqual([400, expect.stringContaining('check own')])
  })

  test('is validated with few lookups, however many checks there are', async () => {
    await deployed(Array.from({ length: 50 }, (_, index) => resource('check', `page-${index}`, homePage)))
    questions = 0
    expect((await app.call({ method: 'DELETE', url: '/v1/projects/shop', headers: deployHeaders })).body.diff).toHaveLength(50)
    expect(questions).toBeLessThan(10)
  })
})

test('checks that would depend on each other are rejected together', async () => {
  const ids = await deployed([resource('check', 'home', homePage), resource('check', 'cart', homePage)])
  const dependent = async (one: string, other: string) => {
    const { definition, ...shown } = await read(ids[one])
    return resource('check', one, { ...shown, definition: { ...definition, dependsOn: [ids[other]] } })
  }
  const both = [await dependent('home', 'cart'), await dependent('cart', 'home')]
  const { status, body } = await deploy(both)
  expect([status, body.message]).toEqual([400, expect.stringContaining('check home: these checks depend on each other')])
  expect((await deploy([both[0] ?? {}, resource('check', 'cart', homePage)])).status).toBe(200)
})

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, service, testCatalogue, testKey } from '../support/catalogue.ts'
import { tarGz } from '../support/tar.ts'

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const headers = { authorization: `Bearer ${writeKey}`, 'x-checkly-account': account, 'x-checkly-source': 'CLI' }
const start = Date.UTC(2026, 10, 14, 12)

let app: TestApp
let isCodeAllowed = true
beforeEach(async () => {
  isCodeAllowed = true
  app = await openTestApp({
    managed: true,
    env: { SHOP: 'lamps' },
    now: () => start,
    catalogue: testCatalogue({
      keys: [testKey(writeKey, account, ['read', 'write'])],
      service: () => ({ ...service, accountHeaders: ['x-checkly-account'], allowUploadedCode: isCodeAllowed }),
      accounts: [{ id: account, name: 'Acme Inc', publicBadges: false, managedVariables: ['SHOP'] }],
    }),
  })
})
afterEach(() => app.close())

type Payload = Readonly<Record<string, unknown>>
type Change = { readonly type: string; readonly logicalId: string; readonly physicalId: string; readonly action: string }

/** What the CLI sends for a project with a check of each type, as recorded from test/integrations/checkly-project.ts. */
const recorded = JSON.parse(readFileSync(new URL('../fixtures/checkly-cli/deploy.json', import.meta.url), 'utf8'))

function sent(logicalId: string, more: Payload = {}): Payload {
  const { payload } = recorded.resources.find((resource: { readonly logicalId: string }) => resource.logicalId === logicalId)
  return { ...payload, ...more }
}

const urlMonitor = (name: string, more: Payload = {}) => sent('home', { name, ...more })
const heartbeat = (name: string) => sent('backup', { name })

const resourcesOf = (checks: Readonly<Record<string, Payload>>, type = 'check') =>
  Object.entries(checks).map(([logicalId, payload]) => ({ logicalId, type, member: true, payload }))

const bodyOf = (resources: readonly object[], name = 'Shop') => ({
  project: { logicalId: 'shop/main', name, repoUrl: 'https://git.example/shop' },
  sharedFiles: [],
  resources,
  repoInfo: null,
})

async function post(body: unknown, query = 'dryRun=false&scheduleOnDeploy=true', path = '/v1/projects/deploy') {
  const encoded = { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' }
  return app.call({ method: 'POST', url: `${path}?${query}`, headers: encoded, payload: gzipSync(JSON.stringify(body)) })
}

const deploy = (checks: Readonly<Record<string, Payload>>, query?: string) => post(bodyOf(resourcesOf(checks)), query)
const get = (url: string) => app.get(url, headers)
const dryRun = 'dryRun=true&scheduleOnDeploy=true'
const project = '/v1/projects/shop%2Fmain'
const actions = (diff: readonly Change[]) => diff.map(({ action, logicalId }) => `${action} ${logicalId}`)

async function names(): Promise<readonly string[]> {
  return (await get('/v1/checks')).body.map(({ name }: { readonly name: string }) => name).toSorted()
}

async function writes(): Promise<readonly string[]> {
  const { body } = await get('/v1/audit?limit=100')
  return body.entries.map(({ action, kind }: { readonly action: string; readonly kind: string }) => `${action} ${kind}`).toSorted()
}

const suiteFiles = ['e2e/playwright.config.ts', 'e2e/tests/sum.spec.ts', 'package.json', 'package-lock.json']

const uploadSuite = (archive = tarGz(suiteFiles.map((path) => ({ path, text: path })))) =>
  app.call({
    method: 'POST',
    url: '/next/checkly-storage/upload-code-bundle',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    payload: archive,
  })

const pages = { home: urlMonitor('Home'), cart: urlMonitor('Cart'), 'jobs/backup': heartbeat('Backup') }

describe('a deployed project', () => {
  test('is shown by a dry run, which changes nothing', async () => {
    const { status, body } = await deploy(pages, dryRun)
    expect(status).toBe(200)
    expect(actions(body.diff)).toEqual(['CREATE home', 'CREATE cart', 'CREATE jobs/backup'])
    expect(body.project).toMatchObject({ logicalId: 'shop/main', name: 'Shop', repoUrl: 'https://git.example/shop' })
    expect([await names(), await writes(), (await get(project)).status]).toEqual([[], [], 404])
  })

  test('has its checks after the deployment, whose progress can be followed to its end', async () => {
    const { status, body } = await deploy(pages)
    expect([status, body.status, body.progress, body.logicalId]).toEqual([200, 'SUCCEEDED', 100, 'shop/main'])
    expect(actions(body.result.diff)).toEqual(['CREATE home', 'CREATE cart', 'CREATE jobs/backup'])
    expect(await names()).toEqual(['Backup', 'Cart', 'Home'])
    expect(await writes()).toEqual(['create check', 'create check', 'create check', 'create project'])
    const at = `${project}/deployments/${body.id}`
    expect((await get(at)).body).toEqual(body)
    expect((await get(`${at}/completion?maxWaitSeconds=30`)).body).toEqual(body)
    const events = await get(`${at}/events`)
    expect(events.headers['content-type']).toContain('text/event-stream')
    expect(events.text).toContain('event: progress\ndata: {"progress":100}\n\n')
    expect(JSON.parse(/event: complete\ndata: (.*)\n\n/.exec(events.text)?.[1] ?? '')).toEqual(body)
    expect((await get(`${project}/deployments/${body.id}0/events`)).body).toMatchObject({ code: 'DEPLOYMENT_NOT_FOUND' })
  })

  test('has heartbeats with a URL that clients can show', async () => {
    const { diff } = (await deploy(pages)).body.result
    const { physicalId } = diff.find(({ logicalId }: Change) => logicalId === 'jobs/backup')
    const { body } = await get(`/v1/checks/${physicalId}`)
    expect([body.name, body.heartbeat.pingUrl]).toEqual(['Backup', expect.stringMatching(/\/ping\/.{20}/)])
    await deploy({ ...pages, 'jobs/backup': heartbeat('Nightly') })
    expect((await get(`/v1/checks/${physicalId}`)).body).toMatchObject({ name: 'Nightly', heartbeat: body.heartbeat })
  })

  test('writes nothing if nothing has changed, and the deployment can still be followed', async () => {
    const first = (await deploy(pages)).body
    const before = await writes()
    const { body } = await deploy(pages)
    expect(actions(body.result.diff)).toEqual(['UPDATE home', 'UPDATE cart', 'UPDATE jobs/backup'])
    expect(body.result.diff.map(({ physicalId }: Change) => physicalId)).toEqual(
      first.result.diff.map(({ physicalId }: Change) => physicalId),
    )
    expect(await writes()).toEqual(before)
    expect((await get(`${project}/deployments/${body.id}`)).body).toMatchObject({ status: 'SUCCEEDED', result: body.result })
  })

  test('writes only the changes', async () => {
    await deploy(pages)
    await deploy({ ...pages, cart: urlMonitor('Basket') })
    expect(await names()).toEqual(['Backup', 'Basket', 'Home'])
    expect((await writes()).filter((write) => write.startsWith('update'))).toEqual(['update check', 'update project'])
  })

  test('has variables in its checks, and hidden ones do not move to another address with them', async () => {
    const at = (host: string, value = 'hunter2-hunter2') => {
      const environmentVariables = [
        { key: 'HOST', value: host },
        { key: 'TOKEN', value, locked: true },
      ]
      const request = { url: 'https://{{HOST}}/', headers: [{ key: 'X-Word', value: '{{TOKEN}}' }] }
      return { orders: sent('orders', { environmentVariables, request }) }
    }
    const { physicalId } = (await deploy(at('shop.example'))).body.result.diff[0]
    const url = `/v1/checks/${physicalId}`
    expect(app.check(physicalId).settings).toMatchObject({
      request: { url: 'https://shop.example/', headers: { 'X-Word': 'hunter2-hunter2' } },
    })
    expect((await get(url)).body.environmentVariables).toMatchObject([{ value: 'shop.example' }, { value: `$\{TOKEN}`, locked: true }])
    await deploy(at('shop.example'))
    expect((await get(url)).headers.etag).toBe('"v1"')
    const moved = await deploy(at('evil.example', `$\{TOKEN}`))
    expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('send them again')])
    await deploy(at('other.example'))
    expect(app.check(physicalId).settings).toMatchObject({ request: { url: 'https://other.example/' } })
  })

  test('deletes checks that were removed from it, unless they should be kept', async () => {
    await deploy(pages)
    const { home, cart } = pages
    expect(actions((await deploy({ home, cart }, dryRun)).body.diff)).toEqual(['UPDATE home', 'UPDATE cart', 'DELETE jobs/backup'])
    await deploy({ home, cart })
    expect(await names()).toEqual(['Cart', 'Home'])
    const kept = await deploy({ home }, 'dryRun=false&scheduleOnDeploy=true&preserveResources=true')
    expect(actions(kept.body.result.diff)).toEqual(['UPDATE home', 'DETACHED cart'])
    expect(await names()).toEqual(['Cart', 'Home'])
    await app.call({ method: 'DELETE', url: `${project}?preserveResources=false&dryRun=false`, headers })
    expect(await names()).toEqual(['Cart'])
  })

  test('recreates a check that was deleted in between', async () => {
    const { diff } = (await deploy(pages)).body.result
    await app.call({ method: 'DELETE', url: `/v1/checks/${diff[0].physicalId}`, headers })
    const again = (await deploy(pages)).body.result.diff
    expect(actions(again)).toEqual(['CREATE home', 'UPDATE cart', 'UPDATE jobs/backup'])
    expect(again[0].physicalId).not.toBe(diff[0].physicalId)
    expect(await names()).toEqual(['Backup', 'Cart', 'Home'])
  })

  test('is deleted with its checks, and deleting it again does nothing', async () => {
    await deploy(pages)
    const destroy = () => app.call({ method: 'DELETE', url: `${project}?preserveResources=false&dryRun=false`, headers })
    expect(actions((await destroy()).body.diff)).toEqual(['DELETE home', 'DELETE cart', 'DELETE jobs/backup'])
    expect([await names(), (await get('/v1/projects')).body]).toEqual([[], []])
    expect(await destroy()).toMatchObject({ status: 200, body: { diff: [] } })
    expect(actions((await deploy(pages)).body.result.diff)).toEqual(['CREATE home', 'CREATE cart', 'CREATE jobs/backup'])
  })

  test('is deployed synchronously for older clients', async () => {
    const { status, body } = await post(bodyOf(resourcesOf(pages)), undefined, '/next-v2/projects/deploy')
    expect([status, Object.keys(body), actions(body.diff)]).toEqual([
      200,
      ['project', 'diff'],
      ['CREATE home', 'CREATE cart', 'CREATE jobs/backup'],
    ])
    expect((await get('/next/projects')).body).toMatchObject([{ logicalId: 'shop/main', created_at: new Date(start).toISOString() }])
    const destroyed = await app.call({ method: 'DELETE', url: '/next/projects/shop%2Fmain', headers })
    expect([destroyed.status, await names()]).toEqual([200, []])
  })
})

describe('a project with a check of each type', () => {
  const withKey = (key: string) => JSON.parse(JSON.stringify(recorded).replace('{key}', key))

  test('is deployed as the CLI sends it, and deploying again changes nothing', async () => {
    const { key } = (await uploadSuite()).body
    const first = await post(withKey(key))
    expect([first.status, first.body.message]).toEqual([200, undefined])
    expect(first.body.result.diff).toHaveLength(recorded.resources.length)
    const before = await writes()
    const second = await post(withKey((await uploadSuite()).body.key))
    expect([...new Set(second.body.result.diff.map(({ action }: Change) => action))]).toEqual(['UPDATE'])
    expect(await writes()).toEqual(before)
  })

  test('stores the imported files of a script, and the files of a suite, with the check', async () => {
    const { key } = (await uploadSuite()).body
    const { diff } = (await post(withKey(key))).body.result
    const read = async (logicalId: string) =>
      (await get(`/v1/checks/${diff.find((change: Change) => change.logicalId === logicalId).physicalId}`)).body
    const { script, scriptPath, dependencies } = await read('order')
    expect({ script, scriptPath }).toEqual({ script: sent('order').script, scriptPath: 'scripts/order.ts' })
    expect(dependencies).toEqual(recorded.sharedFiles)
    expect(await read('suite')).toMatchObject({ codeBundlePath: key, testCommand: sent('suite').testCommand })
  })

  test('is rejected if a script refers to a file that was not sent, or to one outside of the project', async () => {
    const login = (dependencies: unknown, sharedFiles: readonly object[]) =>
      post({ ...recorded, sharedFiles, resources: resourcesOf({ login: sent('login', { dependencies }) }) })
    expect((await login([7], recorded.sharedFiles)).body.message).toContain('check login at /dependencies/0: there is no such file')
    for (const path of ['../lib.ts', '/etc/passwd', 'a/../../b.ts', 'scripts/login.ts', 'scripts/login.ts/lib.ts'])
      expect(await login([0], [{ path, content: '1' }])).toMatchObject({ status: 400, body: { code: 'INVALID_PROJECT' } })
    const large = { path: 'lib.ts', content: 'x'.repeat(300_000) }
    expect((await login([0], [large])).body.message).toContain('at most 262144 characters')
  })

  test('has a bundle that clients can look up by its key, so that they need not upload it again', async () => {
    const { key } = (await uploadSuite()).body
    const peek = (payload: object) => app.call({ method: 'POST', url: '/next/checkly-storage/peek-code-bundle', headers, payload })
    expect(await peek({ key })).toMatchObject({ status: 200, body: { key, checksumSha256: '' } })
    for (const other of ['suites/shop', 7, undefined]) expect((await peek({ key: other })).status).toBe(404)
  })

  test('is rejected if its bundle is invalid', async () => {
    const archive = tarGz([{ path: 'a.ts', type: '2', link: '/etc/passwd' }])
    expect(await uploadSuite(archive)).toMatchObject({ status: 400, body: { code: 'INVALID_BUNDLE' } })
    const snapshot = { ...headers, 'content-type': 'application/octet-stream' }
    const url = '/next/checkly-storage/upload'
    expect((await app.call({ method: 'POST', url, headers: snapshot, payload: Buffer.from('x') })).body.code).toBe('NO_SNAPSHOTS')
  })
})

describe('a project with an error', () => {
  const faulty = {
    ...pages,
    cart: urlMonitor('Cart', { frequency: -1 }),
    search: urlMonitor('Search', { request: { url: 'shop.example' } }),
  }

  test('changes nothing, and lists the faulty resources with their faults', async () => {
    await deploy({ home: pages.home })
    const before = await writes()
    const { status, body } = await deploy(faulty)
    expect([status, body.code]).toEqual([400, 'INVALID_PROJECT'])
    expect(body.message).toContain('- check cart at /frequency: ')
    expect(body.message).toContain('- check search at /request/url: ')
    expect(body.faults.map(({ pointer }: { readonly pointer: string }) => pointer)).toEqual([
      '/resources/1/payload/frequency',
      '/resources/3/payload/request/url',
    ])
    expect([await names(), await writes()]).toEqual([['Home'], before])
    expect((await deploy(faulty, dryRun)).body).toEqual(body)
  })

  test.each(['GRPC', 'TRACEROUTE', 'SSL', 'AGENTIC'])('such as the unsupported check type %s is rejected by name', async (checkType) => {
    const { status, body } = await deploy({ home: { ...pages.home, checkType } })
    expect([status, body.message]).toEqual([400, expect.stringContaining(`checks of type ${checkType} are not supported`)])
  })

  test.each(['dashboard', 'status-page', 'status-page-service', 'alert-escalation-policy', 'constructor'])(
    'such as the unsupported resource type %s is rejected by name',
    async (type) => {
      const { status, body } = await post(bodyOf([...resourcesOf(pages), ...resourcesOf({ main: { name: 'Main' } }, type)]))
      expect([status, body.message]).toEqual([400, expect.stringContaining(`- ${type} main: resources of type ${type} are not supported`)])
      expect(await names()).toEqual([])
    },
  )

  test('such as a check whose type has changed is rejected with both types', async () => {
    await deploy(pages)
    const { body } = await deploy({ ...pages, home: heartbeat('Home') })
    expect(body.message).toContain(`- check home at /checkType: this check is of type ${urlMonitor('').checkType}, which cannot be changed`)
  })

  test('such as a duplicate logical id is rejected', async () => {
    const { body } = await post(bodyOf([...resourcesOf(pages), ...resourcesOf({ home: pages.home })]))
    expect(body.message).toContain('- check home: there is another resource of this type with the same logicalId')
  })

  test('such as code that is not allowed is rejected', async () => {
    isCodeAllowed = false
    const { status, body } = await post({ ...recorded, resources: resourcesOf({ login: sent('login') }) })
    expect([status, body.message]).toEqual([400, expect.stringContaining('- check login at /script: ')])
    expect(body.message).toContain('- check login at /dependencies: ')
    expect(body.message).toContain('allowUploadedCode: true')
    const upload = await uploadSuite()
    expect([upload.status, upload.body.code]).toEqual([400, 'CODE_NOT_ALLOWED'])
  })

  test.each([
    ['no project', { resources: [] }],
    ['a project without a name', { project: { logicalId: 'shop' }, resources: [] }],
    ['a project with an odd id', { project: { logicalId: 'a b', name: 'Shop' }, resources: [] }],
    ['no resources', { project: { logicalId: 'shop', name: 'Shop' } }],
    ['a list', []],
    ['files without content', { ...bodyOf([]), sharedFiles: [{ path: 'a.ts' }] }],
  ])('such as %s is rejected', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'INVALID_BODY' } })
  })

  test('such as too many characters in logical ids is rejected', async () => {
    const long = Array.from({ length: 1500 }, (_, i) => [`${'\u0001'.repeat(500)}${i}`, urlMonitor('Page')])
    const { status, body } = await deploy(Object.fromEntries(long), dryRun)
    expect([status, body.message]).toEqual([413, expect.stringContaining('4194304 characters of logical ids')])
  })

  test('such as malformed resources is rejected', async () => {
    const { body } = await post(bodyOf([null, { type: 'check', logicalId: 'a' }] as unknown as object[]))
    expect(body.faults.map(({ pointer }: { readonly pointer: string }) => pointer)).toEqual(['/resources/0', '/resources/1'])
  })
})

describe('the body of a deployment', () => {
  const url = '/v1/projects/deploy?dryRun=true'
  const compressed = { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' }

  test('is rejected if it decompresses to too much, or has too many resources', async () => {
    const bomb = gzipSync(Buffer.alloc(33 * 2 ** 20, ' '))
    expect(await app.call({ method: 'POST', url, headers: compressed, payload: bomb })).toMatchObject({ status: 413 })
    const many = bodyOf(Array.from({ length: 10_001 }, () => ({})))
    expect(await post(many, dryRun)).toMatchObject({ status: 413, body: { message: expect.stringContaining('10000 resources') } })
  })

  test('is rejected if it is not gzip, not JSON, or nested without end', async () => {
    const answers = []
    for (const payload of [
      Buffer.from('{}'),
      gzipSync('{'),
      gzipSync(`{"project": {}, "resources": [${'['.repeat(100_000)}${']'.repeat(100_000)}]}`),
    ])
      answers.push((await app.call({ method: 'POST', url, headers: compressed, payload })).status)
    expect(answers).toEqual([400, 400, 400])
  })

  test('may be sent uncompressed', async () => {
    const { status } = await app.call({ method: 'POST', url, headers, payload: bodyOf(resourcesOf(pages)) })
    expect(status).toBe(200)
  })
})

describe('concurrent deployments', () => {
  test('of one project succeed once, and the other is rejected with the id of the first', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`page-${i}`, urlMonitor(`Page ${i}`)]))
    const [first, second] = await Promise.all([deploy(many), deploy(many)])
    const [made, refused] = first.status === 200 ? [first, second] : [second, first]
    expect([made.status, refused.status, refused.body.code]).toEqual([200, 409, 'DEPLOYMENT_UNDER_WAY'])
    expect(refused.body.deploymentId).toBe(made.body.id)
    expect((await get('/v1/checks?limit=1')).headers['content-range']).toMatch(/\/300$/)
    const after = await get(`${project}/deployments/${refused.body.deploymentId}/completion?maxWaitSeconds=30`)
    expect(after.body).toMatchObject({ status: 'SUCCEEDED' })
  })

  const other = (logicalId: string) => ({
    ...bodyOf(resourcesOf({ home: urlMonitor(logicalId) })),
    project: { logicalId, name: 'Other' },
  })

  test('of other projects are independent, and so are dry runs', async () => {
    const answers = await Promise.all([deploy(pages), post(other('Other'))])
    const tried = await Promise.all([deploy({}), deploy(pages, dryRun)])
    expect([...answers, ...tried].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await names()).toEqual(['Other'])
  })

  test('of an account are queued, with a limit that includes dry runs', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`page-${i}`, urlMonitor(`Page ${i}`)]))
    const answers = await Promise.all([deploy(many, dryRun), ...['a', 'b', 'c'].map((id) => post(other(id), dryRun))])
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers: told } of refused)
      expect([status, body.code, told['retry-after']]).toEqual([429, 'TOO_MANY_DEPLOYMENTS', '5'])
    expect((await post(other('a'))).status).toBe(200)
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { configuredFolder, tidemark } from '../../../test/support/command.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { isSigned } from '../../catalogue/links.ts'
import { linkedPaths, linkedPosts } from '../link-paths.ts'
import { parseBody, parseExpiry, parsePath } from './link.ts'

function folderWith(text: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tidemark.yaml'), text)
  return folder
}
const textOf = (folder: string) => readFileSync(join(folder, 'tidemark.yaml'), 'utf8')
const create = (folder: string, path: string, ...more: readonly string[]) =>
  tidemark(folder, 'link', 'create', '--path', path, '--expires', '90d', ...more)

test('comments are kept, and revoking the last added link restores the file', async () => {
  const folder = folderWith('# ours\naccounts:\n  - id: acme  # us\n')
  await create(folder, '/v1/slos', '--name', 'first')
  const one = textOf(folder)
  expect(one).toMatch(
    /^# ours\naccounts:\n {2}- id: acme {2}# us\n {4}links:\n {6}- \{ id: "\w{8}", name: "first", path: "\/v1\/slos", signature: "hmac-sha256:[0-9a-f]{64}", created: \S+Z, expires: \S+Z \}\n$/,
  )
  expect(parseConfig(one, {})).toHaveProperty('config.links[0].name', 'first')
  await create(folder, '/v1/slos', '--name', 'second')
  await tidemark(folder, 'link', 'revoke', '--name', 'second')
  expect(textOf(folder)).toBe(one)
})

test('the body of a link is in the file, signed and without variables, and is listed', async () => {
  const folder = configuredFolder()
  const asked = '{"metrics": ["availability"], "checks": {"tags": ["$' + '{HOME}"]}}'
  const { stdout } = await create(folder, '/v1/analytics/query?format=csv', '--body', asked, '--name', 'fleet')
  expect(stdout).toMatch(/^\/v1\/analytics\/query\?format=csv&link=tdl_/)
  const parsed = parseConfig(textOf(folder), {})
  const link = 'config' in parsed ? parsed.config.links[0] : undefined
  expect(JSON.parse(link?.body ?? '')).toEqual(JSON.parse(asked))
  const token = /link=(\S+)/.exec(stdout)?.[1] ?? ''
  expect(link && isSigned(token, link)).toBe(true)
  expect((await tidemark(folder, 'link', 'list')).stdout).toContain('/v1/analytics/query?format=csv {"metrics":["availability"]')
  expect(() => parseBody('{metrics}')).toThrow('It must be JSON')
})

test('without a name, a link is named and revoked by its id', async () => {
  const folder = configuredFolder()
  const { stdout } = await create(folder, '/v1/slos')
  const id = /tdl_(\w{8})_/.exec(stdout)?.[1] ?? ''
  expect((await tidemark(folder, 'link', 'revoke', '--name', id)).exitCode).toBe(0)
  const again = await tidemark(folder, 'link', 'revoke', '--name', id)
  expect(again).toMatchObject({ exitCode: 1, stderr: `Account acme has no link ${id}. Its links: none.\n` })
})

test.each([
  ['/v1/analytics/outages?tag=a b', '/v1/analytics/outages?tag=a%20b'],
  ['/v1/analytics/outages?tag=größe', '/v1/analytics/outages?tag=gr%C3%B6%C3%9Fe'],
  ['/v1/analytics/outages?tag=$' + '{A}"', '/v1/analytics/outages?tag=%24%7BA%7D%22'],
  ['https://monitoring.example.com/v1/slos?format=csv', '/v1/slos?format=csv'],
])('the path %s is stored as clients send it', async (path, sent) => {
  const { stdout } = await create(configuredFolder(), path)
  expect(stdout.slice(0, stdout.indexOf('&link='))).toBe(sent)
})

test.each(['/metrics', '/v1/', '//', '', '/v1/slos#part', '/v1/slos?link=tdl_x', 'http://', '/v3/slos'])(
  'the path %j is rejected',
  (path) => {
    expect(() => parsePath(path)).toThrow('It must be a path of the API')
  },
)

test.each(['0d', '30s', '367d', 'never', '1e9d'])('the expiry %s is rejected', (expires) => {
  expect(() => parseExpiry(expires)).toThrow('It must be a duration from 1m to 366d')
})

test('a duplicate name and an unknown account are errors with a message', async () => {
  const folder = configuredFolder()
  await create(folder, '/v1/slos', '--name', 'sheet')
  expect((await create(folder, '/v1/slos', '--name', 'sheet')).stderr).toContain('already has a link sheet')
  expect((await create(folder, '/v1/slos', '--account', 'acma')).stderr).toContain('Nearest: acme')
})

test('an expired link is listed as such', async () => {
  const signature = `hmac-sha256:${'0'.repeat(64)}`
  const link = {
    id: 'Ab3dE9xQ',
    name: 'old',
    path: '/v1/slos',
    signature,
    created: '2020-01-01T00:00:00Z',
    expires: '2020-02-01T00:00:00Z',
  }
  const folder = folderWith(JSON.stringify({ accounts: [{ id: 'acme', links: [link] }] }))
  expect((await tidemark(folder, 'link', 'list')).stdout).toContain(
    'acme     old   tdl_Ab3dE9xQ_…  2020-01-01T00:00:00.000Z  expired  /v1/slos\n',
  )
})

test('faults of a link are reported with their lines', () => {
  const entry = (more: object) => ({
    id: 'Ab3dE9xQ',
    name: 'a',
    path: '/v1/slos',
    signature: `hmac-sha256:${'0'.repeat(64)}`,
    created: '2026-01-01T00:00:00Z',
    expires: '2026-02-01T00:00:00Z',
    ...more,
  })
  const faultsOf = (...links: readonly object[]) => {
    const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', links }] }), {})
    return 'faults' in parsed ? parsed.faults.map(({ text }) => text) : []
  }
  expect(faultsOf(entry({}))).toEqual([])
  expect(faultsOf(entry({ expires: 'soon' }))).toEqual(['accounts[0].links[0].expires must be a time such as 2026-11-20T22:00:00Z'])
  expect(faultsOf(entry({ path: '/health/live' }))).toEqual(['accounts[0].links[0].path must be a path such as /v1/slos?format=csv'])
  expect(faultsOf(entry({ body: '{' }))).toEqual(['accounts[0].links[0].body must be a JSON text of at most 10,000 characters'])
  expect(faultsOf(entry({}), entry({ name: 'b' }))).toEqual(['accounts[0].links[1].id repeats the id of accounts[0].links[0].id'])
  expect(faultsOf(entry({}), entry({ id: 'Ab3dE9xR' }))).toEqual([
    'accounts[0].links[1].name repeats the name of accounts[0].links[0].name',
  ])
})

test.each([
  ['/v1/sloss', 'A link cannot answer /v1/sloss. Nearest: /v1/slos'],
  ['/v1/analytics/query', '/v1/analytics/query requires POST: pass the body with --body.'],
  ['/v1/agents/checks', 'A link cannot answer /v1/agents/checks.'],
])('a link to %s is rejected with a message', async (path, words) => {
  const { exitCode, stderr } = await create(configuredFolder(), path)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
})

type Operation = { readonly security?: readonly object[]; readonly tags: readonly string[] }

/** Endpoints that exist only for clients of another service and have nothing to link to. */
const forClients = 'Account'

test('linkable paths match the API', async () => {
  const api = await openTestApp({})
  const { paths } = (await api.get('/openapi.json', {})).body as { paths: Record<string, { get?: Operation; post?: object }> }
  await api.close()
  const isLinked = ({ get }: { get?: Operation }) => get?.security?.some((one) => 'link' in one) && !get.tags.includes(forClients)
  const read = Object.keys(paths).filter((path) => isLinked(paths[path] ?? {}) && !path.endsWith('/stream'))
  expect(linkedPaths.toSorted()).toEqual(read.toSorted())
  for (const path of linkedPosts) expect(paths[path]).toHaveProperty('post')
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { account, readKey, testCatalogue, testKey, writeCredentials, writeKey } from '../../../test/support/catalogue.ts'
import { command } from '../../../test/support/command.ts'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { buildCatalogue } from '../../catalogue/build.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { wirePath } from '../../catalogue/wire/index.ts'

const check = (id: string, more: object = {}): Record<string, unknown> => ({ ...exampleCheck(anyRunType()), id, name: id, ...more })
const fileOf = (checks: readonly object[], more: object = {}) => JSON.stringify({ ...more, accounts: [{ id: account, checks }] })
const many = Array.from({ length: 150 }, (_, i) => check(`many-${i}`))

const unchanged = '0 added, 0 changed, 0 removed, 153 unchanged. Nothing else is compared.\n'

let api: TestApp
let url: string
beforeAll(async () => {
  const parsed = parseConfig(fileOf([check('kept'), check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many]), {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const keys = [testKey(readKey, account, ['read']), testKey(writeKey, account, ['read', 'write'])]
  const catalogue = testCatalogue({ checks: buildCatalogue(parsed.config, []).allChecks(), keys })
  api = await openTestApp({ catalogue, managed: true })
  url = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

function diff(text: string, env = {}) {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  writeFileSync(file, text)
  return command({ TIDEMARK_CONFIG: file, TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account, ...env }, ['diff'])
}

test('tidemark diff says which checks a file would add, change and remove', async () => {
  const { tags: _, ...rest } = check('slow', { frequency: '1m', maxResponseTime: 500 })
  expect(await diff(fileOf([check('kept'), rest, check('new'), ...many]))).toEqual({
    exitCode: 1,
    stderr: '',
    stdout: [
      `+ new  new (${anyRunType().type})`,
      `~ slow  slow (${anyRunType().type})`,
      '    tags: ["web"] → (none)',
      '    frequency: 5m → 1m',
      '    maxResponseTime: (none) → 500',
      `- old  old (${anyRunType().type})`,
      'Checks: 1 added, 1 changed, 1 removed, 151 unchanged. Nothing else is compared.',
      '',
    ].join('\n'),
  })
})

test('tidemark diff takes a file that says the same by defaults for the same', async () => {
  const { frequency: _, ...rest } = check('kept')
  const same = fileOf([rest, check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many], { defaults: { frequency: '1m' } })
  expect(await diff(same)).toEqual({ exitCode: 0, stderr: '', stdout: `Checks: ${unchanged}` })
})

test('tidemark diff takes managed checks for no difference, and names those that the file has, too', async () => {
  const managed = [check('managed'), check('both')]
  for (const { id, type, ...rest } of managed) {
    const added = await api.call({
      method: 'POST',
      url: `/v1/checks/${wirePath(anyRunType())}`,
      headers: writeCredentials,
      payload: { definition: { id, type, ...rest } },
    })
    expect(added.status).toBe(201)
  }
  const file = [check('kept'), check('slow', { frequency: '5m', tags: ['web'] }), check('old'), ...many]
  expect(await diff(fileOf(file))).toEqual({ exitCode: 0, stderr: '', stdout: `Checks: ${unchanged}` })
  expect(await diff(fileOf([...file, check('both', { frequency: '7m' })]))).toEqual({
    exitCode: 0,
    stderr: 'The check both is managed over the API, so that its entry in the file is not applied.\n',
    stdout: `Checks: ${unchanged}`,
  })
})

test('tidemark diff fails with 2 where there is no answer', async () => {
  expect(await diff(fileOf([]), { TIDEMARK_KEY: 'tdm_wrong' })).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await diff(fileOf([]), { TIDEMARK_ACCOUNT: 'other' })).toMatchObject({ exitCode: 2, stdout: '' })
})

test('the schemas are open to editors, and tidemark schema prints them', async () => {
  for (const [path, args] of [
    ['/tidemark.schema.json', ['schema']],
    ['/tidemark.included.schema.json', ['schema', '--included']],
  ] as const) {
    const { status, text, headers } = await api.get(path, {})
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('application/schema+json')
    expect(JSON.parse((await command({}, args)).stdout)).toEqual(JSON.parse(text))
  }
})

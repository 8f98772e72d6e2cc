// @slow ci
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkTypes as registry } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck, testSlo } from '../support/catalogue.ts'
import { checkTypes, installClient, runExample } from '../support/client-package.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const readme = read('src/client/README.md')
const recipes = read('docs/recipes.md')
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
const section = (title: string) => recipes.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''

/** Each block after the first gets its own scope. */
const [setUp = '', ...examples] = blocks(readme, 'ts')
const [recipe = ''] = blocks(section('TypeScript'), 'ts')
const program = [setUp, ...examples.map((example) => `{\n${example}}\n`)].join('\n')
/** The only part of the examples that is not also JavaScript. */
const withoutTypes = (text: string) => text.replaceAll(' as const', '')

const now = Date.UTC(2026, 10, 14, 12)
const [home = testCheck(anyRunType())] = registry
  .filter(({ path }) => readme.includes(`/${path}/`))
  .map((checkType) => testCheck(checkType, { id: 'home', name: 'Home page' }))

let api: TestApp
let folder: string
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  const results = [1, 2, 3].map((minutes) => testResult(home, now - minutes * 60_000, { hasFailures: minutes === 2, error: 'refused' }))
  api = await openTestApp({ catalogue: testCatalogue({ checks: [home], policies: { slos: [testSlo('shop')] } }), results, now })
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  env = { TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }
  folder = await installClient()
}, 300_000)
afterAll(() => api.close())

describe('the packed client, installed in an empty folder', () => {
  test('has correct types for the examples of its README and the recipe, and rejects a wrong metric', { timeout: 120_000 }, async () => {
    const wrong = program.replace("'responseTime_p95'", "'responsTime_p95'")
    await expect(checkTypes(folder, [program, recipe, wrong])).rejects.toThrow(/^program-2\.ts\S* error .*responsTime_p95.*\n$/)
  })

  test('runs the examples of its README', { timeout: 120_000 }, async () => {
    const lines = (await runExample(folder, withoutTypes(program), env)).trim().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^eu-west-1 66\.6\d* [0-9.]+$/),
      expect.stringMatching(/^Home page 66\.6\d* [0-9.]+$/),
      '2026-11-14T11:58:00.000Z Home page 60 s refused',
      expect.stringMatching(/^The shop .* missed .* runs left$/),
      '2026-11-14T11:57:00.000Z eu-west-1 false',
      '2026-11-14T11:58:00.000Z eu-west-1 true',
      '2026-11-14T11:59:00.000Z eu-west-1 false',
      expect.stringMatching(/^404 CHECK_NOT_FOUND /),
    ])
  })

  test('runs the recipe for TypeScript', { timeout: 120_000 }, async () => {
    expect(await runExample(folder, recipe, env)).toMatch(/name.*total.*success.*availability.*duration_p95[\s\S]*Home page/)
  })
})

test.each([
  ['the recipe for Grafana', section('Grafana')],
  ['docs/grafana.md', read('docs/grafana.md')],
])('the data source of %s sends the credentials that the API expects', async (_, page) => {
  const text = blocks(page, 'yaml').find((block) => block.includes('datasources:')) ?? ''
  const [{ type, uid, jsonData, secureJsonData }] = parse(text).datasources
  expect([type, uid, jsonData.auth_method]).toEqual(['yesoreyeram-infinity-datasource', 'tidemark', 'bearerToken'])
  const headers = {
    authorization: `Bearer ${secureJsonData.bearerToken.replace('$TIDEMARK_KEY', readKey)}`,
    [jsonData.httpHeaderName1]: secureJsonData.httpHeaderValue1,
  }
  expect((await api.get('/v1/checks', headers)).status).toBe(200)
})

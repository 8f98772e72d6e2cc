// @slow
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { openCatalogue } from '../../src/catalogue/open.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { sha256 } from '../../src/ids/sha256.ts'
import { minuteMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey } from '../support/catalogue.ts'
import { tidemark } from '../support/command.ts'
import { exampleCheck } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
const [recipes, spreadsheets] = [page('recipes'), page('spreadsheets')]
const section = (heading: string) => recipes.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
const block = (text: string, language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ''

const now = Date.parse('2026-11-14T10:00:00.000Z')
const env = { NO_PROXY: '127.0.0.1', TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }
const checkIds = ['homepage', 'one', 'another']

const [withoutPython, withoutR, withoutCurl] = await Promise.all(['python3', 'Rscript', 'curl'].map((name) => programMissing(name)))

let api: TestApp
let url: string
const folder = temporaryFolder()
const tokens = new Map<string, string>()

beforeAll(async () => {
  const described = checkTypes.find(({ path }) => recipes.includes(`/v1/analytics/${path}/homepage?`))
  if (!described) throw new Error('The recipes ask for no report of homepage.')
  const slos = [{ id: 'web', name: 'Web', objective: { kind: 'availability', target: 99 }, window: '30d' }]
  const keys = [{ name: 'reader', hash: sha256(readKey), scopes: ['read'] }]
  const checks = checkIds.map((id) => ({ ...exampleCheck(described), id, name: `The ${id}` }))
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [{ id: account, keys, checks, slos }] }))
  for (const args of linkCommands('create')) {
    const { stdout, stderr } = await tidemark(folder, ...args)
    const [path = '', token = ''] = stdout.trimEnd().split('&link=')
    expect([stderr, token]).toEqual(['', expect.stringMatching(/^tdl_/)])
    tokens.set(path, token)
  }
  const opened = await openCatalogue({
    file: join(folder, 'tidemark.yaml'),
    env: {},
    recordDefinitions: async (defined) => defined.map(() => ({ createdAt: 0, updatedAt: 0 })),
    now: () => now,
    log: { info: () => undefined, error: () => undefined },
  })
  api = await openTestApp({ catalogue: opened.catalogue, results: opened.catalogue.allChecks().flatMap(anHour), now })
  await opened.close()
  url = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

/** Every minute of an hour; the first ten fail. */
function anHour(check: Check) {
  return Array.from({ length: 60 }, (_, i) => testResult(check, now - (60 - i) * minuteMs, { hasFailures: i < 10 }))
}

/** The arguments of each `tidemark link …` on the pages. */
function linkCommands(verb: string): readonly (readonly string[])[] {
  const lines = `${recipes}\n${spreadsheets}`.split('\n').filter((line) => line.startsWith(`npx tidemark link ${verb}`))
  return lines.map((line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(2))
}

/** The response to a link on the page, with the token that `link create` has printed for it. */
async function askLink(text: string): Promise<readonly string[]> {
  const path = /"https:\/\/monitoring\.example\.com(\/v1\/[^"]*)&link=tdl_…"/.exec(text)?.[1] ?? ''
  const answer = await fetch(`${url}${path}&link=${tokens.get(path)}`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
  return (await answer.text()).split('\r\n')
}

const run = async (program: string, args: readonly string[]) =>
  (await promisify(execFile)(program, args, { env: { ...process.env, ...env, TIDEMARK_URL: url } })).stdout

describe('recipes', () => {
  test('Google Sheets: the URL of the formula matches the link, and returns a table', async () => {
    const [header, ...rows] = await askLink(block(section('Google Sheets'), 'text'))
    expect(header).toBe('period,total,success,availability,responseTime_p95')
    expect(rows[0]).toMatch(/^2026-11-14T00:00:00\.000Z,60,50,83\.33333333333334,[\d.]+$/)
  })
  test('Excel: the query gives a type to every column of the table', async () => {
    const query = block(section('Excel'), 'text')
    const [header] = await askLink(query)
    expect([...query.matchAll(/\{"(\w+)", /g)].map(([, name]) => name).join()).toBe(header)
  })
  test('Python: the script prints the outages', needing(withoutPython ?? null), async () => {
    const stdout = await run('python3', ['-c', block(section('Python'), 'python')])
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual(checkIds.toSorted().map((id) => `The ${id}\t2026-11-14T09:00:00.000Z\t600.0`))
  })
  test('R: the script prints the seconds of each check', needing(withoutR ?? null), async () => {
    expect(await run('Rscript', ['-e', block(section('R'), 'r')])).toMatch(/The homepage +600/)
  })
})

describe('docs/spreadsheets.md', () => {
  const [, define = '', ...calls] = [...spreadsheets.matchAll(/^(?:export TIDEMARK|ask).*$/gm)].map(([line]) => line)

  test.each(calls)('%s', needing(withoutCurl ?? null), async (call) => {
    const lines = (await run('sh', ['-c', `${define}\n${call}`])).split('\r\n')
    expect(lines[0]).toMatch(/^\w+(,[\w.]+)+$/)
    expect(lines.length).toBeGreaterThan(2)
  })
  test('a link with a body returns the response of the POST', async () => {
    const path = '/v1/analytics/query?format=csv'
    const answer = await fetch(`${url}${path}&link=${tokens.get(path)}`)
    expect([answer.status, (await answer.text()).split('\r\n')[0]]).toEqual([200, 'check,name,total,success,availability,duration_p95'])
  })
  test('its links can be listed and revoked', async () => {
    expect(calls.length).toBe(6)
    const copy = temporaryFolder()
    cpSync(join(folder, 'tidemark.yaml'), join(copy, 'tidemark.yaml'))
    const [list = []] = linkCommands('list')
    expect((await tidemark(copy, ...list)).stdout).toContain('SLO sheet')
    for (const args of linkCommands('revoke')) expect(await tidemark(copy, ...args)).toMatchObject({ exitCode: 0 })
    expect((await tidemark(copy, ...list)).stdout).not.toContain('SLO sheet')
  })
})

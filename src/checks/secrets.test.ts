// @slow ci
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { builtCommand } from '../../test/support/built-command.ts'
import { chromiumMissing } from '../../test/support/chromium.ts'
import { runProgram, startProgram } from '../../test/support/program.ts'
import { closedPort, httpServer, tcpServer } from '../../test/support/servers.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkTypes } from './registry.ts'

vi.setConfig({ testTimeout: 180_000 })

const hasChromium = (await chromiumMissing()) === null

const secrets = {
  SHOP_LOGIN: 'Tell/No "one" 4711&é',
  SHOP_WORD: 'wordOfMouth-4711',
  SIGN_TOKEN: 'sign.example',
  PING_WORD: 'ping-word-of-4711-letters',
}
const variable = (name: keyof typeof secrets | 'HOOK') => `$\{${name}}`
const login = variable('SHOP_LOGIN')
const word = variable('SHOP_WORD')

/** Each secret in its spellings, and its beginning, which would remain if a text were truncated before redaction. */
const unspeakable = [
  ...['/Tel', 'No "one"', 'No \\"one', 'Tell%2F', 'tell%2f', '%22one%22', 'xoxb', 'sign.example', 'wordOf', 'ping-word'],
  ...Object.values(secrets).map((text) => Buffer.from(text).toString('base64')),
]

/** Echoes the request, complete and truncated, in headers, body and redirects. */
const echo: RequestListener = (message, answer) => {
  const parts: Buffer[] = []
  message.on('data', (part: Buffer) => parts.push(part))
  message.on('end', () => {
    const said = [message.url, decodeURIComponent(message.url ?? ''), JSON.stringify(message.headers), Buffer.concat(parts).toString()]
    if (message.url?.startsWith('/away/'))
      answer.writeHead(302, { location: `/found/${message.url.slice(6)}?again=${message.url.slice(6)}` })
    else answer.writeHead(message.url?.startsWith('/found/') ? 500 : 200, { 'x-said': encodeURIComponent(said.join(' ')) })
    answer.end(`${'.'.repeat(196)}${said.join('\n')}`)
  })
}

const script = `
  import { expect, test } from '@playwright/test'
  test('tells ' + process.env.SIGN, async ({ request }) => {
    console.log(process.env.SIGN, encodeURIComponent(process.env.SIGN), JSON.stringify(process.env.SIGN))
    await request.get(process.env.SITE + '/' + process.env.SIGN)
    expect(process.env.SIGN).toBe('something else')
  })`

async function writeConfig(folder: string) {
  const site = `http://127.0.0.1:${await httpServer(echo)}`
  const nobody = await closedPort()
  const talker = await tcpServer((socket) => socket.on('data', (data) => socket.end(`heard ${data}`)))
  for (const path of ['steps.ts', 'suite/a.spec.ts']) writeBeside(folder, path, script)
  writeBeside(folder, 'suite/playwright.config.ts', 'export default {}')
  const wrong = [{ source: 'textBody', comparison: 'equals', target: `not ${login}` }]
  const wrongHeader = [{ source: 'headers', property: 'x-said', comparison: 'contains', target: `not ${login}` }]
  const wrongData = [{ source: 'responseData', comparison: 'equals', target: login }]
  const api = (request: object) => ({ type: 'API', request: { url: site, ...request } })
  const environment = { SITE: site, SIGN: login }
  const checks = {
    path: api({ url: `${site}/${login}/health`, assertions: wrong }),
    away: api({ url: `${site}/away/${login}` }),
    query: api({ query: { q: login }, assertions: wrong }),
    header: api({ headers: { 'x-word': `word ${word}` }, assertions: wrong }),
    body: api({ method: 'POST', body: `say ${login}`, assertions: wrongHeader }),
    user: api({ url: site.replace('//', `//me:${word}@`), assertions: wrong }),
    hook: api({ url: `${variable('HOOK')}/health`, assertions: wrong }),
    [`signed ${variable('SIGN_TOKEN')}`]: api({ url: `${site}/${variable('SIGN_TOKEN')}` }),
    refused: { type: 'URL', request: { url: `http://127.0.0.1:${nobody}/${login}` } },
    talk: { type: 'TCP', request: { hostname: '127.0.0.1', port: talker, data: login, assertions: wrongData } },
    lookup: { type: 'DNS', request: { query: `${word}.invalid`, nameServer: '127.0.0.1', port: nobody, protocol: 'TCP' } },
    steps: { type: 'MULTI_STEP', script: 'steps.ts', environment },
    suite: { type: 'PLAYWRIGHT', directory: 'suite', environment },
    ...(hasChromium && { page: { type: 'BROWSER', url: `${site}/${login}` } }),
  }
  const run = Object.entries(checks).map(([name, check]) => ({ name, frequency: '10m', ...check }))
  const pinged = { name: 'job', type: 'HEARTBEAT', heartbeat: { period: '1h', token: variable('PING_WORD') } }
  writeBeside(folder, 'tidemark.yaml', stringify({ accounts: [{ id: 'acme', publicBadges: true, checks: [...run, pinged] }] }))
  writeBeside(folder, 'faulty.yaml', stringify({ accounts: [{ id: 'acme', checks: [{ name: 'one', type: login }, faulty(site)] }] }))
  return { site, runs: run.length, env: { ...secrets, HOOK: `${site}/services/T0815/xoxb-nobody-else` } }
}

function faulty(url: string) {
  const assertions = [{ source: 'textBody', comparison: 'matches', target: `(${word}` }]
  return { name: 'two', type: 'API', frequency: '10m', request: { url, assertions } }
}

function writeBeside(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Not run by the command: they start and print like multistep scripts, and the server has already run them. */
const runAlike = new Set(['suite', 'page'])

type Described = { readonly id: string; readonly name: string; readonly checkType: string; readonly request: { readonly url?: string } }

type Status = { readonly lastCheckRunId: string | null }

function questions({ id, checkType }: Described): readonly string[] {
  const { path = '', groupBy = [], metrics = {} } = checkTypes.find(({ type }) => type === checkType) ?? {}
  const names = [...Object.keys(metrics), 'availability'].join()
  return [
    ...['/v1/checks', '/v1/check-statuses', '/v1/check-results', '/v2/check-results', '/v1/badges/checks'].map((base) => `${base}/${id}`),
    `/v1/checks/${id}/definition`,
    `/v1/check-results/${id}/export?format=csv`,
    ...['', ...groupBy.map(({ name }) => `&groupBy=${name}`)].map((group) => `/v1/analytics/${path}/${id}?metrics=${names}${group}`),
  ]
}

/** The newest run, with its evidence. */
function newestRun({ id }: Described, results: string): string {
  const [run] = JSON.parse(results) as readonly { readonly id: string }[]
  return `/v1/check-results/${id}/${run?.id}`
}

test('values of variables in checks appear in no response, result, log or output', async () => {
  const folder = temporaryFolder()
  const { site, runs, env } = await writeConfig(folder)
  const config = join(folder, 'tidemark.yaml')
  const key = (await runProgram(['key', 'create', '--config', config, '--account', 'acme', '--name', 'me'], { env })).stdout.trim()
  const args = ['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0']
  const server = await startProgram(args, { env: { ...env, TIDEMARK_LOG: 'debug' } })
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}`, 'x-service-account': 'acme' } })
    expect(answer.status, path).toBe(200)
    return answer.text()
  }
  await ask(`/ping/${secrets.PING_WORD}/fail`)
  const checks = JSON.parse(await ask('/v1/checks?limit=100')) as readonly Described[]
  const neverRan = async () => (JSON.parse(await ask('/v1/check-statuses')) as readonly Status[]).filter((status) => !status.lastCheckRunId)
  await expect.poll(neverRan, { timeout: 120_000, interval: 500 }).toEqual([])

  const answers: string[] = []
  for (const path of ['/v1/checks?limit=100', '/v1/check-statuses', ...checks.flatMap(questions)]) answers.push(await ask(path))
  for (const check of checks) answers.push(await ask(newestRun(check, await ask(`/v1/check-results/${check.id}`))))
  expect(answers.join()).toContain('"evidence":{')
  answers.push(await ask('/v1/analytics/failures'))
  const printed: string[] = []
  for (const { id } of checks.filter(({ name }) => !runAlike.has(name)))
    printed.push(...said(await builtCommand({ ...process.env, ...env, TIDEMARK_CONFIG: config }, ['run', id])))
  expect(printed.join(), 'what failed').toContain('not •••')
  const validated = await runProgram(['validate', '--config', join(folder, 'faulty.yaml')], { env })
  copyFileSync(join(folder, 'faulty.yaml'), config)
  await expect.poll(() => server.logged(), { timeout: 60_000 }).toContain('has changed but is invalid')
  const stopped = await server.stop()

  const shown = [...answers, ...printed, ...said(validated), ...said(stopped)].join('\n')
  for (const text of unspeakable) expect(shown).not.toContain(text)
  expect(validated.stderr).toContain('unknown check type •••')
  expect(stopped.stderr).toContain('has changed but is invalid')
  const urls = Object.fromEntries(checks.map(({ name, request }) => [name, request.url]))
  expect(urls).toMatchObject({ path: `${site}/•••/health`, hook: `${site}/•••/health`, 'signed •••': `${site}/•••`, user: `${site}/` })
  expect(shown.split('•••').length).toBeGreaterThan(3 * runs)
})

function said({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): readonly string[] {
  return [stdout, stderr]
}

// @slow
import { execFile, spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const recipes = text('docs/recipes.md')
const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

/** The blocks of a language in the section of that heading. */
function blocks(heading: string, language: string): readonly string[] {
  const section = recipes.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

const [shop, blog] = ['Shop', 'Blog'].map((name) => testCheck(anyRunType(), { id: name.toLowerCase(), name }))
if (!shop || !blog) throw new Error('There are no checks.')

const missing = (await programMissing('jq')) ?? (await programMissing('curl'))

describe('the recipes for scripts', { ...needing(missing), timeout: 60_000 }, () => {
  let api: TestApp
  let url = ''
  beforeAll(async () => {
    const results = [0, 1, 2, 3].map((hours) => testResult(shop, Date.now() - hours * hourMs))
    const failed = testResult(blog, Date.now(), { hasFailures: true, error: 'status 503' })
    api = await openTestApp({ catalogue: testCatalogue({ checks: [shop, blog] }), results: [...results, failed], now: Date.now })
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => api.close())

  const surroundings = (address = url) => ({
    cwd: temporaryFolder(),
    env: { ...process.env, TIDEMARK_URL: address, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account },
  })
  const typed = (line: string) => line.replace('npx tidemark', `"${process.execPath}" "${program}"`)
  const type = (line: string, where = surroundings()) =>
    promisify(execFile)('sh', ['-c', typed(line)], where).then(
      ({ stdout }) => ({ status: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
    )
  const jq = blocks('jq', 'sh')

  test('jq makes a table of a report', async () => {
    expect(await type(jq[0] ?? '')).toMatchObject({ status: 0, stdout: 'Blog\t0\nShop\t100\n' })
  })

  test('jq lists the checks that fail', async () => {
    expect(await type(jq[1] ?? '')).toMatchObject({ status: 0, stdout: 'Blog\n' })
  })

  test('jq prints failures as they happen', async () => {
    const running = spawn('sh', ['-c', typed(jq[2] ?? '')], { ...surroundings(), detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void (running.pid && process.kill(-running.pid, 'SIGKILL')))
    let said = ''
    running.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    const append = async () => {
      await api.store.append([testResult(shop, Date.now()), testResult(blog, Date.now(), { hasFailures: true, error: 'status 503' })])
      return said
    }
    await expect.poll(append, { timeout: 30_000, interval: 500 }).toMatch(/^\S+Z Blog at eu-west-1: status 503\n/)
    expect(said).not.toContain('Shop')
  })

  test('a condition determines the exit status', async () => {
    const { status, stderr } = await type(jq[3] ?? '')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Failed: availability < 50: check blog, name Blog, availability 0\n$/)
  })

  test('Markdown is written to a file for a comment', async () => {
    const where = surroundings()
    const [line = ''] = blocks('GitHub Actions', 'sh')
    expect(await type(line, where)).toMatchObject({ status: 0 })
    expect(readFileSync(join(where.cwd, 'report.md'), 'utf8')).toContain('| shop | Shop | ')
  })

  test('the status line shows failing checks, that none fails, and that the server is unreachable', async () => {
    const file = join(temporaryFolder(), 'tidemark-status')
    writeFileSync(file, blocks('Status line for a terminal', 'sh file=tidemark-status').join(''))
    chmodSync(file, 0o755)
    await api.store.append([testResult(blog, Date.now(), { hasFailures: true })])
    expect((await type(file)).stdout).toBe('✗ Blog\n')
    await api.store.append([testResult(blog, Date.now() + 1)])
    expect((await type(file)).stdout).toBe('✓ no check fails\n')
    expect((await type(file, surroundings('http://127.0.0.1:9'))).stdout).toBe('? Tidemark does not answer\n')
  })
})

test('the step for GitHub Actions uses inputs of the action', () => {
  const [step] = parse(blocks('GitHub Actions', 'yaml').join(''))
  const { inputs } = parse(text('integrations/github/action.yml'))
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)))
})

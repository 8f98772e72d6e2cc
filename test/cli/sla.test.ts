// @slow ci
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { sheetFormats } from '../../src/cli/sla/read-sheet.ts'
import type { SealedSheet } from '../../src/cli/sla/sheet-schema.ts'
import { command, tidemark } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const start = Date.parse('2024-09-30T22:00:00.000Z')
const stepMs = 1_800_000
const perMonth = 745 * 2
const [first, second] = [120, 1000]
const failing = new Set([first, first + 1, first + 2, first + 3, first + 4, second, second + 1])
const at = (i: number) => new Date(start + i * stepMs).toISOString()

const row = (checkId: string, i: number) => ({
  checkId,
  startedAt: at(i),
  runLocation: 'eu-west-1',
  hasFailures: checkId === 'checkout' && failing.has(i),
  ...(checkId === 'checkout' && failing.has(i) && { error: i === first ? 'first <error>' : '=got 503' }),
})

/** October 2024 in Berlin, which includes a clock change: a result each half hour, two outages, the second in maintenance. */
const folder = temporaryFolder()
let server: ServerProcess
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  const check = (id: string, tags: readonly string[]) => ({
    ...exampleCheck(anyRunType()),
    ...{ id, name: id === 'checkout' ? 'Checkout <live>' : id, tags, frequency: '30m', locations: ['eu-west-1'] },
  })
  const account = {
    id: 'acme',
    checks: [check('checkout', ['shop']), check('search', ['shop', 'web']), check('blog', ['web'])],
    maintenance: [{ name: 'Database move', from: at(second), to: at(second + 12), tags: ['shop'] }],
    serviceHours: [{ name: 'night', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '06:00' }],
  }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ retention: '3650d', accounts: [account] }))
  const rows = ['checkout', 'search'].flatMap((id) => Array.from({ length: perMonth + 24 }, (_, i) => row(id, i - 12)))
  writeFileSync(join(folder, 'results.ndjson'), rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
  expect(await tidemark(folder, 'import', join(folder, 'results.ndjson'))).toMatchObject({ exitCode: 0 })
  server = await serve(folder)
  env = { TIDEMARK_URL: server.url, TIDEMARK_KEY: server.key, TIDEMARK_ACCOUNT: 'acme' }
}, 120_000)

const period = ['--month', '2024-10', '--timezone', 'Europe/Berlin']

describe('tidemark sla', { timeout: 60_000 }, () => {
  test('writes figures, outages, maintenance and hashes of the selected checks', async () => {
    const { stdout, stderr, exitCode } = await command(env, ['sla', '--tag', 'shop', ...period, '--format', 'json'])
    expect([exitCode, stderr]).toEqual([0, ''])
    const { sheet } = JSON.parse(stdout) as SealedSheet
    const [checkout, search] = sheet.checks
    expect(sheet.checks.map(({ id }) => id)).toEqual(['checkout', 'search'])
    expect(checkout?.byRuns).toEqual({ total: perMonth, success: perMonth - 7, availability: ((perMonth - 7) / perMonth) * 100 })
    expect(checkout?.byTime).toMatchObject({ downSeconds: 9000, maintenanceSeconds: 21_600, degradedSeconds: 0, unknownSeconds: 0 })
    expect(checkout?.byTime.upSeconds).toBeCloseTo(745 * 3600 - 0.001 - 30_600, 6)
    expect(checkout?.outages).toMatchObject([
      { from: at(first), to: at(first + 5), seconds: 9000, reason: '=got 503', locations: ['eu-west-1'], maintenance: false },
      { from: at(second), to: at(second + 2), seconds: 3600, maintenance: true },
    ])
    expect(search?.byTime.availability).toBe(100)
    expect(sheet.total.outages).toBe(2)
    expect(sheet.maintenance).toEqual([{ name: 'Database move', from: at(second), to: at(second + 12), checkIds: ['checkout', 'search'] }])
    const { from, to } = sheet.window
    const exported = (await tidemark(folder, 'export', '--check', 'checkout', '--from', from, '--to', to)).stdout
    const sha256 = createHash('sha256').update(exported).digest('hex')
    expect(checkout?.evidence).toEqual({ results: perMonth, bytes: Buffer.byteLength(exported), sha256 })
  })

  test('passes the policy options on to the server', async () => {
    const downSeconds = async (...args: readonly string[]) => {
      const { stdout } = await command(env, ['sla', '--check', 'checkout', ...period, '--format', 'json', ...args])
      return (JSON.parse(stdout) as SealedSheet).sheet.total.byTime.downSeconds
    }
    expect(await downSeconds('--maintenance', 'include')).toBe(12_600)
    expect(await downSeconds('--maintenance', 'include', '--min-outage', '61m')).toBe(9000)
    expect(await downSeconds('--quorum', '2')).toBe(0)
    expect(await downSeconds('--service-hours', 'night')).toBe(0)
  })

  test('rejects invalid options with a specific message', async () => {
    const refusals: readonly (readonly [readonly string[], string, number?])[] = [
      [['--tag', 'shopp', ...period], 'No check has the tag shopp. Nearest: shop', 2],
      [['--check', 'chekout', ...period], 'No check with the id chekout. Nearest: checkout', 2],
      [['--check', 'checkout', '--tag', 'web', ...period], 'No check matches.'],
      [['--check', 'checkout', ...period, '--service-hours', 'nights'], 'night'],
      [['--tag', 'shop'], 'A window is required'],
      [['--tag', 'shop', ...period, '--out', 'october.pdf'], 'october.pdf has no known extension'],
    ]
    for (const [args, words, exitCode = 1] of refusals)
      expect(await command(env, ['sla', ...args])).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(words) })
  })
})

describe('tidemark sla verify', { timeout: 60_000 }, () => {
  test('detects figures that were edited in the page although its data matches the store', async () => {
    const file = join(folder, 'october.html')
    await command(env, ['sla', '--tag', 'shop', ...period, '--out', file])
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('>2 h 30 min<', '>30 min<'))
    const { stdout, exitCode } = await command(env, ['sla', 'verify', file])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('the page shows "30 min", the data say "2 h 30 min"')
    expect(stdout).toMatch(/✗ whole file +was changed at line \d+/)
    expect(stdout).toMatch(/\n2 of \d+ statements do not match\.\n$/)
  })

  test('names a file that it cannot use', async () => {
    const env = { TIDEMARK_KEY: 'k' }
    const file = join(temporaryFolder(), 'none.html')
    expect(await command(env, ['sla', 'verify', file])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be read') })
    writeFileSync(file, '<p>Hello</p>')
    expect(await command(env, ['sla', 'verify', file])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not a sheet') })
  })
})

describe('docs/sla.md', { ...needing(await programMissing('sha256sum')), timeout: 120_000 }, () => {
  const text = readFileSync(new URL('../../docs/sla.md', import.meta.url), 'utf8')
  const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))
  const lines = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))

  test('has commands that work in order, and give the same hash from server, data folder and sheet', async () => {
    const outputs: string[] = []
    for (const line of lines) {
      const typed = line.replace('npx tidemark', `"${process.execPath}" "${program}"`).replaceAll('2026-10', '2024-10')
      const { stdout } = await promisify(execFile)('sh', ['-c', typed], { cwd: folder, env: { ...process.env, ...env } })
      outputs.push(stdout)
    }
    expect(lines).toHaveLength(6)
    expect(outputs[3]).toMatch(/All \d+ statements match/)
    const hash = outputs[4]?.slice(0, 64) ?? ''
    expect(outputs[5]).toBe(outputs[4])
    expect(readFileSync(join(folder, 'october.html'), 'utf8')).toContain(`>${hash}<`)
  })
})

/** Has to be last, since it changes results that other sheets cover. */
describe('tidemark sla verify, when results arrive late', { timeout: 60_000 }, () => {
  let late = 500.5
  test('confirms that every statement of a sheet matches, in every format, and then reports those that no longer do', async () => {
    const files = sheetFormats.map((format) => join(folder, `october.${format}`))
    for (const file of files) {
      expect(await command(env, ['sla', '--tag', 'shop', ...period, '--out', file])).toMatchObject({ exitCode: 0, stdout: '' })
      const { stdout, exitCode } = await command(env, ['sla', 'verify', file])
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\nAll \d+ statements match\.\n$/)])
    }
    late += 4
    await server.post([{ ...row('search', 500), startedAt: at(late), hasFailures: true, error: 'late' }])
    for (const file of files) {
      const { stdout, exitCode } = await command(env, ['sla', 'verify', file])
      expect(exitCode).toBe(1)
      expect([...stdout.matchAll(/^ {2}✗ (.+?) {2}/gm)].map(([, subject]) => subject)).toEqual([
        ...['search results', 'search by runs', 'search by time', 'search outages', `search outage ${at(late)}`],
        ...['total by runs', 'total by time'],
      ])
      expect(stdout).toContain('✓ checkout results')
    }
  })
})

// @slow
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { serve } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { storeManagedCheck } from '../support/stored-check.ts'

const start = Date.UTC(2026, 9, 1)
const [type] = checkTypes
if (!type) throw new Error('there are no check types')
const row = (i: number, checkId = type.path) => ({
  checkId,
  startedAt: new Date(start + i * 60_000).toISOString(),
  runLocation: 'eu-west-1',
  hasFailures: i % 7 === 0,
  ...(i % 7 === 0 && { error: '=cmd|calc' }),
})
const ndjson = (rows: readonly unknown[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('')
const many = Array.from({ length: 6000 }, (_, i) => row(i))

describe('tidemark import', () => {
  test('stores the rows of a file, and counts duplicates when run again', async () => {
    const folder = configuredFolder()
    const file = write(folder, 'results.ndjson', ndjson(many))
    expect(await tidemark(folder, 'import', file)).toEqual({
      stdout: `${file}: 6000 accepted, 0 duplicates, 0 rejected\n`,
      stderr: '',
      exitCode: 0,
    })
    const again = write(folder, 'more.ndjson.gz', gzipSync(ndjson([...many, row(20_000)])))
    expect((await tidemark(folder, 'import', file, again)).stdout).toBe(
      `${file}: 0 accepted, 6000 duplicates, 0 rejected\n${again}: 1 accepted, 6000 duplicates, 0 rejected\n`,
    )
  })

  test('writes rejected rows with their reasons to a file, and exits with a failure', async () => {
    const folder = configuredFolder()
    const bad = { ...row(1), nonsense: 1 }
    const file = write(folder, 'results.ndjson', `${ndjson([row(0), bad])}oops\n${ndjson([{ ...row(2), checkId: 'nobody' }])}`)
    const { stdout, exitCode } = await tidemark(folder, 'import', file)
    expect(exitCode).toBe(1)
    expect(stdout).toBe(`${file}: 1 accepted, 0 duplicates, 3 rejected, see ${file}.rejected.ndjson\n`)
    const rejected = readFileSync(`${file}.rejected.ndjson`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rejected).toMatchObject([
      { line: 2, code: 'UNKNOWN_METRIC', row: bad },
      { line: 3, code: 'MALFORMED_ROW', row: null },
      { line: 4, code: 'UNKNOWN_CHECK' },
    ])
    writeFileSync(file, ndjson([row(0)]))
    expect((await tidemark(folder, 'import', file)).exitCode).toBe(0)
    expect(existsSync(`${file}.rejected.ndjson`)).toBe(false)
  })

  test('accepts results of managed checks of the data folder', async () => {
    const folder = configuredFolder()
    await storeManagedCheck(join(folder, 'data'), 'basket', 'The basket')
    const file = write(folder, 'results.ndjson', ndjson([row(0, 'basket')]))
    expect(await tidemark(folder, 'import', file)).toEqual({
      stdout: `${file}: 1 accepted, 0 duplicates, 0 rejected\n`,
      stderr: '',
      exitCode: 0,
    })
  })

  test('stores the rows before a truncation, and reports it', async () => {
    const folder = configuredFolder()
    const file = write(
      folder,
      'results.csv',
      `checkId,startedAt,runLocation,hasFailures\n${type.path},2026-10-01T00:00:00Z,eu,false\n"a"b\n`,
    )
    const { stdout, stderr, exitCode } = await tidemark(folder, 'import', file)
    expect([exitCode, stdout]).toEqual([1, `${file}: 1 accepted, 0 duplicates, 0 rejected\n`])
    expect(stderr).toContain('Line 3')
  })

  test('reports a missing file or account', async () => {
    const folder = configuredFolder()
    const file = write(folder, 'results.ndjson', '')
    expect(await tidemark(folder, 'import', join(folder, 'none'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('File not found'),
    })
    expect((await tidemark(folder, 'import', file, '--account', 'acmee')).stderr).toContain('Nearest: acme')
  })

  test('reports that a server does not respond before it retries', async () => {
    const folder = configuredFolder()
    let calls = 0
    const port = await httpServer((request, response) => {
      calls += 1
      if (calls === 1) request.destroy()
      else response.setHeader('content-type', 'application/json').end('{"accepted":1,"duplicates":0,"rejected":[]}')
    })
    const file = write(folder, 'results.ndjson', '{}\n')
    const url = `http://127.0.0.1:${port}/`
    const { exitCode, stderr } = await tidemark(folder, 'import', file, '--url', url, '--key', 'k', '--account', 'acme')
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^The server at http:\/\/127\.0\.0\.1:\d+\/ does not respond \(\w+\)\. Retrying in 0\.5 s\.\n/)
  })

  test('sends to a running server', async () => {
    const folder = configuredFolder()
    const key = (await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'feeder', '--scopes', 'read,ingest')).stdout.trim()
    const server = await serve(folder, { key })
    const who = ['--url', server.url, '--key', key, '--account', 'acme']
    expect((await tidemark(folder, 'import', write(folder, 'own.ndjson', ''))).stderr).toContain('Another Tidemark is using')
    const file = write(folder, 'results.ndjson', `${ndjson(many)}oops\n{"checkId":"${type.path}","startedAt":1e999}\n`)
    const { stdout, exitCode } = await tidemark(folder, 'import', file, ...who)
    expect([exitCode, stdout]).toEqual([1, `${file}: 6000 accepted, 0 duplicates, 2 rejected, see ${file}.rejected.ndjson\n`])
    expect(readFileSync(`${file}.rejected.ndjson`, 'utf8')).toMatch(/"line":6001,.*\n\{"line":6002,/)
    const exported = await tidemark(folder, 'export', '--check', type.path, ...who)
    expect(exported.stdout.split('\n')).toHaveLength(6001)
    expect(await tidemark(folder, 'export', '--check', type.path)).toEqual(exported)
    expect((await tidemark(folder, 'import', file, ...who.slice(0, 3), 'wrong', ...who.slice(4))).stderr).toContain(
      'The server returned 401',
    )
  })
})

describe('tidemark export', () => {
  test.each(['ndjson', 'csv'])('of every check, wiped and imported again as %s, gives the same bytes', async (format) => {
    const folder = configuredFolder()
    const rows = checkTypes.flatMap((checkType) =>
      Array.from({ length: 200 }, (_, i) => ({
        ...row(i * 11, checkType.path),
        ...sampleOf(checkType.type, i),
        ...(i % 3 === 0 && { id: `own-${i}` }),
      })),
    )
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson(rows)))
    const before = await exportAll(folder, format)
    expect(before.join('').split('\n').length).toBeGreaterThan(1800)
    rmSync(join(folder, 'data'), { recursive: true })
    const files = before.map((text, i) => write(folder, `back-${i}.${format}`, text))
    expect(await tidemark(folder, 'import', ...files)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await exportAll(folder, format)).toEqual(before)
  })

  test('covers the window', async () => {
    const folder = configuredFolder()
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson(many)))
    const { stdout } = await tidemark(folder, 'export', '--check', type.path, '--from', '2026-10-02', '--to', '2026-10-02T00:59:00Z')
    expect(stdout.trim().split('\n')).toHaveLength(60)
  })

  test('of all checks is the concatenation of their exports, including checks that are no longer configured', async () => {
    const folder = configuredFolder()
    const config = join(folder, 'tidemark.yaml')
    const rows = checkTypes.map((checkType, i) => ({ ...row(i, checkType.path), ...sampleOf(checkType.type, 3), id: `own-${i}` }))
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson(rows)))
    const inOrder = checkTypes.map(({ path }) => path).sort()
    const each = []
    for (const id of inOrder) each.push((await tidemark(folder, 'export', '--check', id)).stdout)
    expect((await tidemark(folder, 'export', '--all')).stdout).toBe(each.join(''))
    const complete = readFileSync(config, 'utf8')
    writeFileSync(config, JSON.stringify({ accounts: [{ id: 'acme' }] }))
    const { stdout } = await tidemark(folder, 'export', '--all')
    expect(stdout.trim().split('\n')).toHaveLength(checkTypes.length)
    const removed = (await tidemark(folder, 'export', '--check', type.path)).stdout
    expect(JSON.parse(removed)).toEqual(JSON.parse(each[inOrder.indexOf(type.path)] ?? ''))
    expect((await tidemark(folder, 'export', '--check', type.path, '--format', 'csv')).stderr).toContain('no longer configured')
    writeFileSync(config, complete)
    rmSync(join(folder, 'data'), { recursive: true })
    expect(await tidemark(folder, 'import', write(folder, 'back.ndjson', stdout))).toMatchObject({ exitCode: 0 })
    expect((await tidemark(folder, 'export', '--all')).stdout).toBe(each.join(''))
  })

  test('and badges work without the secrets that the config file refers to', async () => {
    const folder = configuredFolder()
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson([row(1)])))
    const config = join(folder, 'tidemark.yaml')
    const { accounts } = JSON.parse(readFileSync(config, 'utf8'))
    const [check, ...others] = accounts[0].checks
    const needy = { ...check, request: { ...check.request, headers: { authorization: `$\{ABSENT}` } } }
    writeFileSync(config, JSON.stringify({ accounts: [{ ...accounts[0], checks: [needy, ...others] }] }))
    expect(JSON.parse((await tidemark(folder, 'export', '--check', check.id)).stdout)).toMatchObject({ checkId: check.id })
    expect((await tidemark(folder, 'badge', check.id)).stdout).toContain(`/v1/badges/checks/${check.id}`)
    writeFileSync(config, JSON.stringify({ accounts: [{ ...accounts[0], checks: [{ ...needy, name: `$\{ABSENT}` }] }] }))
    await expect(tidemark(folder, 'badge', check.id)).rejects.toThrow(`$\{ABSENT} is not set in the environment`)
  })

  test('requires one check or all', async () => {
    expect((await tidemark(configuredFolder(), 'export')).stderr).toContain('Choose one check with --check, or all of them with --all.')
    expect((await tidemark(configuredFolder(), 'export', '--all', '--format', 'csv')).stderr).toContain('CSV supports only one check')
  })

  test('reports a missing check or folder', async () => {
    const folder = configuredFolder()
    expect((await tidemark(folder, 'export', '--check', type.path)).stderr).toContain('No results in')
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson([row(1)])))
    expect((await tidemark(folder, 'export', '--check', `${type.path}x`)).stderr).toContain(`Nearest: ${type.path}`)
  })
})

describe('while a server keeps writing', () => {
  test('doctor finds no problems, and backup copies everything', { timeout: 120_000 }, async () => {
    const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
    const [last = '', ...others] = checkTypes.map(({ path }) => path).sort((a, b) => (a < b ? 1 : -1))
    const imported = [type.path, ...others.filter((id) => id !== type.path)].slice(0, 3)
    for (const id of imported) await tidemark(folder, 'import', write(folder, `${id}.ndjson`, ndjson(many.map((_, i) => row(i, id)))))
    const server = await serve(folder)
    const copy = join(folder, 'copy')
    let written = 0
    let going = true
    const writing = (async () => {
      while (going) written += (await server.post([row(20_000 + written, last)])).accepted
    })()
    for (let round = 0; round < 2; round++) expect(await tidemark(folder, 'doctor')).toMatchObject({ exitCode: 0, stderr: '' })
    const atLeast = written
    expect(await tidemark(folder, 'backup', copy)).toMatchObject({ exitCode: 0 })
    going = false
    await writing
    await server.stop()
    expect(written).toBeGreaterThan(0)
    expect((await tidemark(folder, 'backup', copy)).stderr).toContain('already has a copy')
    renameSync(join(folder, 'data'), join(folder, 'lost'))
    renameSync(copy, join(folder, 'data'))
    expect((await tidemark(folder, 'doctor')).stdout).toContain('No problems found')
    const linesOf = async (id: string) => (await tidemark(folder, 'export', '--check', id)).stdout.trim().split('\n').length
    for (const id of imported) expect(await linesOf(id)).toBe(many.length)
    expect(await linesOf(last)).toBeGreaterThanOrEqual(atLeast)
    expect(await linesOf(last)).toBeLessThanOrEqual(written)
  })
})

test('tidemark backup copies managed checks', async () => {
  const folder = configuredFolder()
  await storeManagedCheck(join(folder, 'data'), 'basket', 'The basket')
  const copy = join(folder, 'copy')
  expect(await tidemark(folder, 'backup', copy)).toMatchObject({ exitCode: 0 })
  expect((await tidemark(folder, 'config', 'export', '--data', copy)).stdout).toContain('name: The basket')
})

describe('tidemark doctor', () => {
  test('reports the results of every check', async () => {
    const folder = configuredFolder()
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson(many)))
    const { stdout, exitCode } = await tidemark(folder, 'doctor')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`acme +${type.path} +${type.demo.name} +6000 `))
    expect(stdout).toContain('No problems found: 6000 results, each read and verified.')
  })

  test('names managed checks, also without a config file', async () => {
    const folder = configuredFolder()
    await storeManagedCheck(join(folder, 'data'), 'basket', 'The basket')
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson([row(0, 'basket')])))
    for (const more of [[], ['--config', join(folder, 'other.yaml')]])
      expect((await tidemark(folder, 'doctor', ...more)).stdout).toMatch(/acme +basket +The basket +1 /)
  })

  test('explains why the names of checks are missing', async () => {
    const folder = configuredFolder()
    await tidemark(folder, 'import', write(folder, 'first.ndjson', ndjson(many)))
    const { stdout, exitCode } = await tidemark(folder, 'doctor', '--config', join(folder, 'other.yaml'))
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`acme +${type.path} +– +6000 `))
    expect(stdout).toContain('because the config file is invalid: other.yaml:1: there is no such file')
  })

  test('does not report a folder of another layout as damaged', async () => {
    const folder = configuredFolder()
    cpSync(new URL('../fixtures/data-folder-layout-4/', import.meta.url), join(folder, 'data'), { recursive: true })
    const { stderr, exitCode } = await tidemark(folder, 'doctor')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('was written by an older Tidemark. Start the server once')
    expect(stderr).not.toContain('damaged')
  })

  test('reports a folder without results', async () => {
    expect((await tidemark(configuredFolder(), 'doctor')).stderr).toContain('No results in')
  })
})

function write(folder: string, name: string, content: string | Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

async function exportAll(folder: string, format: string): Promise<string[]> {
  const exported = []
  for (const { path } of checkTypes) exported.push((await tidemark(folder, 'export', '--check', path, '--format', format)).stdout)
  return exported
}

function sampleOf(type: string, i: number): Readonly<Record<string, unknown>> {
  const checkType = checkTypes.find((known) => known.type === type)
  const metrics = Object.entries(checkType?.metrics ?? {})
  const value = (unit: string) => (unit === 'count' ? i : (i * 7919) % 100 === 0 ? null : ((i * 7919) % 100) / 7)
  const runLevel = metrics.filter(([, metric]) => !metric.perPage).map(([name, { unit }]) => [name, value(unit)])
  const perPage = Object.fromEntries(metrics.filter(([, metric]) => metric.perPage).map(([name, { unit }]) => [name, value(unit)]))
  const pages = Object.keys(perPage).length > 0 ? { pages: [{ pageUrl: 'https://a.example/?q="1,2"', ...perPage }, { pageUrl: '' }] } : {}
  return { ...Object.fromEntries(runLevel), ...pages, ...Object.fromEntries((checkType?.fields ?? []).map((name) => [name, 200 - i])) }
}

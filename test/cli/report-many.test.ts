import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { command } from '../support/command.ts'
import { testResult } from '../support/results.ts'
import { httpServer } from '../support/servers.ts'

const checks = checkTypes.map((checkType, i) => testCheck(checkType, { tags: i % 2 === 0 ? ['shop'] : [] }))
let api: TestApp
let url = ''
beforeAll(async () => {
  const results = checks.flatMap((check) => Array.from({ length: 48 }, (_, i) => testResult(check, Date.now() - i * hourMs)))
  api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now: Date.now })
  url = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

const report = (...args: readonly string[]) =>
  command({ TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }, ['report', ...args])

describe('a report of one check', () => {
  test('selects the check by id or name', async () => {
    for (const { id, name } of checks.slice(0, 2)) {
      expect((await report(id, '--metrics', 'availability')).exitCode).toBe(0)
      expect((await report(name, '--metrics', 'availability')).exitCode).toBe(0)
    }
  })
  test('is rejected for a part of a name, with the names that contain it', async () => {
    const [{ id, name } = { id: '', name: '' }] = checks
    const { exitCode, stdout, stderr } = await report(name.slice(1), '--metrics', 'availability')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(`No check has the id or name ${name.slice(1)}, but these contain it`)
    expect(stderr).toContain(`${id}  ${name}`)
  })
})

describe('options of a report', () => {
  const [{ id, checkType } = checks[0] as (typeof checks)[number]] = checks
  const duration = checkType.duration
  const hourly = [id, '--metrics', 'availability', '--every', '1h', '--range', 'last24Hours']
  const lines = ({ stdout }: { readonly stdout: string }) => stdout.trim().split('\r\n').slice(1)

  test.each([
    [['--metrics', 'p95'], `${duration}_p95`],
    [['--metrics', 'max,availability'], `${duration}_max`],
    [['--metrics', `${duration}_p50`], `${duration}_p50`],
    [[], `availability,${duration}_p95`],
  ])('%j select metrics of the type', async (args, column) => {
    expect((await report(id, ...args)).stdout.split('\r\n')[0]).toContain(column)
  })

  test('select the rows', async () => {
    expect(lines(await report(...hourly)).length).toBeOneOf([24, 25])
    expect(lines(await report(...hourly, '--limit', '5'))).toHaveLength(5)
    expect(lines(await report(...hourly, '--limit', '5', '--page', '2'))).toHaveLength(5)
    expect(lines(await report(...hourly, '--page', '2'))).toHaveLength(10)
    const all = lines(await report(...hourly))
    expect(lines(await report(...hourly, '--limit', '5', '--page', '2'))).toEqual(all.slice(5, 10))
  })

  test('select the window', async () => {
    const windowOf = async (...args: readonly string[]) => JSON.parse((await report(id, '--format', 'json', ...args)).stdout)
    const day = await windowOf('--from', '-24h', '--to', '-12h')
    expect((Date.parse(day.to) - Date.parse(day.from)) / hourMs).toBeCloseTo(12, 1)
    expect(await windowOf('--from', '2026-01-01', '--to', '2026-01-02', '--timezone', 'Asia/Kolkata')).toMatchObject({
      from: '2025-12-31T18:30:00.000Z',
      to: '2026-01-02T18:29:59.999Z',
    })
  })

  test('filter and group the results', async () => {
    const { stdout } = await report(id, '--metrics', 'availability', '--group-by', 'runLocation', '--filter', 'failure')
    expect(stdout).toBe('availability\r\n')
    const grouped = await report(id, '--metrics', 'availability', '--group-by', 'runLocation', '--filter', 'success')
    expect(grouped.stdout).toMatch(/^runLocation,total,success,availability\r\n/)
  })

  test.each([
    [['--format', 'table'], /^.+ \(.+\)\n\S+ to \S+\n\n/],
    [['--format', 'markdown'], /^### .+ \(.+\)\n/],
    [['--format', 'json'], /^\{.*\}\n$/],
    [['--format', 'json', '--fail-if', 'total < 0'], /^\{.*\}\n$/],
    [['--format', 'csv'], /^total,/],
    [[], /^total,/],
  ])('select the format: %j', async (args, pattern) => {
    expect((await report(id, ...args)).stdout).toMatch(pattern)
  })

  test('that match no rows print an empty table and a message', async () => {
    const { stdout, stderr } = await report(id, '--from', '2020-01-01', '--to', '2020-01-01', '--metrics', 'availability', '--every', '1h')
    expect([stdout, stderr]).toEqual([
      'availability\r\n',
      'There are no results from 2020-01-01T00:00:00.000Z to 2020-01-01T23:59:59.999Z.\n',
    ])
  })

  test.each([
    [[id, '--metrics', 'p101'], /^Unknown metric p101\. Nearest: p/],
    [['--metrics', 'p101'], /^Unknown metric p101\. Nearest: p/],
    [[id, '--order-by', 'p95'], new RegExp(`^--order-by applies to several checks: leave out ${id}\\.`)],
    [[id, '--confidence', '95'], /^--confidence applies to several checks/],
    [[id, '--tag', 'shop'], /^--tag applies to several checks/],
    [[id, '--type', 'url'], /^--type applies to several checks/],
    [['--page', '2'], /^--page applies to a report of one check\. For several checks, use --limit\./],
    [[id, '--every', '90s'], /It must be whole minutes, such as 5m, 1h or 1d, or day, week or month\./],
    [[id, '--every', '30s'], /It must be whole minutes/],
    [[id, '--every', '0m'], /It must be whole minutes/],
    [[id, '--every', 'year'], /It must be whole minutes/],
    [[id, '--every', '1w'], /It must be whole minutes/],
    [[id, '--timezone', 'Europe/Berln'], /Unknown time zone\. Nearest: Europe\/Berlin/],
    [[id, '--from', 'yesterday'], /It must be a time such as/],
    [[id, '--format', 'xml'], /Allowed choices are table, json, csv, markdown\./],
  ])('%j are rejected with a specific message', async (args, words) => {
    expect(await report(...args)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(words) })
  })

  test.each([
    ['3600000ms', '1h'],
    ['3600s', '1h'],
    ['60m', '1h'],
    ['1440m', '1d'],
  ])('--every %s is the same as %s', async (every, same) => {
    const bucketed = [id, '--metrics', 'availability', '--range', 'last7Days', '--every']
    const { stdout } = await report(...bucketed, every)
    expect(stdout).toMatch(/^period,/)
    expect(stdout).toBe((await report(...bucketed, same)).stdout)
  })

  test('metrics of the duration are rejected for a check without one', async () => {
    const untimed = checks.find((check) => check.checkType.duration === null)
    const { exitCode, stderr } = await report(untimed?.id ?? '', '--metrics', 'p95')
    expect([exitCode, stderr]).toEqual([1, `A ${untimed?.checkType.label.toLowerCase()} has no duration, so no p95. Use availability.\n`])
  })
})

describe('a report of many checks', () => {
  test('has a row for each check of a tag, next to the previous period', async () => {
    const { stdout } = await report('--tag', 'shop', '--group-by', 'check', '--compare', 'previousPeriod', '--timezone', 'Europe/Berlin')
    const [head, ...lines] = stdout.trim().split('\r\n')
    expect(head).toBe(
      'check,name,total,success,availability,duration_p95,total before,success before,availability before,duration_p95 before',
    )
    expect(lines).toHaveLength(checks.filter(({ tags }) => tags.includes('shop')).length)
  })
  test('pools all checks if none are selected', async () => {
    const { stdout } = await report('--metrics', 'availability', '--format', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ checks: checks.length, series: [{ data: [{ availability: 100 }] }] })
  })
  test('accepts calendar units in a time zone', async () => {
    const { stdout } = await report('--metrics', 'availability', '--every', 'day', '--timezone', 'Asia/Kolkata')
    expect(stdout).toContain('T00:00:00.000+05:30')
  })
  test('prints the errors of the server, with the nearest valid name', async () => {
    expect(await report('--group-by', 'chek')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nearest: check') })
    const misplaced = await report(checks[0]?.id ?? '', '--compare', 'previousPeriod')
    expect(misplaced).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--compare applies to several checks') })
    expect(await report('--page', '2')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--page') })
  })
})

describe('--fail-if', () => {
  const [{ id } = { id: '' }] = checks
  test('exits with 1 and prints the matching rows of one check', async () => {
    const { exitCode, stdout, stderr } = await report(id, '--every', '1h', '--fail-if', 'p95 > 1000000', '--fail-if', 'availability == 100')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('availability')
    expect(stderr).toMatch(/^Failed: availability == 100: period \S+, availability 100\n/)
  })
  test('exits with 0 if no row matches', async () => {
    expect(await report(id, '--fail-if', 'availability < 100')).toMatchObject({ exitCode: 0, stderr: '' })
  })
  test('applies to every row of many checks', async () => {
    const { exitCode, stderr } = await report('--tag', 'shop', '--group-by', 'check', '--fail-if', 'total > 1')
    expect(exitCode).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(checks.filter(({ tags }) => tags.includes('shop')).length)
  })
  test('applies to all rows, which are also printed as JSON', async () => {
    const args = [id, '--metrics', 'availability', '--range', 'last7Days', '--every', '1h', '--format', 'json']
    const rows = (text: string) => JSON.parse(text).series[0].data.length
    expect(rows((await report(...args)).stdout)).toBe(48)
    expect(rows((await report(...args, '--limit', '10')).stdout)).toBe(10)
    const { stdout, stderr } = await report(...args, '--fail-if', 'total >= 1')
    expect(rows(stdout)).toBe(48)
    expect(stderr).toContain('Failed: 28 more rows.')
  })
  test('exits with 2 if no row matches among those that were read, but there are more', async () => {
    const answer = JSON.stringify({
      from: '2026-11-14T00:00:00.000Z',
      to: '2026-11-15T00:00:00.000Z',
      timezone: 'UTC',
      checks: 1001,
      series: [{ check: 'one', name: 'One', data: [{ total: 1, success: 1, availability: 100 }] }],
      metadata: { availability: { unit: 'percentage', label: 'Availability' } },
      pagination: { limit: 1000, next: 'more' },
    })
    const port = await httpServer((_, response) => response.setHeader('content-type', 'application/json').end(answer))
    const readOne = (...args: readonly string[]) =>
      command({ TIDEMARK_URL: `http://127.0.0.1:${port}`, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }, [
        'report',
        '--group-by',
        'check',
        ...args,
      ])
    expect(await readOne('--fail-if', 'availability < 50')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('more rows') })
    expect(await readOne('--fail-if', 'availability > 50')).toMatchObject({ exitCode: 1 })
    expect(await readOne('--limit', '1', '--fail-if', 'availability < 50')).toMatchObject({ exitCode: 0 })
  })
  test.each([
    ['a condition that cannot be read', ['--fail-if', 'p95 is slow'], 'is invalid'],
    ['an unknown column', ['--fail-if', 'availabilty < 100'], 'Nearest: availability'],
    ['a query that the server rejects', ['--group-by', 'chek', '--fail-if', 'p95 > 1'], 'The server returned 400'],
  ])('exits with 2 for %s', async (_, args, message) => {
    expect(await report(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  })
})

test('Markdown output is a table of the checks by name', async () => {
  const { stdout } = await report('--group-by', 'check', '--metrics', 'availability', '--format', 'markdown')
  expect(stdout).toMatch(/^### \d+ checks\n/)
  expect(stdout).toContain('| check | name | total | success | availability (%) |\n| --- | --- | ---: | ---: | ---: |\n')
})

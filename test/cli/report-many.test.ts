import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { command } from '../support/command.ts'
import { testResult } from '../support/results.ts'

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
  test('is of the check with that id or that name', async () => {
    for (const { id, name } of checks.slice(0, 2)) {
      expect((await report(id, '--metrics', 'availability')).exitCode).toBe(0)
      expect((await report(name, '--metrics', 'availability')).exitCode).toBe(0)
    }
  })
  test('is refused for a part of a name, with the names that it could mean', async () => {
    const [{ id, name } = { id: '', name: '' }] = checks
    const { exitCode, stdout, stderr } = await report(name.slice(1), '--metrics', 'availability')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(`No check has the id or name ${name.slice(1)}, but these contain it`)
    expect(stderr).toContain(`${id}  ${name}`)
  })
})

describe('a report of many checks', () => {
  test('has a line for each check of a tag, with the previous period beside it', async () => {
    const { stdout } = await report('--tag', 'shop', '--group-by', 'check', '--compare', 'previousPeriod', '--timezone', 'Europe/Berlin')
    const [head, ...lines] = stdout.trim().split('\r\n')
    expect(head).toBe(
      'check,name,total,success,availability,duration_p95,total before,success before,availability before,duration_p95 before',
    )
    expect(lines).toHaveLength(checks.filter(({ tags }) => tags.includes('shop')).length)
  })
  test('pools all checks where none are chosen', async () => {
    const { stdout } = await report('--metrics', 'availability', '--format', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ checks: checks.length, series: [{ data: [{ availability: 100 }] }] })
  })
  test('takes calendar units of a zone', async () => {
    const { stdout } = await report('--metrics', 'availability', '--every', 'day', '--timezone', 'Asia/Kolkata')
    expect(stdout).toContain('T00:00:00.000+05:30')
  })
  test('passes on what the server refuses, with the nearest right word', async () => {
    expect(await report('--group-by', 'chek')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nearest: check') })
    const misplaced = await report(checks[0]?.id ?? '', '--compare', 'previousPeriod')
    expect(misplaced).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--compare is for many checks') })
    expect(await report('--page', '2')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--page') })
  })
})

describe('--fail-if', () => {
  const [{ id } = { id: '' }] = checks
  test('exits with 1 and tells the rows where a row of one check matches', async () => {
    const { exitCode, stdout, stderr } = await report(id, '--every', '1h', '--fail-if', 'p95 > 1000000', '--fail-if', 'availability == 100')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('availability')
    expect(stderr).toMatch(/^Failed: availability == 100: period \S+, availability 100\n/)
  })
  test('exits with 0 where no row matches', async () => {
    expect(await report(id, '--fail-if', 'availability < 100')).toMatchObject({ exitCode: 0, stderr: '' })
  })
  test('is about every row of many checks', async () => {
    const { exitCode, stderr } = await report('--tag', 'shop', '--group-by', 'check', '--fail-if', 'total > 1')
    expect(exitCode).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(checks.filter(({ tags }) => tags.includes('shop')).length)
  })
  test('is about all rows where JSON is printed, too', async () => {
    const args = [id, '--metrics', 'availability', '--range', 'last7Days', '--every', '1h', '--format', 'json']
    const rows = (text: string) => JSON.parse(text).series[0].data.length
    expect(rows((await report(...args)).stdout)).toBe(10)
    const { stdout, stderr } = await report(...args, '--fail-if', 'total >= 1')
    expect(rows(stdout)).toBe(48)
    expect(stderr).toContain('Failed: 28 more rows.')
  })
  test.each([
    ['a condition that cannot be read', ['--fail-if', 'p95 is slow'], 'cannot be read'],
    ['an unknown column', ['--fail-if', 'availabilty < 100'], 'Nearest: availability'],
    ['a question that the server refuses', ['--group-by', 'chek', '--fail-if', 'p95 > 1'], 'The server answered 400'],
  ])('exits with 2 for %s', async (_, args, message) => {
    expect(await report(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  })
})

test('Markdown is a table of the checks by name', async () => {
  const { stdout } = await report('--group-by', 'check', '--metrics', 'availability', '--format', 'markdown')
  expect(stdout).toMatch(/^### \d+ checks\n/)
  expect(stdout).toContain('| check | name | total | success | availability (%) |\n| --- | --- | ---: | ---: | ---: |\n')
})

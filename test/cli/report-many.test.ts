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
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
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

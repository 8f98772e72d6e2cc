import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { command } from '../../../test/support/command.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import type { Slo } from '../../catalogue/policies/policies.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const now = Date.UTC(2026, 10, 14, 12)
const check = testCheck(anyRunType(), { id: 'home' })
const window = { kind: 'rolling', duration: '4d', durationMs: 4 * dayMs } as const
const slos: readonly Slo[] = [
  { id: 'home', name: 'Home page', checks: ['home'], tags: [], window, objective: { kind: 'availability', by: 'runs', target: 95 } },
  { id: 'later', name: 'Later', checks: [], tags: ['none'], window, objective: { kind: 'availability', by: 'runs', target: 99 } },
]

/** Every hour; 2 of 96 fail: one two days ago, and one in the last hour. */
const results = Array.from({ length: 96 }, (_, i) => testResult(check, now - i * hourMs - 1, { hasFailures: i === 0 || i === 48 }))

let api: TestApp
let url: string
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: [check], policies: { slos } }), results, now })
  url = await api.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => api.close())

const slo = (...args: readonly string[]) =>
  command({ TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }, ['slo', ...args])

describe('tidemark slo', () => {
  test('prints a line for each SLO, with its budget by day', async () => {
    expect(await slo()).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        'id     name       attained  target  status       budget left     1h    6h   24h    3d  budget by day',
        'home   Home page   97.91 %    95 %  met      2.8 of 4.8 runs  20.00  3.33  0.83  0.56  ██▇▇▅',
        'later  Later       no data    99 %  no data      0 of 0 runs      –     –     –     –',
        '',
      ].join('\n'),
    })
  })

  test('supports other targets and thresholds', async () => {
    const { stdout } = await slo('home', '--target', '99')
    expect(stdout).toContain('99 %  missed')
    expect(stdout).not.toContain('later')
    expect((await slo('home', '--threshold', '5')).stderr).toContain('thresholdMs must be absent')
  })

  test('prints the JSON of the API', async () => {
    const { stdout } = await slo('home', '--format', 'json')
    expect(JSON.parse(stdout)).toEqual((await api.get('/v1/slos/home')).body)
    expect(JSON.parse((await slo('--format', 'json')).stdout)).toEqual((await api.get('/v1/slos')).body)
  })

  test('fails if the burn rate of the last hour reaches a limit', async () => {
    expect(await slo('--fail-if-burning', '19.9')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('home burns its budget at 20.00'),
    })
    expect(await slo('--fail-if-burning', '20.1')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await slo('later', '--fail-if-burning', '1')).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('reports an unknown or invalid id', async () => {
    expect(await slo('nobody')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is no such SLO') })
    expect(await slo('a b')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Unknown SLO a b') })
  })

  test('says so if there are none', async () => {
    const empty = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), now })
    const address = await empty.app.listen({ port: 0, host: '127.0.0.1' })
    expect((await slo('--url', address)).stdout).toContain('has no SLOs')
    await empty.close()
  })
})

// @slow
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { needing, programMissing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Input = { readonly description: string; readonly required?: boolean; readonly default?: string }
type Step = { readonly name: string; readonly shell: string; readonly env: Readonly<Record<string, string>>; readonly run: string }
type Action = {
  readonly inputs: Readonly<Record<string, Input>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

const folder = new URL('../../integrations/github/', import.meta.url)
const action = parse(readFileSync(new URL('action.yml', folder), 'utf8')) as Action
const readme = readFileSync(new URL('README.md', folder), 'utf8')
const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

describe('the action', () => {
  test('is composite, and each step names its shell', () => {
    expect(action.runs.using).toBe('composite')
    for (const { shell } of action.runs.steps) expect(shell).toBe('bash')
  })
  test('passes every input in the environment, never as a part of a script', () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{')
    const used = action.runs.steps.flatMap(({ env }) => Object.values(env))
    expect(used.toSorted()).toEqual(
      Object.keys(action.inputs)
        .map((name) => `\${{ inputs.${name} }}`)
        .toSorted(),
    )
  })
  test('describes every input, and each is required or has a default', () => {
    for (const input of Object.values(action.inputs)) {
      expect(input.description).toMatch(/\.$/)
      expect(input.required === true).toBe(input.default === undefined)
    }
  })
  test('has a README whose example uses existing inputs, and whose table lists all of them', () => {
    const workflow = parse(/```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
    const given = Object.keys(workflow.jobs.figures.steps[1].with)
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given))
    for (const name of Object.keys(action.inputs)) expect(readme).toContain(`\`${name}\``)
  })
})

describe('the steps of the action', needing(await programMissing('bash')), () => {
  const checks = checkTypes.map((checkType) => testCheck(checkType, { tags: ['shop'] }))
  const bin = temporaryFolder()
  let api: TestApp
  let url = ''
  beforeAll(async () => {
    const results = checks.flatMap((check) => Array.from({ length: 5 }, (_, i) => testResult(check, Date.now() - i * hourMs)))
    api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now: Date.now })
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
    mkdirSync(bin, { recursive: true })
    writeFileSync(
      join(bin, 'npx'),
      `#!/bin/sh\ntest "$1 $2" = "--yes tidemark@latest" || exit 99\nshift 2\nexec "${process.execPath}" "${program}" "$@"\n`,
    )
    chmodSync(join(bin, 'npx'), 0o755)
  })
  afterAll(() => api.close())

  /** Runs the steps like a runner. */
  const runAction = async (given: Readonly<Record<string, string>>) => {
    const inputs: Readonly<Record<string, string>> = { url, key: readKey, account, ...given }
    const summary = join(temporaryFolder(), 'summary.md')
    writeFileSync(summary, '')
    let outcome = { status: 0, stderr: '' }
    for (const { env, run } of action.runs.steps) {
      const values = Object.entries(env).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input) => inputs[input] ?? action.inputs[input]?.default ?? ''),
      ])
      const surroundings = {
        ...process.env,
        ...Object.fromEntries(values),
        GITHUB_STEP_SUMMARY: summary,
        PATH: `${bin}${delimiter}${process.env.PATH}`,
      }
      outcome = await promisify(execFile)('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], { env: surroundings }).then(
        ({ stderr }) => ({ status: 0, stderr }),
        ({ code, stderr }) => ({ status: code, stderr }),
      )
    }
    return { ...outcome, summary: readFileSync(summary, 'utf8') }
  }

  test('write a table to the job summary', async () => {
    const { status, stderr, summary } = await runAction({
      tag: 'shop',
      'group-by': 'check',
      'fail-if': 'p95 > 1000000\n\navailability < 100\n',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(summary).toContain(`### ${checks.length} checks\n`)
    expect(summary.match(/^\| check-/gm)).toHaveLength(checks.length)
  })
  test('fail with the rows that match', async () => {
    const { status, stderr, summary } = await runAction({ check: checks[0]?.name ?? '', 'fail-if': 'availability == 100' })
    expect([status, stderr]).toEqual([1, 'Failed: availability == 100: availability 100\n'])
    expect(summary).toContain('| availability (%) |')
    expect(summary).toMatch(/\n\n {4}Failed: availability == 100: availability 100\n$/)
  })
  test('fail with status 2 for an invalid condition, and execute nothing in it', async () => {
    const { status, summary } = await runAction({ 'fail-if': '$(touch nowhere) `id` > 1' })
    expect(status).toBe(2)
    expect(summary).toContain('is invalid')
  })
})

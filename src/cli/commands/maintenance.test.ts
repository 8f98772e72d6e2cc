import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { exampleCheck, runTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'

const now = Date.parse('2026-11-20T21:00:00.123Z')
const checks = runTypes.slice(0, 2).map((type, i) => ({ ...exampleCheck(type), id: ['checkout', 'router'][i], tags: [['shop', 'lab'][i]] }))

function configFile(text: string): string {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  writeFileSync(file, text)
  return file
}

const fileOf = (more = '') => configFile(`# ours\naccounts:\n  - id: acme  # us\n${more}    checks: ${JSON.stringify(checks)}\n`)
const run = (file: string, ...args: readonly string[]) => command({ TIDEMARK_CONFIG: file }, ['maintenance', ...args], () => now)

describe('tidemark maintenance add', () => {
  test('adds a maintenance window that begins now, and keeps the comments of the file', async () => {
    const file = fileOf()
    expect(await run(file, 'add', 'Database move', '--for', '2h', '--tag', 'shop')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: 'Added maintenance Database move for 1 check of acme: 2026-11-20T21:00:00Z to 2026-11-20T23:00:00Z.\n',
    })
    expect(readFileSync(file, 'utf8').split('\n').slice(0, 5)).toEqual([
      '# ours',
      'accounts:',
      '  - id: acme  # us',
      '    maintenance:',
      '      - { name: "Database move", from: 2026-11-20T21:00:00Z, to: 2026-11-20T23:00:00Z, tags: ["shop"] }',
    ])
  })

  test('adds another window after the last, from a given time, for checks by id', async () => {
    const file = fileOf('    maintenance:\n      - { name: A, from: 2026-01-01, to: 2026-01-02 } # done\n')
    await run(file, 'add', 'B', '--for', '45m', '--from', '2026-11-22T01:00:00+01:00', '--check', 'checkout,router')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(
      '# done\n      - { name: "B", from: 2026-11-22T00:00:00Z, to: 2026-11-22T00:45:00Z, checks: ["checkout", "router"] }\n    checks',
    )
    const parsed = parseConfig(text, {})
    const added = 'config' in parsed ? parsed.config.policies.get('acme')?.maintenance[1] : undefined
    expect(added).toEqual({
      name: 'B',
      from: Date.parse('2026-11-22T00:00Z'),
      to: Date.parse('2026-11-22T00:45Z'),
      checks: ['checkout', 'router'],
      tags: [],
    })
  })

  test('keeps a JSON file as JSON', async () => {
    const file = configFile(JSON.stringify({ accounts: [{ id: 'acme', checks }] }))
    await run(file, 'add', 'All of it', '--for', '1d', '--from', '2026-11-22')
    expect(JSON.parse(readFileSync(file, 'utf8')).accounts[0].maintenance).toEqual([
      { name: 'All of it', from: '2026-11-22T00:00:00Z', to: '2026-11-23T00:00:00Z' },
    ])
  })

  test('needs no environment variables', async () => {
    const file = configFile(`accounts:\n  - id: acme\n    name: \${NOT_SET}x\n`)
    expect(await run(file, 'add', 'M', '--for', '1h')).toMatchObject({ exitCode: 0 })
    expect(readFileSync(file, 'utf8')).toContain(`name: \${NOT_SET}x`)
  })

  test.each([
    [['--tag', 'shopp'], 'No check of acme has the tag shopp. Nearest: shop.\n', 2],
    [['--check', 'chekout'], 'acme has no check with the id chekout. Nearest: checkout.\n', 2],
    [['--check', 'checkout', '--tag', 'lab'], 'None of these checks has any of these tags. Give either --check or --tag.\n', 1],
    [['--account', 'acne'], 'No account acne in the config file. Nearest: acme.\n', 1],
  ])('rejects %j with a message and leaves the file unchanged', async (args, stderr, exitCode) => {
    const file = fileOf()
    const before = readFileSync(file, 'utf8')
    expect(await run(file, 'add', 'M', '--for', '1h', ...args)).toEqual({ exitCode, stdout: '', stderr })
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('rejects an empty name, and an end beyond the range of timestamps', async () => {
    expect(await run(fileOf(), 'add', 'M', '--for', '999999999d')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('9999') })
    expect(await run(fileOf(), 'add', ' ', '--for', '1h')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('1 to 200') })
  })
})

describe('tidemark maintenance list', () => {
  test('shows current and upcoming windows by their start, the next of recurring ones, and no past ones', async () => {
    const file = fileOf(
      [
        '    maintenance:',
        '      - { name: Past, from: 2026-11-01, to: 2026-11-02 }',
        '      - { name: Patch night, every: month, on: first sunday, at: "02:00", for: 2h, timezone: Europe/Berlin }',
        '      - { name: Later, from: 2027-03-01, to: 2027-03-01, checks: [checkout], tags: [shop, lab] }',
        '      - { name: Nightly, every: day, at: "20:30", for: 1h, tags: [lab] }',
        '',
      ].join('\n'),
    )
    const { stdout } = await run(file, 'list')
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['account', 'name', 'state', 'from', 'to', 'repeats', 'checks'],
      ['acme', 'Nightly', 'current', '2026-11-20T20:30:00Z', '2026-11-20T21:30:00Z', 'every day', 'tagged lab'],
      ['acme', 'Patch night', 'upcoming', '2026-12-06T02:00:00+01:00', '2026-12-06T04:00:00+01:00', 'every month', 'all'],
      ['acme', 'Later', 'upcoming', '2027-03-01T00:00:00Z', '2027-03-02T00:00:00Z', 'once', 'checkout if tagged shop or lab'],
      [''],
    ])
  })

  test('says so if there are none', async () => {
    expect(await run(fileOf(), 'list')).toEqual({ exitCode: 0, stdout: '', stderr: 'No current or upcoming maintenance.\n' })
  })
})

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { exampleCheck, runTypes } from '../../test/support/example-config.ts'
import { readSettings } from '../config.ts'
import { buildProgram } from './program.ts'

const [checkType] = runTypes
const check = checkType ? { ...exampleCheck(checkType), id: 'home', name: 'Home [page]' } : {}

test('tidemark badge prints the Markdown and the HTML of a badge, found by the name of its check', async () => {
  const { stdout, stderr } = await tidemark({ publicBadges: true }, ['badge', 'Home [page]', '--style', 'plastic', '--response-time'])
  const url = 'https://status.example.com/v1/badges/checks/home?style=plastic&responseTime=true'
  expect(stdout).toContain(`Markdown\n\n![Home \\[page\\]](${url})\n`)
  expect(stdout).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${url.replaceAll('&', '&#38;')}&#38;theme=dark">`)
  expect(stderr).toBe('')
})

test('tidemark badge says so where the account has no public badges', async () => {
  const { stdout, stderr } = await tidemark({ publicBadges: false }, ['badge', 'home', '--metric', 'availability', '--range', 'last30Days'])
  expect(stdout).toContain('https://status.example.com/v1/badges/checks/home?metric=availability&range=last30Days')
  expect(stderr).toContain('set publicBadges: true for the account acme')
})

test('tidemark badge names the nearest checks to one that is not there', async () => {
  await expect(tidemark({ publicBadges: true }, ['badge', 'hoome'])).rejects.toThrow(/There is no check hoome .* Nearest: home/)
})

async function tidemark(account: object, args: readonly string[]) {
  const file = join(await mkdtemp(join(tmpdir(), 'tidemark-badge-')), 'tidemark.json')
  await writeFile(file, JSON.stringify({ accounts: [{ id: 'acme', ...account, checks: [check] }] }))
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const settings = readSettings({ TIDEMARK_CONFIG: file, TIDEMARK_URL: 'https://status.example.com/' })
  const streams = { stdout: stdout as unknown as NodeJS.WriteStream, stderr: stderr as unknown as NodeJS.WriteStream }
  await buildProgram({ settings, env: {}, now: () => 0, ...streams }).parseAsync(['node', 'tidemark', ...args])
  return { stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

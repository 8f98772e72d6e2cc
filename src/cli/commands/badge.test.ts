import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { exampleCheck, runTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const [checkType] = runTypes
const address = 'https://status.example.com/v1/badges/checks/home'
const check = checkType ? { ...exampleCheck(checkType), id: 'home', name: 'Home [page]' } : {}

test('tidemark badge prints the Markdown and HTML of a badge for a check found by its name', async () => {
  const { stdout, stderr } = await badge({ publicBadges: true }, 'Home [page]', '--style', 'plastic', '--response-time')
  const url = 'https://status.example.com/v1/badges/checks/home?style=plastic&responseTime=true'
  expect(stdout).toContain(`Markdown\n\n![Home \\[page\\]](${url})\n`)
  expect(stdout).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${url.replaceAll('&', '&#38;')}&#38;theme=dark">`)
  expect(stderr).toBe('')
})

test('tidemark badge warns if the account has no public badges', async () => {
  const { stdout, stderr } = await badge({ publicBadges: false }, 'home', '--metric', 'availability', '--range', 'last30Days')
  expect(stdout).toContain('https://status.example.com/v1/badges/checks/home?metric=availability&range=last30Days')
  expect(stderr).toContain('set publicBadges: true for the account acme')
})

test('tidemark badge prints the badge of an SLO', async () => {
  const { stdout } = await badge({ publicBadges: true }, 'home', '--slo', 'shop', '--label', 'SLO')
  expect(stdout).toContain('https://status.example.com/v1/badges/checks/home?metric=slo&slo=shop&label=SLO')
})

test.each([
  [['--link', 'https://example.com/status'], `[![Home \\[page\\]](${address})](https://example.com/status)`],
  [['--label', 'Up & on'], `![Up & on](${address}?label=Up+%26+on)`],
  [['--metric', 'took_p95', '--warn', '200', '--bad', '800'], `![Home \\[page\\]](${address}?metric=took_p95&warn=200&bad=800)`],
  [['--slo', 'shop', '--metric', 'availability', '--range', 'last7Days'], `(${address}?metric=slo&slo=shop&range=last7Days)`],
  [['--url', 'http://127.0.0.1:8787//'], '(http://127.0.0.1:8787/v1/badges/checks/home)'],
  [['--url', 'https://example.com/tidemark/'], '(https://example.com/tidemark/v1/badges/checks/home)'],
])('tidemark badge with %j prints %s', async (args, markdown) => {
  const { stdout, stderr } = await badge({ publicBadges: true }, 'home', ...args)
  expect(stdout.split('\n').slice(0, 3)).toEqual(['Markdown', '', expect.stringContaining(markdown)])
  expect(stderr).toBe('')
})

test('tidemark badge asks for the account if several have such a check', async () => {
  const file = join(temporaryFolder(), 'tidemark.json')
  const accounts = ['acme', 'beta'].map((id) => ({ id, publicBadges: id === 'acme', checks: [{ ...check, name: id }] }))
  writeFileSync(file, JSON.stringify({ accounts }))
  const badgeOf = (...args: readonly string[]) => command({ TIDEMARK_CONFIG: file }, ['badge', ...args])
  expect((await badgeOf('home', '--account', 'acme')).stdout).toContain('/v1/badges/checks/home?account=acme)')
  const { stdout, stderr } = await badgeOf('beta')
  expect(stdout).toContain('/v1/badges/checks/home?account=beta)')
  expect(stderr).toBe(`\nViewers of a README send no API key: set publicBadges: true for the account beta in ${file}.\n`)
})

test.each([
  ['--url', 'ftp://example.com', 'It must be an http:// or https:// URL.'],
  ['--link', 'example.com/http://', 'It must be an http:// or https:// URL.'],
  ['--link', 'https://', 'It must be an http:// or https:// URL.'],
  ['--style', 'round', 'Allowed choices are'],
  ['--range', 'lastYear', 'Allowed choices are'],
])('tidemark badge rejects %s %s', async (option, value, words) => {
  expect(await badge({}, 'home', option, value)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(words) })
})

test('tidemark badge suggests the nearest checks for an unknown one', async () => {
  const { stderr, exitCode } = await badge({ publicBadges: true }, 'hoome')
  expect(stderr).toMatch(/No check hoome .* Nearest: home/)
  expect(exitCode).toBe(2)
})

function badge(account: object, ...args: readonly string[]) {
  const file = join(temporaryFolder(), 'tidemark.json')
  writeFileSync(file, JSON.stringify({ accounts: [{ id: 'acme', ...account, checks: [check] }] }))
  return command({ TIDEMARK_CONFIG: file, TIDEMARK_URL: 'https://status.example.com/' }, ['badge', ...args])
}

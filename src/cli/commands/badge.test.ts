import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { exampleCheck, runTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const [checkType] = runTypes
const check = checkType ? { ...exampleCheck(checkType), id: 'home', name: 'Home [page]' } : {}

test('tidemark badge prints the Markdown and the HTML of a badge, found by the name of its check', async () => {
  const { stdout, stderr } = await badge({ publicBadges: true }, 'Home [page]', '--style', 'plastic', '--response-time')
  const url = 'https://status.example.com/v1/badges/checks/home?style=plastic&responseTime=true'
  expect(stdout).toContain(`Markdown\n\n![Home \\[page\\]](${url})\n`)
  expect(stdout).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${url.replaceAll('&', '&#38;')}&#38;theme=dark">`)
  expect(stderr).toBe('')
})

test('tidemark badge says so where the account has no public badges', async () => {
  const { stdout, stderr } = await badge({ publicBadges: false }, 'home', '--metric', 'availability', '--range', 'last30Days')
  expect(stdout).toContain('https://status.example.com/v1/badges/checks/home?metric=availability&range=last30Days')
  expect(stderr).toContain('set publicBadges: true for the account acme')
})

test('tidemark badge prints the badge of an SLO', async () => {
  const { stdout } = await badge({ publicBadges: true }, 'home', '--slo', 'shop', '--label', 'SLO')
  expect(stdout).toContain('https://status.example.com/v1/badges/checks/home?metric=slo&slo=shop&label=SLO')
})

test('tidemark badge names the nearest checks to one that is not there', async () => {
  const { stderr, exitCode } = await badge({ publicBadges: true }, 'hoome')
  expect(stderr).toMatch(/There is no check hoome .* Nearest: home/)
  expect(exitCode).toBe(2)
})

function badge(account: object, ...args: readonly string[]) {
  const file = join(temporaryFolder(), 'tidemark.json')
  writeFileSync(file, JSON.stringify({ accounts: [{ id: 'acme', ...account, checks: [check] }] }))
  return command({ TIDEMARK_CONFIG: file, TIDEMARK_URL: 'https://status.example.com/' }, ['badge', ...args])
}

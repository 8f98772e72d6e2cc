import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openConfigFolder } from '../../src/catalogue/config-file/config-folder.ts'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const env = { BACKUP_TOKEN: '0123456789abcdef', SLACK_URL: 'https://hooks.slack.example/services/T0/B0/abcdef' }

/** The files of a section: each block that begins with a file name. */
function filesOf(section: string): ReadonlyMap<string, string> {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  const blocks = [...text.matchAll(/```(?:yaml|text)\n# (\S+\.yaml|secrets\/\S+)\n([\s\S]*?)```/g)]
  return new Map(blocks.map(([, name = '', contents = '']) => [name, contents]))
}

function checksOf(section: string) {
  const folder = temporaryFolder()
  const files = filesOf(section)
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const parsed = parseConfig(files.get('tidemark.yaml') ?? '', env, { folder: openConfigFolder(folder) })
  if ('faults' in parsed || parsed.config.refused.length > 0) throw new Error(JSON.stringify(parsed))
  return parsed.config.checks
}

test('defaults are inherited as the page says', () => {
  expect(
    checksOf('Defaults').map(({ name, everyMs, retry, tags, locations }) => [name, everyMs / 60_000, retry?.strategy, tags, locations]),
  ).toEqual([
    ['Homepage', 1, 'linear', [], ['eu-west-1', 'us-east-1']],
    ['Search', 5, undefined, [], ['eu-west-1', 'us-east-1']],
    ['Backup', 1440, undefined, ['jobs'], []],
  ])
})

test('groups pass on the settings that the page lists', () => {
  expect(checksOf('Groups').map(({ name, tags, alerts, origin }) => [name, tags, alerts, origin.group])).toEqual([
    ['Homepage', ['shop'], ['shop'], 'shop'],
    ['Checkout', ['shop', 'money'], ['shop'], 'shop'],
  ])
})

test('forEach creates the six checks of the page', () => {
  expect(checksOf('One check for each').map(({ name }) => name)).toEqual([
    'a.example.com answers',
    'b.example.com answers',
    'Port 22 of a.example.com',
    'Port 443 of a.example.com',
    'Port 22 of b.example.com',
    'Port 443 of b.example.com',
  ])
})

test('the included files of the page belong to their accounts', () => {
  expect(checksOf('Several files').map(({ account, name, tags, origin }) => [account, name, tags, origin])).toEqual([
    ['acme', 'Homepage', ['web'], { file: 'checks.d/web.yaml', group: null }],
    ['acme', 'Orders', ['api'], { file: 'checks.d/web.yaml', group: 'api' }],
    ['shop', 'Till', [], { file: 'shop.yaml', group: null }],
  ])
})

test('the secret of the page comes from its file', () => {
  const [check] = checksOf('Variables and secrets')
  expect(JSON.stringify(check?.settings)).toContain('Bearer f3c1a7c09b2e4d58')
  expect(check?.secrets).toContain('f3c1a7c09b2e4d58')
  expect(check?.everyMs).toBe(60_000)
})

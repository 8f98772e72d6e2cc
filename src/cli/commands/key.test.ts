import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { scopes } from '../../catalogue/catalogue.ts'
import { sha256 } from '../../ids/sha256.ts'

const text = `accounts:\n  - id: acme\n    keys:\n      - { id: Ab3dE9xQ, name: feeder, hash: "${sha256('a')}", scopes: [ingest] }\n  - id: beta\n    keys:\n      - { id: Cd3dE9xQ, name: grafana, hash: "${sha256('b')}", scopes: [read, ingest] }\n`

function file(): string {
  const path = join(temporaryFolder(), 'tidemark.yaml')
  writeFileSync(path, text)
  return path
}
const key = (config: string, ...args: readonly string[]) => command({ TIDEMARK_CONFIG: config }, ['key', ...args])

test('keys are listed by account, without hashes', async () => {
  const config = file()
  const rows = async (...args: readonly string[]) => (await key(config, 'list', ...args)).stdout.trimEnd().split('\n')
  const [head, ofAcme, ofBeta] = [
    'account  name     key             scopes',
    'acme     feeder   tdm_Ab3dE9xQ_…  ingest',
    'beta     grafana  tdm_Cd3dE9xQ_…  read,ingest',
  ]
  expect(await rows()).toEqual([head, ofAcme, ofBeta])
  expect(await rows('--account', 'beta')).toEqual([head, ofBeta])
  expect(await rows('--account', 'none')).toEqual(['account  name  key  scopes'])
})

test('a name must be unique in its account, and is revoked there', async () => {
  const config = file()
  const made = await key(config, 'create', '--account', 'acme', '--name', 'grafana')
  expect(made.stdout).toMatch(/^tdm_\w{8}_\w{32}_\w{6}\n$/)
  expect(await key(config, 'create', '--account', 'acme', '--name', 'grafana')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'Account acme already has a key grafana. Revoke it first, or choose another name.\n',
  })
  expect(await key(config, 'revoke', '--account', 'acme', '--name', 'grafana')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'The key grafana of acme is revoked.\n',
  })
  expect(readFileSync(config, 'utf8')).toBe(text)
})

test('an unknown key or account is rejected with the existing ones', async () => {
  const config = file()
  expect((await key(config, 'revoke', '--account', 'acme', '--name', 'grafana')).stderr).toBe(
    'Account acme has no key grafana. Its keys: feeder.\n',
  )
  expect((await key(config, 'revoke', '--account', 'acmee', '--name', 'x')).stderr).toBe(`No account acmee in ${config}. Nearest: acme.\n`)
  expect((await key(config, 'create', '--account', 'zzzzzzzz', '--name', 'x')).stderr).toBe(
    `No account zzzzzzzz in ${config}. Nearest: none.\n`,
  )
  expect(readFileSync(config, 'utf8')).toBe(text)
})

test.each([
  [undefined, 'read'],
  ['ingest,read', scopes.filter((scope) => scope === 'read' || scope === 'ingest').join(', ')],
  ['read, read', 'read'],
  ['agent:eu-west-1', 'agent:eu-west-1'],
])('the scopes %s are printed as %s', async (given, written) => {
  const { stdout } = await key(file(), 'create', '--print', '--name', 'n', ...(given === undefined ? [] : ['--scopes', given]))
  const [raw = '', entry = ''] = stdout.split('\n')
  expect(entry).toBe(`- { id: "${raw.split('_')[1]}", name: "n", hash: "${sha256(raw)}", scopes: [${written}] }`)
})

// @slow
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/catalogue/open.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { configuredFolder, tidemark } from '../support/command.ts'
import { newKey, serve } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const [first, second] = checkTypes.map(({ path }) => path)
if (!first || !second) throw new Error('there are too few check types')

const nameOf = (config: string, wanted: string): string =>
  JSON.parse(config).accounts[0].checks.find(({ id }: { id: string }) => id === wanted).name

test('checks of the file move over to the server, and come back as a file that makes the same checks', async () => {
  const folder = configuredFolder({ allowUploadedCode: true })
  const file = join(folder, 'tidemark.yaml')
  const key = await newKey(folder, 'read,write')
  const original = readFileSync(file, 'utf8')
  const before = (await readConfig(file, {})).checks.map(({ id, fingerprint }) => `${id} ${fingerprint}`)
  const server = await serve(folder, { key })
  const remote = ['--url', server.url, '--key', key, '--account', 'acme']
  try {
    const some = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', `${first},${second}`)
    expect(some).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 checks are managed') })
    expect((await readConfig(file, {})).checks.map(({ id }) => id)).not.toContain(first)
    const missing = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(first) })
    const left = readFileSync(file, 'utf8')
    const withFirst = (name: string) => {
      const config = parse(left)
      const [only] = config.accounts
      const again = { ...JSON.parse(original).accounts[0].checks.find(({ id }: { id: string }) => id === first), name }
      return JSON.stringify({ ...config, accounts: [{ ...only, checks: [...only.checks, again] }] })
    }
    writeFileSync(file, withFirst('Another'))
    const differs = await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)
    expect(differs).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('with another definition') })
    expect(readFileSync(file, 'utf8')).toBe(withFirst('Another'))
    writeFileSync(file, withFirst(nameOf(original, first)))
    expect(await tidemark(folder, 'config', 'adopt', ...remote, '--checks', first)).toMatchObject({ exitCode: 0 })
    expect((await tidemark(folder, 'config', 'adopt', ...remote, '--all')).exitCode).toBe(0)
    expect((await readConfig(file, {})).checks).toEqual([])
    const listed = await fetch(`${server.url}/v1/checks?limit=100`, { headers: server.headers })
    expect(((await listed.json()) as readonly { readonly id: string }[]).map(({ id }) => id).toSorted()).toEqual(
      checkTypes.map(({ path }) => path).toSorted(),
    )
    const exported = await tidemark(folder, 'config', 'export')
    const copy = join(temporaryFolder(), 'tidemark.yaml')
    writeFileSync(copy, exported.stdout)
    expect((await readConfig(copy, {})).checks.map(({ id, fingerprint }) => `${id} ${fingerprint}`).toSorted()).toEqual(before.toSorted())
  } finally {
    await server.kill()
  }
}, 120_000)

test('what the file names by its id stays there, and nothing is changed', async () => {
  const slo = { id: 'shop', name: 'Shop', checks: [first], objective: { kind: 'availability', target: 99 }, window: '30d' }
  const folder = configuredFolder()
  const file = join(folder, 'tidemark.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...config, accounts: [{ ...config.accounts[0], slos: [slo] }] }))
  const text = readFileSync(file, 'utf8')
  const refused = await tidemark(
    folder,
    'config',
    'adopt',
    '--url',
    'http://127.0.0.1:9',
    '--key',
    'k',
    '--account',
    'acme',
    '--checks',
    first,
  )
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Name checks by their tags') })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

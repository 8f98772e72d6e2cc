import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck, pingedTypes } from '../../test/support/example-config.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { DefinitionRef } from '../store/definitions.ts'
import type { Check } from './catalogue.ts'
import { ConfigFaults } from './config-file/faults.ts'
import { type OpenCatalogue, openCatalogue, readForCatalogue } from './open.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const check = exampleCheck(anyRunType())
let folder = ''
let file = ''
let opened: OpenCatalogue | undefined
let said: string[] = []

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'tidemark.yaml')
  said = []
})

afterEach(async () => {
  await opened?.close()
})

const recordDefinitions = async (known: readonly DefinitionRef[], at: number) =>
  known.map(({ checkId }) => ({ createdAt: at - checkId.length, updatedAt: at }))

async function open(pollMs = 10, more: Partial<Parameters<typeof openCatalogue>[0]> = {}) {
  const log = { info: (words: string) => said.push(words), error: (words: string) => said.push(words) }
  opened = await openCatalogue({ file, env: {}, recordDefinitions, now: () => now, log, pollMs, ...more })
  return opened
}

const text = (...ids: readonly string[]) => JSON.stringify({ accounts: [{ id: 'acme', checks: ids.map((id) => ({ ...check, id })) }] })
const ids = (checks: readonly Check[]) => checks.map(({ id }) => id)

test('checks are found by account and id, and listed by creation, then id', async () => {
  await writeFile(file, text('c', 'b', 'aa'))
  const { catalogue } = await open()
  expect(ids(catalogue.checks('acme'))).toEqual(['aa', 'b', 'c'])
  expect(catalogue.check('acme', 'b')).toMatchObject({ id: 'b', account: 'acme', createdAt: now - 1, updatedAt: now })
  expect(catalogue.check('other', 'b')).toBeUndefined()
  expect(catalogue.checks('other')).toEqual([])
  expect(catalogue.account('acme')?.name).toBe('acme')
})

test('a key is found by its hash', async () => {
  const key = { name: 'reader', hash: `sha256:${'0'.repeat(64)}`, scopes: ['read'] }
  await writeFile(file, JSON.stringify({ accounts: [{ id: 'acme', keys: [key] }] }))
  const { catalogue } = await open()
  expect(catalogue.keyByHash(key.hash)).toMatchObject({ ...key, account: 'acme' })
  expect(catalogue.keyByHash(`sha256:${'1'.repeat(64)}`)).toBeUndefined()
})

test.each(pingedTypes)('a check of type $type is found by the hash of its token', async (checkType) => {
  await writeFile(file, JSON.stringify({ accounts: [{ id: 'acme', checks: [{ ...exampleCheck(checkType), id: 'pinged' }] }] }))
  const { catalogue } = await open()
  const found = catalogue.check('acme', 'pinged')
  expect(found && catalogue.checkByPingToken(checkType.pingSettings?.(found.settings).tokenHash ?? '')).toBe(found)
})

test('a changed file is applied, and listeners are called', async () => {
  await writeFile(file, text('a'))
  const { catalogue, onChange } = await open()
  const before = catalogue.service()
  expect(catalogue.service()).toBe(before)
  const changed = new Promise<readonly string[]>((resolve) => onChange((next) => resolve(ids(next.allChecks()))))
  await writeFile(file, text('a', 'b'))
  expect(await changed).toEqual(['a', 'b'])
  expect(ids(catalogue.allChecks())).toEqual(['a', 'b'])
  expect(catalogue.service()).not.toBe(before)
})

test('only new and changed checks are recorded', async () => {
  const recorded: string[][] = []
  const record = async (checks: readonly DefinitionRef[], at: number) => {
    recorded.push(checks.map(({ checkId }) => checkId))
    return recordDefinitions(checks, at + recorded.length)
  }
  await writeFile(file, text('a', 'bb'))
  const { catalogue, poll } = await open(60_000, { recordDefinitions: record })
  const before = catalogue.check('acme', 'a')
  await writeFile(file, text('a', 'bb', 'ccc'))
  await poll()
  await writeFile(file, text('a'))
  await poll()
  await writeFile(file, text('a', 'bb'))
  await poll()
  expect(recorded).toEqual([['a', 'bb'], ['ccc'], ['bb']])
  expect(catalogue.check('acme', 'a')).toEqual(before)
  expect(catalogue.check('acme', 'bb')).toMatchObject({ updatedAt: now + 3 })
})

test('checks that could not be recorded are recorded at the next poll', async () => {
  let isFull = false
  const record = async (checks: readonly DefinitionRef[], at: number) => {
    if (isFull) throw new Error('the disk is full')
    return recordDefinitions(checks, at)
  }
  await writeFile(file, text('a'))
  const { catalogue, poll } = await open(60_000, { recordDefinitions: record })
  isFull = true
  await writeFile(file, text('a', 'b'))
  await poll()
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['a'])
  expect(said).toHaveLength(1)
  expect(said[0]).toContain('has changed and is valid, but cannot be applied now; retrying')
  expect(said[0]).toContain('the disk is full')
  isFull = false
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['a', 'b'])
})

test('a file that was read before is not parsed again, unless it has changed since', async () => {
  await writeFile(file, text('a'))
  const first = await readForCatalogue({ file, env: {} })
  await writeFile(file, text('a', 'b'))
  const { catalogue, poll } = await open(60_000, { first })
  expect(ids(catalogue.allChecks())).toEqual(['a'])
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['a', 'b'])
})

test('a file that an editor replaces is reloaded', async () => {
  await writeFile(file, text('a'))
  const { onChange } = await open()
  const changed = new Promise<readonly string[]>((resolve) => onChange((next) => resolve(ids(next.allChecks()))))
  await writeFile(`${file}.new`, text('z'))
  await rename(`${file}.new`, file)
  expect(await changed).toEqual(['z'])
})

test('a file with faults, or a missing one, changes nothing, and each fault is logged once', async () => {
  await writeFile(file, text('a'))
  const { catalogue, poll } = await open(60_000)
  await writeFile(file, 'retention: long\naccounts:\n  - id: 5')
  await poll()
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['a'])
  expect(said).toHaveLength(1)
  expect(said[0]).toContain('tidemark.yaml:1: retention must be')
  expect(said[0]).toContain('tidemark.yaml:3: accounts[0].id must be')
  await rm(file)
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['a'])
  await writeFile(file, text('b'))
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['b'])
})

test('a file that was unreadable for a while is read again, even if it is unchanged', async () => {
  const elsewhere = `${file}.elsewhere`
  await writeFile(file, text('a'))
  const { catalogue, poll } = await open(60_000)
  await rm(file)
  await symlink(file, file)
  await poll()
  await rm(file)
  await mkdir(elsewhere)
  await symlink(elsewhere, file)
  await poll()
  expect(said.at(-1)).toContain('has changed but cannot be read; retrying')
  await rm(elsewhere, { recursive: true })
  await writeFile(elsewhere, text('b'))
  await poll()
  expect(ids(catalogue.allChecks())).toEqual(['b'])
})

test('a fault that returns after a valid file is logged again', async () => {
  await writeFile(file, text('a'))
  const { poll } = await open(60_000)
  for (const words of ['accounts: 1', text('a', 'b'), 'accounts: 1']) {
    await writeFile(file, words)
    await poll()
  }
  expect(said.filter((words) => words.includes('accounts must be'))).toHaveLength(2)
})

test('an unreadable file is reported with the reason', async () => {
  await writeFile(file, Uint8Array.of(0xff, 0xfe))
  await expect(open()).rejects.toThrow('the file cannot be read (it is not UTF-8)')
  await rm(file)
  await mkdir(file)
  await expect(open()).rejects.toThrow('the file cannot be read (EISDIR)')
})

test('a file with faults is rejected at the start', async () => {
  await writeFile(file, 'accounts: 1')
  await expect(open()).rejects.toThrow(ConfigFaults)
  await rm(file)
  await expect(open()).rejects.toThrow('there is no such file')
})

test('a reload logs which keys, links and maintenance windows have changed', async () => {
  const key = (name: string) => ({ name, hash: `sha256:${'0'.repeat(63)}${name.length}`, scopes: ['read'] })
  const patch = (to: string) => ({ name: 'Patch', from: '2026-11-20T22:00:00Z', to })
  const config = (account: object) => JSON.stringify({ accounts: [{ id: 'acme', ...account }] })
  await writeFile(file, config({ keys: [key('old'), key('kept')], maintenance: [patch('2026-11-20T23:00:00Z')] }))
  const { poll } = await open(60_000)
  await writeFile(file, config({ keys: [key('kept'), key('grafana')], maintenance: [patch('2026-11-21T01:00:00Z')] }))
  await poll()
  expect(said.at(-1)).toBe(
    'tidemark.yaml was reloaded: 0 checks; key acme/grafana added; key acme/old removed; maintenance acme/Patch changed.',
  )
})

describe('included files', () => {
  const including = JSON.stringify({
    accounts: [{ id: 'acme', include: ['checks.d/*.yaml'], checks: [{ ...check, id: 'main', name: 'main' }] }],
  })
  const part = (...names: readonly string[]) => JSON.stringify({ checks: names.map((id) => ({ ...check, id, name: id })) })
  const write = (name: string, words: string) => writeFile(join(folder, 'checks.d', name), words)
  const sorted = (catalogue: OpenCatalogue['catalogue']) => ids(catalogue.allChecks()).toSorted()

  beforeEach(async () => {
    await mkdir(join(folder, 'checks.d'))
    await writeFile(file, including)
  })

  test('are reloaded when one is added, changed or removed', async () => {
    await write('a.yaml', part('a'))
    const { catalogue, poll } = await open(60_000)
    expect(sorted(catalogue)).toEqual(['a', 'main'])
    await write('a.yaml', part('a', 'aa'))
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'aa', 'main'])
    await write('b.yaml', part('b'))
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'aa', 'b', 'main'])
    await rm(join(folder, 'checks.d', 'a.yaml'))
    await poll()
    expect(sorted(catalogue)).toEqual(['b', 'main'])
    expect(said).toHaveLength(3)
  })

  test('with faults keep their checks, while others are applied', async () => {
    await write('a.yaml', part('a'))
    await write('b.yaml', part('b'))
    const { catalogue, poll } = await open(60_000)
    await write('a.yaml', '{ checks: [{}] }')
    await write('b.yaml', part('b', 'bb'))
    await poll()
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'b', 'bb', 'main'])
    expect(said).toHaveLength(2)
    expect(said[0]).toContain('checks.d/a.yaml has faults and is not applied: its check is unchanged.')
    expect(said[0]).toContain('checks.d/a.yaml:1: checks[0].type must be one of')
    await write('b.yaml', part('a', 'b'))
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'b', 'main'])
    await write('b.yaml', part('b'))
    await write('a.yaml', part('aaa'))
    await poll()
    expect(sorted(catalogue)).toEqual(['aaa', 'b', 'main'])
  })

  test('with faults are left out at the start', async () => {
    await write('a.yaml', 'checks: [')
    await write('b.yaml', part('b'))
    const { catalogue, poll } = await open(60_000)
    expect(sorted(catalogue)).toEqual(['b', 'main'])
    expect(said[0]).toContain('checks.d/a.yaml has faults and is left out.')
    await write('a.yaml', part('a'))
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'b', 'main'])
  })

  test('are watched even while the config file has faults', async () => {
    await writeFile(file, including.replace('checks.d/*.yaml', 'checks.d/a.yaml'))
    await write('a.yaml', part('a'))
    const { catalogue, poll } = await open(60_000)
    await rm(join(folder, 'checks.d', 'a.yaml'))
    await poll()
    await poll()
    expect(sorted(catalogue)).toEqual(['a', 'main'])
    expect(said).toHaveLength(1)
    await write('a.yaml', part('b'))
    await poll()
    expect(sorted(catalogue)).toEqual(['b', 'main'])
  })

  test('are tried again if a change could not be applied', async () => {
    let isFull = false
    const record = async (checks: readonly DefinitionRef[], at: number) => {
      if (isFull) throw new Error('the disk is full')
      return recordDefinitions(checks, at)
    }
    await write('a.yaml', part('a'))
    const { catalogue, poll } = await open(60_000, { recordDefinitions: record })
    isFull = true
    await write('a.yaml', part('b'))
    await poll()
    isFull = false
    await poll()
    expect(sorted(catalogue)).toEqual(['b', 'main'])
  })

  test('are polled in turn if there are many', async () => {
    for (let i = 0; i < 450; i++) await write(`${i}.yaml`, part(`c${i}`))
    const { catalogue, poll } = await open(60_000)
    await write('99.yaml', part('last'))
    for (let i = 0; i < 3; i++) await poll()
    expect(catalogue.check('acme', 'last')).toBeDefined()
  })
})

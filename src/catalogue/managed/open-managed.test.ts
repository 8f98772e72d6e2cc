import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anyRunType, exampleCheck, pingedTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { tokenHash } from '../build.ts'
import { type OpenCatalogue, openCatalogue } from '../open.ts'
import type { ManagedChange } from './overlay.ts'
import { parseManagedCheck } from './parse-managed.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const account = { id: 'acme' }
const check = exampleCheck(anyRunType())
let file = ''
let opened: OpenCatalogue
let said: string[] = []

const fileText = (...entries: readonly object[]) =>
  `accounts:\n  - id: acme\n    checks:\n${entries.map((entry) => `      - ${JSON.stringify(entry)}\n`).join('')}`

beforeEach(async () => {
  said = []
  file = join(temporaryFolder(), 'tidemark.yaml')
  await writeFile(file, fileText({ ...check, id: 'a' }, { ...check, id: 'b' }))
  const log = { info: (words: string) => said.push(words), error: (words: string) => said.push(words) }
  const recordDefinitions = async (known: readonly unknown[], at: number) => known.map(() => ({ createdAt: at, updatedAt: at }))
  opened = await openCatalogue({ file, env: {}, recordDefinitions, now: () => now, log, pollMs: 10 })
})
afterEach(() => opened.close())

function managed(id: string, definition: Record<string, unknown> = check, createdAt = now): ManagedChange {
  const parsed = parseManagedCheck({ ...definition, id }, { account, env: {} })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return {
    account: 'acme',
    id,
    check: { definition: { ...parsed.check, managedVersion: 1 }, lifetime: { createdAt, updatedAt: createdAt } },
  }
}

const ids = () => opened.catalogue.checks('acme').map(({ id }) => id)

test('managed checks are found at once, and listed among those of the file by creation', () => {
  const before = opened.catalogue.service()
  opened.applyManaged([managed('first', check, now - 1), managed('last', check, now + 1)])
  expect(ids()).toEqual(['first', 'a', 'b', 'last'])
  expect(opened.catalogue.allChecks().map(({ id }) => id)).toEqual(ids())
  expect(opened.catalogue.check('acme', 'last')).toBe(opened.catalogue.checks('acme')[3])
  expect(opened.catalogue.service()).not.toBe(before)
  opened.applyManaged([{ account: 'acme', id: 'first', check: null }])
  expect(ids()).toEqual(['a', 'b', 'last'])
})

test('listeners hear of many changes in few calls', async () => {
  const heard: number[] = []
  opened.onChange((catalogue) => heard.push(catalogue.allChecks().length))
  for (let index = 0; index < 500; index++) opened.applyManaged([managed(`check-${index}`)])
  await expect.poll(() => heard.at(-1)).toBe(502)
  expect(heard.length).toBeLessThan(10)
})

test('an id that is managed is not taken from the file, which is told with its line; the rest of the file applies', async () => {
  opened.applyManaged([managed('b', { ...check, name: 'Managed' })])
  expect(opened.catalogue.check('acme', 'b')?.name).toBe('Managed')
  await expect.poll(() => said.join('\n')).toContain('tidemark.yaml:5: the check b of acme is managed over the API')
  await writeFile(file, fileText({ ...check, id: 'b', name: 'Of the file' }, { ...check, id: 'c' }))
  await expect.poll(ids).toEqual(['b', 'c'])
  expect(opened.catalogue.check('acme', 'b')?.name).toBe('Managed')
  opened.applyManaged([{ account: 'acme', id: 'b', check: null }])
  expect(opened.catalogue.check('acme', 'b')?.name).toBe('Of the file')
})

test('the file and line of a check are known', async () => {
  expect(await opened.definedAt('acme', 'b')).toMatchObject({ file: null, line: 5 })
  expect(await opened.definedAt('acme', 'nobody')).toBeNull()
  await writeFile(file, `# moved\n${fileText({ ...check, id: 'b' })}`)
  await expect.poll(ids).toEqual(['b'])
  expect(await opened.definedAt('acme', 'b')).toMatchObject({ line: 5 })
})

test('checks of an account that the file does not have are in no list', () => {
  const { check: foreign } = managed('x')
  if (!foreign) throw new Error('it has no check')
  const of = { ...foreign, definition: { ...foreign.definition, account: 'other' } }
  opened.applyManaged([{ account: 'other', id: 'x', check: of }])
  expect(opened.catalogue.allChecks()).toHaveLength(2)
  expect(opened.catalogue.check('other', 'x')).toBeUndefined()
})

test.each(pingedTypes)('a managed check of type $type is found by its token while it has it', (checkType) => {
  const change = managed('pinged', exampleCheck(checkType))
  const token = change.check ? tokenHash(change.check.definition) : ''
  opened.applyManaged([change])
  expect(opened.catalogue.checkByPingToken(token)?.id).toBe('pinged')
  opened.applyManaged([{ account: 'acme', id: 'pinged', check: null }])
  expect(opened.catalogue.checkByPingToken(token)).toBeUndefined()
})

test('faults have pointers, and files outside of the folder are refused', () => {
  const parsed = parseManagedCheck({ ...check, id: 'x', nonsense: 1, frequency: '1s' }, { account, env: {} })
  expect('faults' in parsed && parsed.faults.map(({ pointer }) => pointer)).toEqual(['/nonsense', '/frequency'])
})

test('who depends on a check is known of the file and of managed checks', () => {
  opened.applyManaged([managed('c', { ...check, dependsOn: ['a'] }), managed('b', { ...check, dependsOn: ['a'] })])
  expect(opened.catalogue.dependents('acme', 'a').toSorted()).toEqual(['b', 'c'])
  opened.applyManaged([{ account: 'acme', id: 'c', check: null }])
  expect(opened.catalogue.dependents('acme', 'a')).toEqual(['b'])
  expect(opened.catalogue.dependents('acme', 'b')).toEqual([])
})

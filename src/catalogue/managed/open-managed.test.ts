import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anyRunType, exampleCheck, pingedTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { sha256 } from '../../ids/sha256.ts'
import { tokenHash } from '../build.ts'
import { type OpenCatalogue, openCatalogue } from '../open.ts'
import { locationKind } from './location-layer.ts'
import type { ManagedChange } from './overlay.ts'
import { parseManagedCheck } from './parse-managed.ts'
import type { ResourceChange } from './resources.ts'

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

test('managed checks are found at once, and listed with those of the file in order of creation', () => {
  const before = opened.catalogue.service()
  opened.applyManaged([managed('first', check, now - 1), managed('last', check, now + 1)])
  expect(ids()).toEqual(['first', 'a', 'b', 'last'])
  expect(opened.catalogue.allChecks().map(({ id }) => id)).toEqual(ids())
  expect(opened.catalogue.check('acme', 'last')).toBe(opened.catalogue.checks('acme')[3])
  expect(opened.catalogue.service()).not.toBe(before)
  opened.applyManaged([{ account: 'acme', id: 'first', check: null }])
  expect(ids()).toEqual(['a', 'b', 'last'])
})

test('listeners are called few times for many changes', async () => {
  const heard: number[] = []
  opened.onChange((catalogue) => heard.push(catalogue.allChecks().length))
  for (let index = 0; index < 500; index++) opened.applyManaged([managed(`check-${index}`)])
  await expect.poll(() => heard.at(-1)).toBe(502)
  expect(heard.length).toBeLessThan(10)
})

test('a managed id overrides that of the file, which is logged with its line; the rest of the file applies', async () => {
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

test('checks of an account that is not in the file are not listed', () => {
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

test('faults have JSON pointers', () => {
  const parsed = parseManagedCheck({ ...check, id: 'x', nonsense: 1, frequency: '1s' }, { account, env: {} })
  expect('faults' in parsed && parsed.faults.map(({ pointer }) => pointer)).toEqual(['/nonsense', '/frequency'])
})

test('dependents of a check include those of the file and managed ones', () => {
  opened.applyManaged([managed('c', { ...check, dependsOn: ['a'] }), managed('b', { ...check, dependsOn: ['a'] })])
  expect(opened.catalogue.dependents('acme', 'a').toSorted()).toEqual(['b', 'c'])
  opened.applyManaged([{ account: 'acme', id: 'c', check: null }])
  expect(opened.catalogue.dependents('acme', 'a')).toEqual(['b'])
  expect(opened.catalogue.dependents('acme', 'b')).toEqual([])
})

const allowManagedLocations = true
const agentKey = { name: 'agents', hash: sha256('of the file'), scopes: ['agent:dc-2'] }

function locationAt(id: string, key: string, createdAt: number): ResourceChange {
  const definition = { name: 'DC 2', slugName: 'dc-2', keys: [{ id: 'one', hash: sha256(key), createdAt }] }
  const ref = { kind: locationKind, account: 'acme', id }
  return { ...ref, resource: { ...ref, version: 1, definition, createdAt, updatedAt: createdAt } }
}

test('inactive managed locations are logged once, with the reason', async () => {
  opened.applyResources([locationAt('second', 'later', now + 1), locationAt('first', 'earlier', now)])
  const inactive = () => said.filter((words) => words.includes('private location'))
  const line = 'The private location dc-2 of acme is managed over the API, but not active: '
  const isOff = `${line}the config file does not set allowManagedLocations: true.`
  await expect.poll(inactive).toEqual([isOff, isOff])
  await writeFile(file, `allowManagedLocations: true\n${fileText({ ...check, id: 'a' })}`)
  await expect.poll(inactive).toEqual([isOff, isOff, `${line}its name is in use, in the config file or by an earlier one.`])
  opened.applyResources([{ ...locationAt('second', 'later', now), resource: null }])
  await writeFile(file, `allowManagedLocations: false\n${fileText({ ...check, id: 'a' })}`)
  await expect.poll(() => inactive().slice(3)).toEqual([isOff])
})

test('of two managed locations with the same name, the first is active', async () => {
  opened.applyResources([locationAt('second', 'later', now + 1), locationAt('first', 'earlier', now)])
  await writeFile(file, `allowManagedLocations: true\n${fileText({ ...check, id: 'a' })}`)
  await expect.poll(() => [...opened.catalogue.managedLocations('acme')]).toEqual([['dc-2', 'first']])
  expect(['earlier', 'later'].map((key) => opened.catalogue.keyByHash(sha256(key)) !== undefined)).toEqual([true, false])
})

test.each([
  ['does not allow it', {}, {}],
  ['has it for the runner', { allowManagedLocations, runner: { locations: ['dc-2'] } }, {}],
  ['has a key of agents for it', { allowManagedLocations }, { keys: [agentKey] }],
  ['has canaries for it', { allowManagedLocations }, { canary: { 'dc-2': ['127.0.0.1:53'] } }],
])('a managed location is active for agents until the file %s', async (_, settings, more) => {
  opened.applyResources([locationAt('place', 'managed', now)])
  opened.applyManaged([managed('shop', { ...check, locations: ['dc-2'] })])
  const checks = [{ ...check, id: 'a', locations: ['dc-2'] }]
  const writeSettings = (top: object, ofAccount: object) =>
    writeFile(file, JSON.stringify({ ...top, accounts: [{ id: 'acme', ...ofAccount, checks }] }))
  const keyOfIt = () => opened.catalogue.keyByHash(sha256('managed'))?.scopes
  expect(keyOfIt()).toBeUndefined()
  await writeSettings({ allowManagedLocations }, {})
  await expect.poll(keyOfIt).toEqual(['agent:dc-2'])
  expect([...opened.catalogue.managedLocations('acme')]).toEqual([['dc-2', 'place']])
  expect(opened.catalogue.check('acme', 'shop')?.agentLocations).toEqual(['dc-2'])
  expect(opened.catalogue.check('acme', 'a')?.agentLocations).toEqual([])
  await writeSettings(settings, more)
  await expect.poll(keyOfIt).toBeUndefined()
  expect([...opened.catalogue.managedLocations('acme')]).toEqual([])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleCheck, runTypes } from '../../../test/support/example-config.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { parseConfig } from '../config-file/parse.ts'
import { type GroupDefinition, groupKind, shownGroup } from './check-group.ts'
import { groupFindings } from './group-findings.ts'
import { parseManagedCheck } from './parse-managed.ts'
import { createResourceIndex } from './resources.ts'

const fields = fc.record(
  {
    tags: fc.constantFrom(null, [], ['a'], ['b', 'c']),
    locations: fc.constantFrom(null, ['eu'], ['us', 'ap']),
    retry: fc.constantFrom(null, { strategy: 'single' }, { strategy: 'fixed', maxRetries: 3 }),
    timeout: fc.constantFrom(null, '5s', '9s'),
    activated: fc.constantFrom(null, true, false),
    muted: fc.constantFrom(null, true, false),
    frequency: fc.constantFrom('1m', '5m'),
    maxResponseTime: fc.constantFrom(null, 500),
  },
  { requiredKeys: [] },
)
const defaults = fc
  .tuple(fields, fc.array(fc.tuple(fc.constantFrom(...runTypes), fields), { maxLength: 3 }))
  .map(([all, byType]) => ({ ...all, ...Object.fromEntries(byType.map(([{ type }, some]) => [type, some])) }))
const check = fc.tuple(fc.constantFrom(...runTypes), fields).map(([checkType, own]) => {
  const { tags: _, frequency: __, ...settings } = exampleCheck(checkType)
  return { ...settings, ...own, id: 'c' }
})

const requestType = runTypes.find(({ groupRequest }) => groupRequest)
const parts = requestType?.groupRequest?.parts ?? []
/** Values that are sent instead of a text, a list or a mapping. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 7, true, '', 'x', `$\{X}`, `$\{GROUP_BASE_URL}`),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'source', 'comparison', 'target', 'username', 'password'), tie('value'), { maxKeys: 3 }),
  ),
})).value
const clientFields = fc.option(fc.oneof(anything, fc.record({ alertChannelSubscriptions: anything })), { nil: undefined })
const request = fc.oneof(anything, fc.dictionary(fc.constantFrom(...parts), anything))

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

test('any request of a check or its group yields a check or a fault, the same with a group as without', () => {
  fc.assert(
    fc.property(optional(request), request, optional(anything), clientFields, (ofCheck, ofGroup, environment, fields) => {
      const ref = { kind: groupKind, account: 'acme', id: '7' }
      const resources = createResourceIndex()
      const group = { name: 'G', request: ofGroup }
      const isGroup = groupFindings(group, runTypes).length === 0
      if (isGroup) shownGroup(group as GroupDefinition, runTypes)
      const definition = isGroup ? group : { name: 'G', request: { url: 'https://a.example', headers: { a: 'b' }, assertions: [] } }
      resources.apply([{ ...ref, resource: { ...ref, version: 1, definition, createdAt: 0, updatedAt: 0 } }])
      for (const checkType of runTypes) {
        const given = { request: ofCheck, environment, clientFields: fields }
        const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        const own = { ...exampleCheck(checkType), ...sent }
        const context = { account: { id: 'acme' }, env: {}, resources }
        const alone = parseManagedCheck(own, context)
        const grouped = parseManagedCheck({ ...own, groupId: 7 }, context)
        const misshapen = (parsed: typeof alone) =>
          'check' in parsed ? [] : parsed.faults.filter(({ message }) => /must be (a mapping|a list|text)/.test(message))
        if (misshapen(alone).length > 0) expect(misshapen(grouped).length).toBeGreaterThan(0)
        if (misshapen(grouped).length > 0) expect(misshapen(alone).length).toBeGreaterThan(0)
      }
    }),
    { numRuns: triesOf(300) },
  )
})

test('a null field is unset, with a group as without, and null within a field is a fault', () => {
  const ref = { kind: groupKind, account: 'acme', id: '7' }
  const resources = createResourceIndex()
  const subscriptions = { alertChannelSubscriptions: [{ alertChannelId: 3, activated: true }] }
  resources.apply([
    { ...ref, resource: { ...ref, version: 1, definition: { name: 'G', clientFields: subscriptions }, createdAt: 0, updatedAt: 0 } },
  ])
  const context = { account: { id: 'acme' }, env: {}, resources }
  for (const checkType of runTypes) {
    const example = exampleCheck(checkType)
    const optionalNames = [
      'description',
      'activated',
      'muted',
      'tags',
      'retry',
      'timeout',
      'evidence',
      'clientFields',
      'dependsOn',
      'alerts',
    ]
    const nulls = Object.fromEntries(optionalNames.map((name) => [name, null]))
    const { tags: _, ...without } = example
    for (const groupId of [{}, { groupId: 7 }]) {
      const [bare, unset] = [without, { ...example, ...nulls }].map((own) => parseManagedCheck({ ...own, ...groupId, id: 'c' }, context))
      expect(unset && 'check' in unset && [unset.check.fingerprint, unset.check.clientFields]).toEqual(
        bare && 'check' in bare && [bare.check.fingerprint, bare.check.clientFields],
      )
      const missing = { ...example, ...groupId, id: 'c', frequency: null }
      expect(parseManagedCheck(missing, context)).toMatchObject({ faults: [{ pointer: '/frequency' }] })
      for (const part of checkType.groupRequest?.parts ?? []) {
        const nested = { ...example, ...groupId, id: 'c', request: { ...(example.request as object), [part]: null } }
        expect(parseManagedCheck(nested, context)).toMatchObject({ faults: [{ pointer: `/request/${part}` }] })
      }
    }
  }
})

test('a check of a managed group equals one in a group of the config file', () => {
  fc.assert(
    fc.property(defaults, check, (inherited, own) => {
      const ofFile = parseConfig(
        JSON.stringify({ accounts: [{ id: 'acme', groups: [{ id: 'g', defaults: inherited, checks: [own] }] }] }),
        {},
      )
      const group = { name: 'G', defaults: inherited }
      expect(groupFindings(group, runTypes)).toEqual([])
      const ref = { kind: groupKind, account: 'acme', id: '7' }
      const resources = createResourceIndex()
      resources.apply([{ ...ref, resource: { ...ref, version: 1, definition: group, createdAt: 0, updatedAt: 0 } }])
      const managed = parseManagedCheck({ ...own, groupId: 7 }, { account: { id: 'acme' }, env: {}, resources })
      if ('faults' in ofFile) expect(managed).toMatchObject({ faults: [expect.anything()] })
      else expect('check' in managed && managed.check.fingerprint).toBe(ofFile.config.checks[0]?.fingerprint)
    }),
    { numRuns: triesOf(200) },
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleCheck } from '../../../test/support/example-config.ts'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { parseManagedCheck } from '../../catalogue/managed/parse-managed.ts'
import { checkTypes } from '../../checks/registry.ts'
import { checkKind, documentText } from '../../managed/managed-document.ts'
import { managedYaml } from './managed-yaml.ts'

const env = { OPEN: 'example.org' }
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((name) => name.replaceAll('$', '').replace(/^\s*$/, 'x'))
const anyCheck = fc.record({
  checkType: fc.constantFrom(...checkTypes),
  name: fc.oneof(
    text,
    fc.constantFrom('yes', '1e3', '0x1', '- a', '# b', 'a: b', `$\{OPEN}`, `$$\{OPEN}`, '2026-11-14', '&a', '*a', '\u2028'),
  ),
  activated: fc.boolean(),
})

test('the exported file makes the checks that the documents make', () => {
  fc.assert(
    fc.property(fc.array(anyCheck, { maxLength: 8 }), (given) => {
      const heads = given.map(({ checkType, name, activated }, index) => {
        const token = checkType.pingSettings
          ? { heartbeat: { period: '1h', grace: '5m', token: `token-of-32-characters-${index}-0123456789` } }
          : {}
        const definition = { ...exampleCheck(checkType), ...token, id: `check-${index}`, name, activated }
        const body = documentText({ definition, createdAt: index })
        const record = { position: index, ordinal: 1, at: 0, keyId: '', keyName: '', action: 'create', changes: '[]' }
        return { ...record, kind: checkKind, account: index % 2 ? 'other' : 'acme', id: definition.id, version: 1, body, definition }
      })
      const expected = heads.map(({ account, definition }) => {
        const parsed = parseManagedCheck(definition, { account: { id: account, managedVariables: ['OPEN'] }, env })
        return 'check' in parsed ? [account, parsed.check.id, parsed.check.fingerprint, parsed.check.secrets] : parsed
      })
      const parsed = parseConfig(managedYaml(heads, null), env)
      if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
      const found = parsed.config.checks.map(({ account, id, fingerprint, secrets }) => [account, id, fingerprint, secrets])
      const order = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).toSorted()
      expect(order(found)).toEqual(order(expected))
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitraryDefinition } from '../../../test/support/arbitrary-definitions.ts'
import { triesOf } from '../../../test/support/tries.ts'
import { checkTypes } from '../../checks/registry.ts'
import { shownDefinition } from '../written-definition.ts'
import { parseManagedCheck } from './parse-managed.ts'
import { shownFaulty } from './shown-faulty.ts'

const account = { id: 'acme', name: 'Acme', publicBadges: false }
const missing = { description: `$\{NO_SUCH_VARIABLE}` }

test.each(checkTypes)('a definition of type $type that cannot be parsed is redacted like one that can', (checkType) => {
  fc.assert(
    fc.property(arbitraryDefinition(checkType), (definition) => {
      const parsed = parseManagedCheck(definition, { account, env: {} })
      if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
      expect(parseManagedCheck({ ...definition, ...missing }, { account, env: {} })).toHaveProperty('faults')
      expect(shownFaulty({ ...definition, ...missing }, checkTypes)).toEqual({ ...shownDefinition(parsed.check), ...missing })
    }),
    { numRuns: triesOf(100) },
  )
})

test.each(checkTypes)('a definition of type $type with another structure is not shown at all', (checkType) => {
  const [definition] = fc.sample(arbitraryDefinition(checkType), 1)
  for (const other of [{ headersOfBefore: 'secret' }, { tags: 'secret' }, { name: { of: 'secret' } }, { type: 'NONE' }])
    expect(shownFaulty({ ...definition, ...other }, checkTypes)).toBe(null)
})

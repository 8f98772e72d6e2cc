import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryDefinition } from '../../../test/support/arbitrary-definitions.ts'
import { triesOf } from '../../../test/support/tries.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { buildCatalogue } from '../build.ts'
import type { Check } from '../catalogue.ts'
import { parseConfig } from '../config-file/parse.ts'
import { definitionYaml, shownDefinition, type VariableSet } from '../written-definition.ts'
import { fromWire, toWire } from './index.ts'

type Definition = Readonly<Record<string, unknown>>

/** Only managed checks have `variables`, so they are not part of the file. */
function checkOf({ variables, ...entry }: Definition): Check {
  const parsed = parseConfig(JSON.stringify({ accounts: [{ id: 'acme', checks: [entry] }] }), {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const [check] = buildCatalogue(parsed.config, []).allChecks()
  if (!check) throw new Error('there is no check')
  return variables === undefined ? check : { ...check, written: { ...check.written, variables } }
}

/** A body as transferred in JSON. */
const sent = (body: unknown) => JSON.parse(JSON.stringify(body)) as Record<string, unknown>

function read(checkType: CheckType, body: unknown, previous?: Check): Definition {
  const result = fromWire(checkType, body, previous)
  if ('faults' in result) throw new Error(JSON.stringify(result.faults))
  return result.definition
}

const names = ['HOST', 'API_KEY', '__proto__', 'x1']
const variables = fc.record(
  {
    environment: fc.dictionary(fc.constantFrom(...names), fc.constantFrom('', 'a', 'hunter2-hunter2', '{{HOST}}', `$\{x1} $$\{a}`, ' \n')),
    locked: fc.shuffledSubarray(names),
    secret: fc.shuffledSubarray(names),
  },
  { requiredKeys: [] },
)

function managedDefinition(checkType: CheckType): fc.Arbitrary<Definition> {
  const ofFile = arbitraryDefinition(checkType)
  if (!checkType.wire?.hasVariables) return ofFile
  return fc.tuple(ofFile, fc.option(variables)).map(([definition, own]) => (own ? { ...definition, variables: own } : definition))
}

/** Whether a response hides values, which only the stored check has. */
const hidesVariables = ({ variables: own }: Definition) => {
  const { environment = {}, locked = [], secret = [] } = (own ?? {}) as VariableSet
  return [...locked, ...secret].some((key) => Object.hasOwn(environment, key))
}

const runs = { numRuns: triesOf(200) }

describe.each(checkTypes.map((checkType) => [checkType.label, checkType] as const))('a definition of a %s', (_, checkType) => {
  const definitions = managedDefinition(checkType)

  test('is read back from the API as in the file', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const check = checkOf(definition)
        const body = sent(toWire(check))
        if (!hidesVariables(definition)) expect(definitionYaml(read(checkType, body))).toBe(definitionYaml(shownDefinition(check)))
        expect(definitionYaml(read(checkType, body, check))).toBe(definitionYaml(definition))
      }),
      runs,
    )
  })

  test('is unchanged by clients that know only the fields of the API', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const check = checkOf(definition)
        const { definition: _definition, ...body } = sent(toWire(check))
        const again = checkOf(read(checkType, body, check))
        const { definition: _again, id, ...answer } = sent(toWire(again))
        expect({ ...answer, id: check.id }).toEqual(body)
        expect(id).toEqual(expect.any(String))
      }),
      runs,
    )
  })

  test('takes over changes by a client, and keeps the rest', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const check = checkOf(definition)
        const body = { ...sent(toWire(check)), name: 'Renamed', tags: ['new'], activated: false }
        expect(read(checkType, body, check)).toEqual({ ...definition, name: 'Renamed', tags: ['new'], activated: false })
      }),
      runs,
    )
  })

  test('reports faults for a random body instead of throwing', () => {
    const noise = fc.object({
      maxDepth: 3,
      key: fc.constantFrom('request', 'heartbeat', 'url', 'assertions', 'definition', 'retryStrategy', 'x'),
    })
    fc.assert(
      fc.property(noise, (body) => {
        expect(fromWire(checkType, sent(body))).toHaveProperty('faults')
      }),
      runs,
    )
  })
})

import { expect, test } from 'vitest'
import { checkTypes } from '../../checks/registry.ts'
import { groupFindings, ownVariableFindings, shownVariableFindings, variableFindings } from './group-findings.ts'

const [withVariables, without] = [true, false].map(
  (has) => checkTypes.find(({ wire }) => (wire?.hasVariables ?? false) === has)?.type ?? '',
)
const textsOf = (findings: readonly { readonly path: readonly unknown[]; readonly text: string }[]) =>
  findings.map(({ path, text }) => `${path.join('.')}: ${text}`)

test.each([
  ['GOOD_1', 'a', []],
  ['1BAD', 'a', ['a variable must have a name of 1 to 128 letters, digits and underscores, not beginning with a digit']],
  ['GROUP_BASE_URL', 'a', ['GROUP_BASE_URL is the address of a group: choose another name']],
  ['NODE_OPTIONS', 'a', ['NODE_OPTIONS is not allowed for checks: it changes how programs load code, find files or reach the network']],
  ['GOOD', 'a\0b', ['the value of a variable must not have a NUL character']],
])('findings of the variable %s with the value %j', (name, value, texts) => {
  expect(textsOf(variableFindings(name, value))).toEqual(texts.map((text) => `environment.${name}: ${text}`))
})

test('faulty variables of a check are reported at their names', () => {
  const found = (variables: unknown, type = withVariables) =>
    textsOf(shownVariableFindings({ id: 'a', type, variables } as never, checkTypes))
  expect(found(undefined)).toEqual([])
  expect(found(null)).toEqual([])
  expect(found({ environment: { A: 'x' } })).toEqual([])
  expect(found({ environment: { '1A': 'x' } })).toEqual([expect.stringMatching(/^variables\.environment\.1A: a variable must have a name/)])
  expect(found({ locked: 'A' })).toEqual([expect.stringMatching(/^variables\.locked: /)])
  expect(found({ environment: { A: 'x' } }, without)).toEqual([`variables: variables are not for ${without} checks`])
})

test('a hidden variable must be sent with its value, not in its redacted form', () => {
  const found = (environment: object, more: object) =>
    textsOf(ownVariableFindings({ id: 'a', type: withVariables, variables: { environment, ...more } } as never, checkTypes))
  const shown = { A: `$\{A}` }
  expect(found(shown, { locked: ['A'] })).toEqual(['variables.environment.A: A is hidden: send its value'])
  expect(found(shown, { secret: ['A'] })).toHaveLength(1)
  expect(found({ A: 'x' }, { secret: ['A'] })).toEqual([])
})

test('the cost of assertions in a group is limited as for a check', () => {
  const assertions = Array.from({ length: 20 }, () => ({ source: 'textBody', comparison: 'matches', target: 'x{900}' }))
  const textsWith = (count: number) =>
    textsOf(groupFindings({ name: 'Shop', request: { assertions: assertions.slice(0, count) } } as never, checkTypes))
  expect(textsWith(2)).toEqual([])
  expect(textsWith(20)).toEqual([expect.stringContaining('at most 10000 characters in all')])
})

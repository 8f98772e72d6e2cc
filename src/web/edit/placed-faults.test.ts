import { expect, test } from 'vitest'
import { editorSchemas } from '../../catalogue/config-file/editor-schema.ts'
import { checkTypes } from '../../checks/registry.ts'
import { assertionRows, type EditorSchema, formOf, groupField, variablesField } from './form-model.ts'
import { isTouched, placedFaults } from './placed-faults.ts'

const schema = JSON.parse(JSON.stringify(editorSchemas.config())) as EditorSchema
const forms = checkTypes.flatMap(({ type }) => formOf(schema, type) ?? [])
const { own, common } = forms.find((form) => assertionRows(form.own)) ?? { own: [], common: [] }
const definition = { name: 'Shop', tags: ['a', 'b'], request: { assertions: [{ source: 'x', comparison: 'equals' }] } }

const placesOf = (...pointers: readonly string[]) =>
  placedFaults(
    pointers.map((pointer) => ({ pointer: `/definition${pointer}`, message: '' })),
    [...own, ...common, groupField, variablesField],
    definition,
    '/definition',
  ).map(({ at }) => at)

test('a fault is shown at its field, or at the innermost enclosing one', () => {
  expect(placesOf('/name', '/tags/1', '/request/url', '/request/headers/X-Key')).toEqual([
    '/name',
    '/tags',
    '/request/url',
    '/request/headers',
  ])
  expect(placesOf('/request/assertions/0/target', '/request/assertions/0', '/request/assertions/7')).toEqual([
    '/request/assertions/0/target',
    '/request/assertions/0',
    '/request/assertions',
  ])
})

test('a fault of the group or of the variables of a managed check stands at their fields', () => {
  expect(placesOf('/groupId', '/variables/locked/0', '/variables/secret/1', '/variables/environment/HOST', '/variables')).toEqual([
    '/groupId',
    '/variables/locked',
    '/variables/secret',
    '/variables/environment',
    '/variables',
  ])
})

test('a fault without a field is shown for the form', () => {
  expect(placesOf('', '/unknown', '/type')).toEqual(['', '', ''])
})

test('a field is touched if it or a field within it is', () => {
  const touched = new Set(['/request/assertions'])
  expect(['/request/assertions', '/request', '/request/assertions/0', '/request/url'].map((at) => isTouched(at, touched))).toEqual([
    true,
    true,
    true,
    false,
  ])
})

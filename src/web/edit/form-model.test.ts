import { describe, expect, test } from 'vitest'
import { editorSchemas } from '../../catalogue/config-file/editor-schema.ts'
import { checkTypes } from '../../checks/registry.ts'
import { assertionRows, type EditorSchema, type FormField, formOf } from './form-model.ts'

type Shape = { readonly properties?: Readonly<Record<string, Shape>>; readonly required?: readonly string[] }

const schema = JSON.parse(JSON.stringify(editorSchemas.config())) as EditorSchema
const formFor = (type: string) => formOf(schema, type) ?? { own: [], common: [] }

/** Field names, within groups as paths. Required fields end with an exclamation mark. */
function namesOf(fields: readonly FormField[], above = ''): readonly string[] {
  return fields.flatMap(({ name, isNeeded, kind, fields: within }) => [
    `${above}${name}${isNeeded ? '!' : ''}`,
    ...(kind === 'group' ? namesOf(within, `${above}${name}.`) : []),
  ])
}

function declaredNames({ properties = {}, required = [] }: Shape, above = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, shape]) => [
    `${above}${name}${required.includes(name) ? '!' : ''}`,
    ...declaredNames(shape, `${above}${name}.`),
  ])
}

describe.each(checkTypes)('the form of type $type', ({ type, settings, pingSettings }) => {
  test('has a field for each declared setting, and knows which are required', () => {
    expect(namesOf(formFor(type).own)).toEqual(declaredNames(settings as Shape))
  })

  test('has the common fields, with the main ones first', () => {
    const names = namesOf(formFor(type).common)
    expect(names.slice(0, 2)).toEqual(pingSettings ? ['name!', 'tags'] : ['name!', 'frequency!'])
    expect(names).toEqual(expect.arrayContaining(['id', 'activated', 'muted', 'tags', 'dependsOn', 'alerts']))
    expect(names.filter((name) => /^(type|forEach|clientFields)\b/.test(name))).toEqual([])
    expect(names.includes('retry.strategy!')).toBe(!pingSettings)
  })
})

const all = checkTypes.flatMap(({ type }) => Object.values(formFor(type)).flat())
const kindsOf = (name: string) => new Set(withinGroups(all).flatMap((field) => (field.name === name ? [field.kind] : [])))
const withinGroups = (fields: readonly FormField[]): readonly FormField[] =>
  fields.flatMap((field) => [field, ...withinGroups(field.fields)])

test('fields have a kind by the type of their values', () => {
  expect(kindsOf('name')).toEqual(new Set(['text']))
  expect(kindsOf('muted')).toEqual(new Set(['yesNo']))
  expect(kindsOf('tags')).toEqual(new Set(['words']))
  expect(kindsOf('maxResponseTime')).toEqual(new Set(['number']))
  expect(kindsOf('headers')).toEqual(new Set(['pairs']))
  expect(kindsOf('inlineScript')).toEqual(new Set(['code']))
  expect(kindsOf('body')).toEqual(new Set(['long']))
  expect(kindsOf('ipFamily')).toEqual(new Set(['choice']))
  expect(kindsOf('evidence')).toEqual(new Set(['choice']))
})

test('the help of a field has its purpose and valid values', () => {
  const helpOf = (name: string) => all.find((field) => field.name === name)?.help
  expect(helpOf('frequency')).toBe('Interval between runs, from 10s to 30d: a duration such as 10s, 5m, 1h or 30d')
})

test('assertions are rows with the sources of their type', () => {
  const forms = checkTypes.map(({ type }) => assertionRows(formFor(type).own)).filter((rows) => rows !== undefined)
  expect(forms.length).toBeGreaterThan(2)
  for (const { field, path } of forms) {
    expect(path).toEqual(['request', 'assertions'])
    expect(field.fields.map(({ name, kind, isNeeded }) => [name, kind, isNeeded])).toEqual([
      ['source', 'choice', true],
      ['comparison', 'choice', true],
      ['property', 'text', false],
      ['target', 'text', false],
    ])
    expect(field.fields.filter(({ takesNumbers }) => takesNumbers).map(({ name }) => name)).toEqual(['target'])
  }
})

test('an unknown type has no form', () => {
  expect(formOf(schema, 'NONE')).toBeUndefined()
})

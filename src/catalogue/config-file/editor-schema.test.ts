// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exampleCheck } from '../../../test/support/example-config.ts'
import { checkTypes } from '../../checks/registry.ts'
import { editorSchemas } from './editor-schema.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
const validators = { config: ajv.compile(editorSchemas.config()), included: ajv.compile(editorSchemas.included()) }
const root = new URL('../../../', import.meta.url)
const pages = ['README.md', ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'))
const blocks = pages.flatMap((page) =>
  [...readFileSync(new URL(page, root), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)]
    .map(([, text = '']) => ({ page, text }))
    .filter(({ text }) => text.includes('accounts:')),
)

function accepts(name: keyof typeof validators, value: unknown): boolean {
  const isValid = validators[name](value)
  if (!isValid) expect(ajv.errorsText(validators[name].errors)).toBeTruthy()
  return isValid
}

test.each(blocks)('accepts a config file of $page', ({ text }) => {
  expect(accepts('config', parse(text, { merge: true })), ajv.errorsText(validators.config.errors)).toBe(true)
})

describe.each(checkTypes)('a check of type $type', (checkType) => {
  const check = { ...exampleCheck(checkType), id: 'a' }
  const file = (more: object) => ({ accounts: [{ id: 'acme', checks: [{ ...check, ...more }] }] })

  test('is accepted, also with variables, forEach and fields that are not inherited', () => {
    for (const more of [{}, { tags: null }, { muted: '${MUTED}' }, { forEach: [{ a: 1 }] }, { forEach: { a: [1, 'b', true] } }])
      expect(accepts('config', file(more)), ajv.errorsText(validators.config.errors)).toBe(true)
    expect(accepts('included', { account: 'acme', checks: [check], groups: [{ id: 'g', checks: [check] }] })).toBe(true)
  })

  test('is rejected with unknown names and wrong values', () => {
    for (const more of [{ frequencyy: '1m' }, { tags: 'a' }, { forEach: 5 }, { type: 'NONE' }])
      expect(accepts('config', file(more))).toBe(false)
  })

  test('may inherit everything except its name', () => {
    const { name, ...defaults } = exampleCheck(checkType)
    expect(accepts('config', { defaults, accounts: [{ id: 'acme', checks: [{ name }] }] }), ajv.errorsText(validators.config.errors)).toBe(
      true,
    )
    expect(accepts('config', { defaults: { name }, accounts: [] })).toBe(false)
    expect(accepts('config', { defaults: { [checkType.type]: { tags: ['a'] } }, accounts: [] })).toBe(true)
    expect(accepts('config', { defaults: { [checkType.type]: { idd: 5 } }, accounts: [] })).toBe(false)
  })
})

test('the schema has help texts for values', () => {
  expect(JSON.stringify(editorSchemas.config())).toContain('a duration such as 10s, 5m, 1h or 30d')
})

test('settings and their limits match the golden file, so that none changes by accident', async () => {
  const { definitions, ...file } = JSON.parse(JSON.stringify(editorSchemas.config())) as Schema & { definitions: Record<string, Schema> }
  const common = new Set(settingsIn('', definitions.check ?? {}))
  const sections = Object.entries(definitions)
    .filter(([name]) => name !== 'defaults')
    .map(([name, schema]) => [
      `[${name}]`,
      ...settingsIn('', schema).filter((line) => !checkTypes.some(({ type }) => type === name) || !common.has(line)),
    ])
  const lines = [settingsIn('', file), ...sections].map((section) => `${section.join('\n')}\n`)
  await expect(lines.join('\n')).toMatchFileSnapshot('../../../test/golden/config-settings.txt')
})

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly type?: string
  readonly pattern?: string
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
  readonly title?: string
}

/**
 * A line for each setting: its path, whether it is required, and what its value must be. Variables, which any text may contain, are left out.
 */
function settingsIn(path: string, schema: Schema, isRequired = false): readonly string[] {
  const choices = schema.anyOf?.filter(({ pattern, type }) => pattern !== '\\$\\{' && type !== 'null') ?? []
  const { properties = {}, required = [], items, additionalProperties: others, anyOf = [], description, title, ...limits } = schema
  const [only] = choices
  if (only && choices.length === 1) {
    const orNull = anyOf.some(({ type }) => type === 'null') ? { orNull: true } : {}
    return settingsIn(path, { ...limits, ...only, ...orNull }, isRequired)
  }
  return [
    `${path}${isRequired ? '!' : ''} ${JSON.stringify({ ...limits, ...(others === false && { closed: true }) })}`,
    ...Object.entries(properties).flatMap(([name, below]) => settingsIn(`${path}.${name}`, below, required.includes(name))),
    ...(items ? settingsIn(`${path}[]`, items) : []),
    ...choices.flatMap((choice, index) => settingsIn(`${path}|${index + 1}`, choice)),
    ...(typeof others === 'object' ? settingsIn(`${path}.*`, others) : []),
  ]
}

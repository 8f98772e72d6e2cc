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

  test('is not accepted with unknown names and wrong values', () => {
    for (const more of [{ frequencyy: '1m' }, { tags: 'a' }, { forEach: 5 }, { type: 'NONE' }])
      expect(accepts('config', file(more))).toBe(false)
  })

  test('may inherit everything but its name', () => {
    const { name, ...defaults } = exampleCheck(checkType)
    expect(accepts('config', { defaults, accounts: [{ id: 'acme', checks: [{ name }] }] }), ajv.errorsText(validators.config.errors)).toBe(
      true,
    )
    expect(accepts('config', { defaults: { name }, accounts: [] })).toBe(false)
    expect(accepts('config', { defaults: { [checkType.type]: { tags: ['a'] } }, accounts: [] })).toBe(true)
    expect(accepts('config', { defaults: { [checkType.type]: { idd: 5 } }, accounts: [] })).toBe(false)
  })
})

test('has help for what people write', () => {
  expect(JSON.stringify(editorSchemas.config())).toContain('a duration such as 10s, 5m, 1h or 30d')
})
